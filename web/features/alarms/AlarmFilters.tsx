import { useTranslation } from 'react-i18next';
import { alarmNames } from '#contract/alarm-names.ts';
import type { Language } from '#contract/languages.ts';
import { FilterBar, type FilterField } from '#web/parts/FilterBar.tsx';
import { choiceOf } from '#web/parts/filter-types.ts';
import type { SetUrl } from '#web/parts/url-state.ts';
import type { AlarmSearch } from './alarm-search.ts';

/** Log entries have no state. */
const ofAlarmsOnly: ReadonlySet<string> = new Set(['status', 'active']);

/** The filters of alarms; `ofProject`: the project is given and not a filter. */
export const useAlarmFields = (search: AlarmSearch, ofProject: boolean): readonly FilterField[] => {
  const { t, i18n } = useTranslation('alarms');
  const { t: tc } = useTranslation('common');
  const names = Object.entries(alarmNames[i18n.language as Language] ?? {});
  const ofProjects: FilterField = { kind: 'project', name: 'project_id', label: t(($) => $.column.project) };
  // Only a link sets this filter; without a link it has no choices.
  const ofLine: FilterField = {
    kind: 'choice',
    name: 'line_id',
    label: t(($) => $.filter.oneLine),
    options: [{ value: String(search.line_id), label: t(($) => $.filter.oneLine) }],
  };
  const fields: FilterField[] = [
    { kind: 'text', name: 'number', label: t(($) => $.filter.number), primary: true },
    choiceOf(
      'status',
      t(($) => $.column.status),
      ['unprocessed', 'processed'] as const,
      (value) => t(($) => $.status[value]),
    ),
    {
      kind: 'choice',
      name: 'level',
      label: t(($) => $.column.level),
      options: [
        { value: '2', label: t(($) => $.filter.alarms) },
        { value: '1', label: t(($) => $.filter.early) },
      ],
    },
    choiceOf(
      'severity',
      t(($) => $.filter.severity),
      ['1', '2', '3', '4'] as const,
      (value) => tc(($) => $.severity[value]),
    ),
    {
      kind: 'choice',
      name: 'typeNumber',
      label: t(($) => $.column.type),
      searchable: true,
      options: names.map(([value, label]) => ({ value, label })),
    },
    ...(ofProject ? [] : [ofProjects]),
    ...(search.line_id === undefined ? [] : [ofLine]),
    {
      kind: 'choice',
      name: 'active',
      label: t(($) => $.filter.cause),
      options: [
        { value: 'true', label: t(($) => $.standing.active) },
        { value: 'false', label: t(($) => $.standing.ended) },
      ],
    },
    {
      kind: 'range',
      from: 'from',
      to: 'to',
      label: [t(($) => $.filter.from), t(($) => $.filter.to)],
      presets: [
        { label: t(($) => $.filter.week), days: 7 },
        { label: t(($) => $.filter.month), days: 30 },
        { label: t(($) => $.filter.quarter), days: 90 },
      ],
    },
  ];
  return search.group === 'log'
    ? fields.filter((field) => field.kind === 'range' || !ofAlarmsOnly.has(field.name))
    : fields;
};

export const AlarmFilters = ({
  search,
  onChange,
  ofProject,
  whole = false,
}: {
  search: AlarmSearch;
  onChange: SetUrl;
  ofProject: boolean;
  whole?: boolean;
}) => (
  <FilterBar fields={useAlarmFields(search, ofProject)} values={search} onChange={onChange} whole={whole} />
);
