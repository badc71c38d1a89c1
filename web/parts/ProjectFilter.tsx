import { Select } from 'antd';
import { useTranslation } from 'react-i18next';
import { useFormats } from '#web/i18n/format.ts';
import { useClear } from './use-clear.tsx';
import { mostOffered, useProjectChoice } from './use-project-choice.ts';

/** A filter by one project, found by part of its name. */
export const ProjectFilter = ({
  label,
  value,
  onChange,
}: {
  label: string;
  value: number | undefined;
  onChange: (projectId: number | undefined) => void;
}) => {
  const { t } = useTranslation('common');
  const { colon } = useFormats();
  const clear = useClear();
  const { here, select, chosen } = useProjectChoice(value, { most: mostOffered });
  // The list is filtered, whether or not the name is known.
  const unnamed = value === undefined || here ? [] : [{ value, label: chosen.isPending ? '…' : `#${value}` }];
  return (
    <Select<number | null>
      {...select}
      className="filter-field"
      aria-label={label}
      placeholder={`${label}${colon}${t(($) => $.filter.all)}`}
      allowClear={clear}
      popupMatchSelectWidth={false}
      value={value ?? null}
      options={[...unnamed, ...select.options]}
      onChange={(id: number | null | undefined) => onChange(id ?? undefined)}
    />
  );
};
