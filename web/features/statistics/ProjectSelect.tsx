import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Select } from 'antd';
import { useDeferredValue, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { projectEndpoints } from '#contract/projects.ts';
import { endpointQuery } from '../../api/query.ts';

const shownAtOnce = 20;

/** One project of those in scope, found by a part of its name. */
export const ProjectSelect = ({
  value,
  onChange,
}: {
  value: number | undefined;
  onChange: (id: number) => void;
}) => {
  const { t } = useTranslation('statistics');
  const [typed, setTyped] = useState('');
  const name = useDeferredValue(typed.trim());
  const found = useQuery({
    ...endpointQuery(projectEndpoints.options, { limit: shownAtOnce, ...(name === '' ? {} : { name }) }),
    placeholderData: keepPreviousData,
  });
  const chosen = useQuery({
    ...endpointQuery(projectEndpoints.options, { limit: 1, project_id: value ?? 0 }),
    enabled: value !== undefined,
  });
  const here = chosen.data?.list[0];
  const others = (found.data?.list ?? []).filter(({ project_id }) => project_id !== here?.project_id);
  return (
    <Select
      className="energy-project"
      aria-label={t(($) => $.pickProject)}
      placeholder={t(($) => $.pickProject)}
      showSearch={{ filterOption: false, onSearch: setTyped }}
      loading={found.isFetching}
      value={here?.project_id ?? null}
      options={[...(here ? [here] : []), ...others].map((each) => ({
        value: each.project_id,
        label: each.name,
      }))}
      onChange={(id: number | null) => id !== null && onChange(id)}
    />
  );
};
