import { useQuery } from '@tanstack/react-query';
import { App, Button, Tag } from 'antd';
import { useTranslation } from 'react-i18next';
import * as z from 'zod';
import { jobCounts, type ScheduledRow, scheduledEndpoints } from '#contract/scheduled.ts';
import { jobWords } from '#contract/scheduled-words.ts';
import { attempt } from '#web/api/attempt.ts';
import { call } from '#web/api/call.ts';
import { endpointQuery, useReload } from '#web/api/query.ts';
import { useFormats } from '#web/i18n/format.ts';
import { currentLanguage } from '#web/i18n/i18n.ts';
import { ExportButton } from '#web/parts/ExportButton.tsx';
import { DataTable } from '#web/parts/table/DataTable.tsx';
import type { DataColumn } from '#web/parts/table/types.ts';
import { listShape, useUrlState } from '#web/parts/url-state.ts';
import { TimeText } from '#web/values/TimeText.tsx';
import { useBytes } from '#web/values/use-bytes.ts';

const search = z.object({ ...listShape, limit: z.coerce.number().int().min(1).max(200).catch(50) });
const refreshMs = 5000;

const JobState = ({ row }: { row: ScheduledRow }) => {
  const { t } = useTranslation('system');
  if (row.state !== 'idle') return <Tag>{t(($) => $.jobs.state[row.state])}</Tag>;
  if (row.outcome === null) return <span className="soft">{t(($) => $.jobs.state.never)}</span>;
  return (
    <Tag {...(row.outcome === 'done' ? {} : { color: 'error' })}>{t(($) => $.jobs.state[row.outcome!])}</Tag>
  );
};

/** All scheduled work: its last run, next due time, and a button to run it now. */
export const JobsTab = () => {
  const { t } = useTranslation('system');
  const { message } = App.useApp();
  const formats = useFormats();
  const bytesOf = useBytes();
  const reload = useReload(scheduledEndpoints.list);
  const language = currentLanguage();
  const [state, setState] = useUrlState(search);
  const query = useQuery({ ...endpointQuery(scheduledEndpoints.list, {}), refetchInterval: refreshMs });
  const list = query.data?.list;
  const shown = { ...query, data: list && { list, total: list.length } };
  // A console that was loaded before an upgrade does not know newer jobs.
  const wordsOf = (row: ScheduledRow) => jobWords[row.name]?.[language] ?? [row.name, ''];
  const nameOf = (row: ScheduledRow) => wordsOf(row)[0];

  const run = async (row: ScheduledRow) => {
    await attempt(async () => {
      await call(scheduledEndpoints.run, { name: row.name });
      void message.success(t(($) => $.jobs.asked, { name: nameOf(row) }));
    });
    await reload();
  };
  const counted = (row: ScheduledRow) =>
    formats.list(
      jobCounts
        .filter((count) => (row.result[count] ?? 0) > 0)
        .map((count) => {
          const value = row.result[count] ?? 0;
          if (count === 'bytes') return bytesOf(value);
          return `${t(($) => $.jobs.counted[count])}${formats.colon}${formats.number(value)}`;
        }),
    );
  const columns: DataColumn<ScheduledRow>[] = [
    {
      key: 'name',
      title: t(($) => $.jobs.name),
      required: true,
      card: 'title',
      render: (row) => (
        <span className="system-job">
          <strong>{nameOf(row)}</strong>
          <span className="soft">{wordsOf(row)[1]}</span>
        </span>
      ),
    },
    { key: 'state', title: t(($) => $.jobs.last), card: 'state', render: (row) => <JobState row={row} /> },
    {
      key: 'result',
      title: t(($) => $.jobs.result),
      render: (row) => <span className="system-result">{row.error ?? (counted(row) || '—')}</span>,
    },
    { key: 'ended', title: t(($) => $.jobs.ended), render: (row) => <TimeText at={row.ended_at} /> },
    {
      key: 'duration',
      title: t(($) => $.jobs.duration),
      align: 'right',
      render: (row) => (row.duration_ms === null ? '—' : formats.interval(row.duration_ms / 1000)),
    },
    { key: 'next', title: t(($) => $.jobs.next), render: (row) => <TimeText at={row.next_at} /> },
    {
      key: 'failures',
      title: t(($) => $.jobs.failures),
      align: 'right',
      hidden: true,
      render: (row) => formats.number(row.failures),
    },
  ];
  return (
    <DataTable
      id="scheduled"
      label={t(($) => $.tab.jobs)}
      columns={columns}
      rowId={(row) => list?.indexOf(row) ?? 0}
      rowName={nameOf}
      query={shown}
      state={state}
      onState={setState}
      tools={<ExportButton endpoint={scheduledEndpoints.export} body={{}} fileName={t(($) => $.tab.jobs)} />}
      actions={(row) => (
        <Button size="small" disabled={row.state !== 'idle'} onClick={() => void run(row)}>
          {t(($) => $.jobs.run)}
        </Button>
      )}
      empty={t(($) => $.jobs.empty)}
    />
  );
};
