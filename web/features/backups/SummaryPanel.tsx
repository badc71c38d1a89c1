import { useQuery } from '@tanstack/react-query';
import { Alert } from 'antd';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { backupEndpoints } from '#contract/backups.ts';
import type { ReplyOf } from '#contract/endpoint.ts';
import { endpointQuery } from '#web/api/query.ts';
import { useFormats } from '#web/i18n/format.ts';
import { DataState } from '#web/parts/DataState.tsx';
import { TimeText } from '#web/values/TimeText.tsx';
import { useBytes } from '#web/values/use-bytes.ts';

type Summary = ReplyOf<typeof backupEndpoints.summary>;
const summaryQuery = endpointQuery(backupEndpoints.summary, {});

/** When everything was last backed up and last proved, and the free space. */
export const SummaryPanel = () => {
  const query = useQuery(summaryQuery);
  return (
    <DataState query={query} waiting={<Figures summary={undefined} />}>
      {(summary) => <Figures summary={summary} />}
    </DataState>
  );
};

/** Figures that are not loaded yet are dashes, so that the panel has its height at once. */
const Figures = ({ summary }: { summary: Summary | undefined }) => {
  const { t } = useTranslation('backups');
  const { number, interval, dateTime } = useFormats();
  const bytes = useBytes();
  const drill = summary?.last_drill;
  const moment = (at: string | null | undefined) =>
    at === undefined ? '—' : at === null ? t(($) => $.summary.never) : <TimeText at={at} />;
  const next = (at: string | null | undefined) =>
    at === null
      ? t(($) => $.summary.off)
      : t(($) => $.summary.next, { at: at === undefined ? '—' : dateTime(at) });
  return (
    <>
      {drill && !drill.passed && (
        <Alert
          type="error"
          showIcon
          className="backup-notice"
          title={t(($) => $.summary.drillFailed, { message: drill.message ?? '' })}
          description={
            <>
              {drill.backup} · <TimeText at={drill.at} />
            </>
          }
        />
      )}
      <dl className="backup-summary">
        <Figure
          label={t(($) => $.summary.lastBackup)}
          value={moment(summary && (summary.last_backup?.at ?? null))}
          note={next(summary?.next_backup_at)}
        />
        <Figure
          label={t(($) => $.summary.proved)}
          value={moment(summary?.proved_at)}
          note={
            drill?.passed
              ? `${t(($) => $.summary.drillRows, { rows: number(drill.rows), time: interval(drill.seconds) })} · ${next(summary?.next_drill_at)}`
              : next(summary?.next_drill_at)
          }
        />
        <Figure
          label={t(($) => $.summary.shelf)}
          value={summary ? bytes(summary.backups_bytes) : '—'}
          note={
            summary
              ? `${t(($) => $.summary.shelf_files, { count: summary.backups })} · ${t(($) => $.summary.free, { size: bytes(summary.free_bytes) })}`
              : '—'
          }
        />
      </dl>
    </>
  );
};

const Figure = ({ label, value, note }: { label: string; value: ReactNode; note: string }) => (
  <div>
    <dt>{label}</dt>
    <dd>
      <strong className="tabular">{value}</strong>
      <span className="soft">{note}</span>
    </dd>
  </div>
);
