import { useTranslation } from 'react-i18next';
import { PathLink } from '#web/parts/PathLink.tsx';
import { paths } from '#web/parts/paths.ts';
import type { DataColumn } from '#web/parts/table/types.ts';
import { SwitchAction } from '#web/values/SwitchAction.tsx';
import { RunOutcome } from './RunOutcome.tsx';
import { SyncBadge } from './SyncBadge.tsx';
import { TimerDays } from './TimerDays.tsx';
import { TimerSwitch } from './TimerSwitch.tsx';
import { TimerTags } from './TimerTags.tsx';
import type { Timer } from './timers.query.ts';
import { ZonedTime } from './ZonedTime.tsx';

export const useTimerColumns = (): readonly DataColumn<Timer>[] => {
  const { t } = useTranslation('timers');
  return [
    {
      key: 'time',
      title: t(($) => $.field.time),
      sort: 'time',
      required: true,
      render: (row) => (
        <span className="timer-time">
          <strong className="tabular">{row.time}</strong> <SwitchAction action={row.action} />
        </span>
      ),
    },
    {
      key: 'enabled',
      title: t(($) => $.field.enabled),
      card: 'state',
      render: (row) => <TimerSwitch timer={row} />,
    },
    { key: 'days', title: t(($) => $.field.days), wraps: true, render: (row) => <TimerDays timer={row} /> },
    {
      key: 'line',
      title: t(($) => $.field.line),
      wraps: true,
      render: (row) => (
        <>
          <PathLink to={paths.lineList(row.device_id)} className="short-text">
            {row.device_number} · {row.n} · {row.line_name}
          </PathLink>
          <TimerTags tags={row.tags} action={row.action} />
        </>
      ),
    },
    { key: 'project', title: t(($) => $.field.project), wraps: 'name', render: (row) => row.project_name },
    {
      key: 'next',
      title: t(($) => $.field.next),
      sort: 'next_at',
      wraps: true,
      render: (row) => <ZonedTime at={row.next_at} zone={row.time_zone} />,
    },
    {
      key: 'sync',
      title: t(($) => $.field.runBy),
      wraps: true,
      width: 128,
      render: (row) => <SyncBadge timer={row} />,
    },
    {
      key: 'last',
      title: t(($) => $.field.last),
      wraps: true,
      render: (row) =>
        row.last_run === null ? (
          <span className="soft">—</span>
        ) : (
          <span>
            <ZonedTime at={row.last_run.due_at} zone={row.time_zone} /> <RunOutcome run={row.last_run} />
          </span>
        ),
    },
    { key: 'zone', title: t(($) => $.field.zone), hidden: true, render: (row) => row.time_zone },
    { key: 'author', title: t(($) => $.field.author), hidden: true, render: (row) => row.author },
  ];
};
