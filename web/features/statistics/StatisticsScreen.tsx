import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { useCan } from '#web/api/session.ts';
import { DataState, FaultNotice } from '#web/parts/DataState.tsx';
import { PageHeader } from '#web/parts/PageHeader.tsx';
import { PathLink } from '#web/parts/PathLink.tsx';
import { PrintButton } from '#web/parts/PrintButton.tsx';
import { paths } from '#web/parts/paths.ts';
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
  const { none, fault, setSearch } = place;
  const head = query.data?.head;
  return (
    <>
      <PageHeader title={project ? `${project.name} · ${name}` : name}>
        <PrintButton />
        {tools}
        {exportButton(`${name} ${head?.name ?? ''} ${head?.first_day ?? ''}`)}
      </PageHeader>
      <RangeBar place={place} shown={head} withUnit={withUnit} {...(project ? { project } : {})}>
        {range}
      </RangeBar>
      {fault ? (
        <FaultNotice error={fault.error} onRetry={fault.retry} />
      ) : none ? (
        <NoProject />
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

/** Who may add a project is led there; others learn who assigns them. */
const NoProject = () => {
  const { t } = useTranslation('statistics');
  if (!useCan('project.create')) return <p className="empty-notice">{t(($) => $.noProject)}</p>;
  return (
    <div className="empty-notice">
      <p>{t(($) => $.noProjectYet)}</p>
      <PathLink to={paths.projectList()}>{t(($) => $.toProjects)}</PathLink>
    </div>
  );
};
