import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { backupEndpoints, type MaintenanceJob, maintenanceKinds } from '#contract/backups.ts';
import { filled } from '#web/api/filled.ts';
import { keptQuery } from '#web/api/query.ts';
import { useFormats } from '#web/i18n/format.ts';
import { ExportButton } from '#web/parts/ExportButton.tsx';
import { choiceOf } from '#web/parts/filter-types.ts';
import { DataTable } from '#web/parts/table/DataTable.tsx';
import type { DataColumn } from '#web/parts/table/types.ts';
import type { SetUrl } from '#web/parts/url-state.ts';
import { TimeText } from '#web/values/TimeText.tsx';
import { useBytes } from '#web/values/use-bytes.ts';
import { type BackupSearch, idOf } from './backup-search.ts';

/** What a restore did not give back, and its words. */
const heldBack = [
  ['accounts_off', 'accountsOff'],
  ['timers_off', 'timersOff'],
  ['devices_tagged', 'devicesTagged'],
  ['devices_moved', 'devicesMoved'],
  ['settings_withdrawn', 'settingsWithdrawn'],
  ['rollouts_paused', 'rolloutsPaused'],
] as const;

/** Result of a job, one line each. */
const Outcome = ({ job: { kind, state, message, result } }: { job: MaintenanceJob }) => {
  const { t } = useTranslation('backups');
  const { number } = useFormats();
  const bytes = useBytes();
  if (message !== null) return <span className="backup-lines">{message}</span>;
  if (state !== 'done') return <span className="soft">—</span>;
  const { rows, bytes: size, findings, snapshot, log_kept } = result;
  const { tags_kept = 0, inspections_kept = 0, tags_lost = [], projects_tagged = 0 } = result;
  const lines = [
    ...(rows === undefined ? [] : [t(($) => $.job.rows, { rows: number(rows) })]),
    ...(size === undefined ? [] : [bytes(size)]),
    ...(snapshot === undefined ? [] : [t(($) => $.job.snapshot, { name: snapshot })]),
    ...(log_kept ? [t(($) => $.job.logKept)] : []),
    ...(tags_kept > 0 ? [t(($) => $.job.tagsKept, { tags: number(tags_kept) })] : []),
    ...(inspections_kept > 0 ? [t(($) => $.job.inspectionsKept, { lines: number(inspections_kept) })] : []),
    ...(projects_tagged > 0 ? [t(($) => $.job.projectsTagged, { projects: number(projects_tagged) })] : []),
    ...(tags_lost.length > 0 ? [t(($) => $.job.tagsLost, { devices: tags_lost.join(', ') })] : []),
    ...(result.accounts === 'restored' ? [t(($) => $.job.accountsRestored)] : []),
    ...(result.accounts === 'kept' ? [t(($) => $.job.accountsKept)] : []),
    ...heldBack.flatMap(([key, word]) => {
      const count = result[key] ?? 0;
      return count > 0 ? [t(($) => $.job[word], { amount: number(count) })] : [];
    }),
    ...(kind === 'repair' && findings?.length === 0 ? [t(($) => $.job.noFindings)] : []),
    ...(findings ?? []).map(({ table, constraint, rows: count }) =>
      t(($) => $.job.finding, { table, constraint, count }),
    ),
  ];
  return (
    <span className="backup-lines">
      {lines.map((line) => (
        <span key={line}>{line}</span>
      ))}
    </span>
  );
};

const useJobColumns = (): DataColumn<MaintenanceJob>[] => {
  const { t } = useTranslation('backups');
  const { interval } = useFormats();
  const took = ({ started_at, ended_at }: MaintenanceJob) =>
    started_at && ended_at ? interval((Date.parse(ended_at) - Date.parse(started_at)) / 1000) : '—';
  return [
    {
      key: 'kind',
      title: t(($) => $.job.what),
      required: true,
      card: 'title',
      render: ({ kind }) => t(($) => $.job.kind[kind]),
    },
    {
      key: 'state',
      title: t(($) => $.job.stateTitle),
      card: 'state',
      render: ({ state }) =>
        state === 'failed' ? <strong>{t(($) => $.job.state[state])}</strong> : t(($) => $.job.state[state]),
    },
    {
      key: 'of',
      title: t(($) => $.job.of),
      render: ({ tables, backup }) => (
        <span className="backup-lines">
          {backup && <code>{backup}</code>}
          {tables ? (
            <span title={tables.join('\n')}>
              {tables.slice(0, 3).join(', ') + (tables.length > 3 ? ` +${tables.length - 3}` : '')}
            </span>
          ) : (
            t(($) => $.job.everything)
          )}
        </span>
      ),
    },
    {
      key: 'by',
      title: t(($) => $.job.by),
      render: ({ cause, operator }) => (cause === 'schedule' ? t(($) => $.job.bySchedule) : operator),
    },
    {
      key: 'at',
      title: t(($) => $.job.at),
      sort: 'created_at',
      render: ({ created_at }) => <TimeText at={created_at} />,
    },
    {
      key: 'took',
      title: t(($) => $.job.took),
      align: 'right',
      render: (job) => <span className="tabular">{took(job)}</span>,
    },
    { key: 'outcome', title: t(($) => $.job.outcome), render: (job) => <Outcome job={job} /> },
  ];
};

/** Finished jobs and their results. */
export const JobsTab = ({ search, setSearch }: { search: BackupSearch; setSearch: SetUrl }) => {
  const { t } = useTranslation('backups');
  const columns = useJobColumns();
  const { page, limit, sort, kind } = search;
  const query = useQuery(
    keptQuery(backupEndpoints.jobs, {
      page,
      limit,
      ...filled({ sort, kind }),
    }),
  );
  return (
    <DataTable
      id="database-jobs"
      label={t(($) => $.tabs.jobs)}
      columns={columns}
      rowId={(row) => idOf(row.job_id)}
      rowName={(row) => t(($) => $.job.kind[row.kind])}
      query={query}
      state={search}
      onState={setSearch}
      filters={[
        choiceOf(
          'kind',
          t(($) => $.job.what),
          maintenanceKinds,
          (value) => t(($) => $.job.kind[value]),
        ),
      ]}
      tools={
        <ExportButton
          endpoint={backupEndpoints.exportJobs}
          body={filled({ kind })}
          fileName={t(($) => $.tabs.jobs)}
        />
      }
      empty={t(($) => $.job.empty)}
    />
  );
};
