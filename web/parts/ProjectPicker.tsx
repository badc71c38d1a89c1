import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Select } from 'antd';
import { useDeferredValue, useState } from 'react';
import { projectEndpoints } from '#contract/projects.ts';
import { endpointQuery } from '#web/api/query.ts';
import { useClear } from './use-clear.tsx';

interface Named {
  id: number;
  name: string;
}
const shownAtOnce = 50;

/** Projects in the caller's scope, found by part of the name. `known` names those that are already chosen. */
const useProjects = (known: readonly Named[]) => {
  const [typed, setTyped] = useState('');
  const name = useDeferredValue(typed.trim());
  const found = useQuery({
    ...endpointQuery(projectEndpoints.options, { limit: shownAtOnce, ...(name === '' ? {} : { name }) }),
    placeholderData: keepPreviousData,
  });
  const names = new Map([
    ...known.map((each) => [each.id, each.name] as const),
    ...(found.data?.list ?? []).map((each) => [each.project_id, each.name] as const),
  ]);
  return {
    loading: found.isFetching,
    showSearch: { filterOption: false, onSearch: setTyped },
    options: [...names].map(([value, label]) => ({ value, label })),
  };
};

export const ProjectPicker = ({
  value,
  onChange,
  known = [],
  placeholder,
  id,
}: {
  value?: number | null | undefined;
  onChange?: (projectId: number | null) => void;
  known?: readonly Named[];
  placeholder?: string;
  id?: string;
}) => {
  const clear = useClear();
  return (
    <Select<number>
      {...(id === undefined ? {} : { id })}
      {...useProjects(known)}
      {...(value === null || value === undefined ? {} : { value })}
      allowClear={clear}
      placeholder={placeholder}
      onChange={(chosen: number | undefined) => onChange?.(chosen ?? null)}
    />
  );
};

export const ProjectsPicker = ({
  value,
  onChange,
  known = [],
  placeholder,
  id,
}: {
  value?: number[];
  onChange?: (projectIds: number[]) => void;
  known?: readonly Named[];
  placeholder?: string;
  id?: string;
}) => (
  <Select<number[]>
    {...(id === undefined ? {} : { id })}
    {...useProjects(known)}
    mode="multiple"
    value={value ?? []}
    placeholder={placeholder}
    onChange={(chosen) => onChange?.(chosen)}
  />
);
