import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { DataState, FaultNotice } from '#web/parts/DataState.tsx';
import { PageHeader } from '#web/parts/PageHeader.tsx';
import { PrintButton } from '#web/parts/PrintButton.tsx';
import { Head, type StatisticsHead } from './Head.tsx';
import { RangeBar } from './RangeBar.tsx';
import './statistics.css';
import type { OfProject, StatisticsPlace } from './use-target.ts';

/** The common parts of the statistics screens: title, buttons, target and period. `children` shows the answer. */
export const StatisticsScreen = <Found extends { head: StatisticsHead }>({
  place,
  project,
  name,
  query,
  totalOf,
  tools,
  exportButton,
  withUnit = false,
  range,
  children,
}: OfProject & {
  place: StatisticsPlace;
  name: string;
  query: UseQueryResult<Found>;
  totalOf: (found: Found) => Parameters<typeof Head>[0]['total'];
  tools?: ReactNode;
  exportButton: (fileName: string) => ReactNode;
  withUnit?: boolean;
  /** Further choices beside the period. */
  range?: ReactNode;
  children: (found: Found) => ReactNode;
}) => {
  const { t } = useTranslation('statistics');
  const { ready, none, fault, setSearch } = place;
  const head = query.data?.head;
  return (
    <>
      <PageHeader title={project ? `${project.name} · ${name}` : name}>
        <PrintButton />
        {tools}
        {ready && exportButton(`${name} ${head?.name ?? ''} ${head?.first_day ?? ''}`)}
      </PageHeader>
      <RangeBar place={place} shown={head} withUnit={withUnit} {...(project ? { project } : {})}>
        {range}
      </RangeBar>
      {fault ? (
        <FaultNotice error={fault.error} onRetry={fault.retry} />
      ) : none ? (
        <p className="empty-notice">{t(($) => $.noProject)}</p>
      ) : (
        <DataState query={query} rows={12}>
          {(found) => (
            <>
              <Head head={found.head} total={totalOf(found)} onAddress={setSearch} />
              {children(found)}
            </>
          )}
        </DataState>
      )}
    </>
  );
};
