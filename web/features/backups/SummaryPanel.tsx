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
    <DataState query={query} rows={2} height="7rem">
      {(summary) => <Figures summary={summary} />}
    </DataState>
  );
};

const Figures = ({ summary }: { summary: Summary }) => {
  const { t } = useTranslation('backups');
  const { number, interval, dateTime } = useFormats();
  const bytes = useBytes();
  const { last_backup, last_drill, proved_at } = summary;
  const next = (at: string | null) =>
    at === null ? t(($) => $.summary.off) : t(($) => $.summary.next, { at: dateTime(at) });
  return (
    <>
      {last_drill && !last_drill.passed && (
        <Alert
          type="error"
          showIcon
          className="backup-notice"
          title={t(($) => $.summary.drillFailed, { message: last_drill.message ?? '' })}
          description={
            <>
              {last_drill.backup} · <TimeText at={last_drill.at} />
            </>
          }
        />
      )}
      <dl className="backup-summary">
        <Figure
          label={t(($) => $.summary.lastBackup)}
          value={last_backup ? <TimeText at={last_backup.at} /> : t(($) => $.summary.never)}
          note={next(summary.next_backup_at)}
        />
        <Figure
          label={t(($) => $.summary.proved)}
          value={proved_at ? <TimeText at={proved_at} /> : t(($) => $.summary.never)}
          note={
            last_drill?.passed
              ? `${t(($) => $.summary.drillRows, { rows: number(last_drill.rows), time: interval(last_drill.seconds) })} · ${next(summary.next_drill_at)}`
              : next(summary.next_drill_at)
          }
        />
        <Figure
          label={t(($) => $.summary.shelf)}
          value={bytes(summary.backups_bytes)}
          note={`${t(($) => $.summary.shelf_files, { count: summary.backups })} · ${t(($) => $.summary.free, { size: bytes(summary.free_bytes) })}`}
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
