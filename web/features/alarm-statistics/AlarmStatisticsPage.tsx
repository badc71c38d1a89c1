import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { alarmNames } from '#contract/alarm-names.ts';
import { alarmStatisticsEndpoints } from '#contract/alarm-statistics.ts';
import type { Language } from '#contract/languages.ts';
import { filled } from '#web/api/filled.ts';
import { keptQuery } from '#web/api/query.ts';
import { useFormats } from '#web/i18n/format.ts';
import { DataState } from '#web/parts/DataState.tsx';
import { DayRange, dayRangeBody } from '#web/parts/DayRange.tsx';
import { ExportButton } from '#web/parts/ExportButton.tsx';
import { FilterBar } from '#web/parts/FilterBar.tsx';
import { PageHeader } from '#web/parts/PageHeader.tsx';
import { PrintButton } from '#web/parts/PrintButton.tsx';
import { useUrlState } from '#web/parts/url-state.ts';
import { AnalysisView } from './AnalysisView.tsx';
import './alarm-statistics.css';
import { choiceOf } from '#web/parts/filter-types.ts';
import { CountsView } from './CountsView.tsx';
import { listLinkOf, statisticsSearch } from './statistics.ts';

interface OfProject {
  project?: { id: number; name: string } | undefined;
}

/**
 * Numbers of alarms (`counts`), or how they are handled and where they come from (`analysis`); for all
 * projects or one.
 */
const StatisticsPage = ({
  view,
  project,
  below,
}: OfProject & { view: 'counts' | 'analysis'; below?: ReactNode }) => {
  const { t, i18n } = useTranslation('alarmStatistics');
  const { t: tc } = useTranslation('common');
  const formats = useFormats();
  const [search, setSearch] = useUrlState(statisticsSearch);
  const { level, severity, typeNumber } = search;
  const body = {
    ...dayRangeBody(search),
    ...filled({ level, severity, typeNumber }),
    ...(project ? { project_id: project.id } : {}),
  };
  const query = useQuery(keptQuery(alarmStatisticsEndpoints.statistics, body));
  const name = t(($) => $.title[view]);
  const title = project ? `${project.name} · ${name}` : name;
  const View = view === 'counts' ? CountsView : AnalysisView;
  return (
    <>
      <PageHeader title={title}>
        <PrintButton />
        <ExportButton endpoint={alarmStatisticsEndpoints.export} body={body} fileName={title} />
      </PageHeader>
      <div className="statistics-filters">
        <DayRange value={search} shown={query.data} onChange={setSearch} />
        <FilterBar
          values={search}
          onChange={setSearch}
          fields={[
            {
              kind: 'choice',
              name: 'level',
              label: t(($) => $.level),
              options: [
                { value: '2', label: t(($) => $.onlyAlarms) },
                { value: '1', label: t(($) => $.onlyEarly) },
              ],
            },
            choiceOf(
              'severity',
              t(($) => $.severity),
              ['1', '2', '3', '4'] as const,
              (value) => tc(($) => $.severity[value]),
            ),
            {
              kind: 'choice',
              name: 'typeNumber',
              label: t(($) => $.type),
              searchable: true,
              options: Object.entries(alarmNames[i18n.language as Language] ?? {}).map(([value, label]) => ({
                value,
                label,
              })),
            },
          ]}
        />
      </div>
      <DataState query={query} rows={12}>
        {(statistics) => (
          <>
            <p className="print-only">
              {formats.day(statistics.first_day)} – {formats.day(statistics.last_day)}
            </p>
            {statistics.total.raised === 0 && (
              <p className="empty-notice">
                {t(($) => (Date.parse(statistics.from) > Date.now() ? $.future : $.none))}
              </p>
            )}
            <View statistics={statistics} linkOf={listLinkOf(statistics, search, project?.id)} />
            <p className="soft">{t(($) => $.zone, { zone: statistics.zone })}</p>
            {/* Drawn together with the figures, because it would move when they appear above it. */}
            {below}
          </>
        )}
      </DataState>
      {query.error && !query.data && below}
    </>
  );
};

export const AlarmStatisticsPage = ({ project }: OfProject) => (
  <StatisticsPage view="counts" project={project} />
);
export const AlarmAnalysisPage = ({ project, below }: OfProject & { below?: ReactNode }) => (
  <StatisticsPage view="analysis" project={project} below={below} />
);
