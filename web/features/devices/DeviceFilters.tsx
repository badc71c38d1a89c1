import { useTranslation } from 'react-i18next';
import { deviceTypes } from '#contract/telemetry.ts';
import { FilterBar, type FilterField } from '#web/parts/FilterBar.tsx';
import { choiceOf } from '#web/parts/filter-types.ts';
import type { SetUrl } from '#web/parts/url-state.ts';
import { useCategories } from '#web/parts/use-categories.ts';
import type { DeviceSearch } from './device-search.ts';

export const DeviceFilters = ({ search, onChange }: { search: DeviceSearch; onChange: SetUrl }) => {
  const { t } = useTranslation('devices');
  const { t: tc } = useTranslation('common');
  const categories = useCategories();
  const { project_id } = search;
  const fields: FilterField[] = [
    { kind: 'text', name: 'number', label: t(($) => $.column.number), primary: true },
    project_id === undefined
      ? { kind: 'text', name: 'project_name', label: t(($) => $.column.project) }
      : { kind: 'project', name: 'project_id', label: t(($) => $.column.project) },
    choiceOf(
      'status',
      t(($) => $.column.status),
      ['online', 'offline'] as const,
      (value) => tc(($) => $[value]),
    ),
    {
      kind: 'choice',
      name: 'type',
      label: t(($) => $.column.type),
      options: deviceTypes.map((type) => ({
        value: String(type),
        label: tc(($) => $.deviceTypes[`${type}`]),
      })),
    },
    {
      kind: 'choice',
      name: 'bound',
      label: t(($) => $.column.bound),
      options: [
        { value: 'true', label: t(($) => $.bound.yes) },
        { value: 'false', label: t(($) => $.bound.no) },
      ],
    },
    {
      kind: 'choice',
      name: 'category_id',
      label: t(($) => $.column.category),
      options: categories.map(({ value, label }) => ({ value: String(value), label })),
    },
  ];
  return <FilterBar fields={fields} values={search} onChange={onChange} />;
};
