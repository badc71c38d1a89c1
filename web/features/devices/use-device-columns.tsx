import { useTranslation } from 'react-i18next';
import { PathLink } from '#web/parts/PathLink.tsx';
import { paths } from '#web/parts/paths.ts';
import type { DataColumn } from '#web/parts/table/types.ts';
import { AlarmLevel } from '#web/values/AlarmLevel.tsx';
import { DeviceTypeName } from '#web/values/DeviceTypeName.tsx';
import { LastSeen } from '#web/values/LastSeen.tsx';
import { OnlineBadge } from '#web/values/OnlineBadge.tsx';
import { Signal } from '#web/values/Signal.tsx';
import { TimeText } from '#web/values/TimeText.tsx';
import { type DeviceRow, switchedLines } from './devices.query.ts';

export const useDeviceColumns = (): readonly DataColumn<DeviceRow>[] => {
  const { t } = useTranslation('devices');
  return [
    {
      key: 'number',
      title: t(($) => $.column.number),
      sort: 'number',
      required: true,
      render: (row) => (
        <PathLink to={paths.device(row.device_id)} className="tabular">
          {row.number}
        </PathLink>
      ),
    },
    { key: 'name', title: t(($) => $.column.name), wraps: 'name', sort: 'name', render: (row) => row.name },
    {
      key: 'status',
      title: t(($) => $.column.status),
      sort: 'status',
      card: 'state',
      render: (row) => <OnlineBadge online={row.status === 'online'} />,
    },
    {
      key: 'alarms',
      title: t(($) => $.column.alarms),
      render: (row) =>
        row.alarms === 0 ? (
          <span className="soft tabular">0</span>
        ) : (
          <PathLink
            to={paths.alarmList({ device_id: row.device_id, status: 'unprocessed' })}
            className="nowrap"
          >
            <AlarmLevel level={row.worst} compact /> {row.alarms}
          </PathLink>
        ),
    },
    {
      key: 'lines',
      title: t(($) => $.column.lines),
      wraps: true,
      width: 112,
      render: (row) => (
        <PathLink to={paths.device(row.device_id, { tab: 'lines' })} className="tabular">
          <LinePositions row={row} />
        </PathLink>
      ),
    },
    {
      key: 'project',
      title: t(($) => $.column.project),
      wraps: 'name',
      render: (row) =>
        row.bound ? [row.project_name, row.part_name].filter(Boolean).join(' · ') : t(($) => $.bound.no),
    },
    {
      key: 'last_seen',
      title: t(($) => $.column.lastSeen),
      wraps: true,
      sort: 'last_seen',
      render: (row) => <LastSeen at={row.last_seen} />,
    },
    {
      key: 'type',
      title: t(($) => $.column.type),
      wraps: true,
      sort: 'type',
      render: (row) => <DeviceTypeName type={row.type} />,
    },
    {
      key: 'signal',
      title: t(($) => $.column.signal),
      render: (row) => <Signal dBm={row.signal} stale={row.status === 'offline'} />,
    },
    { key: 'version', title: t(($) => $.column.version), hidden: true, render: (row) => row.version || '—' },
    {
      key: 'model',
      title: t(($) => $.column.model),
      wraps: true,
      hidden: true,
      render: (row) => row.model || '—',
    },
    {
      key: 'address',
      title: t(($) => $.column.address),
      wraps: 'text',
      hidden: true,
      render: (row) => row.address || '—',
    },
    {
      key: 'registered',
      title: t(($) => $.column.registered),
      sort: 'registered_at',
      hidden: true,
      render: (row) => <TimeText at={row.registered_at} kind="date" />,
    },
    {
      key: 'expires',
      title: t(($) => $.column.expires),
      hidden: true,
      render: (row) => <TimeText at={row.expires_on} kind="day" />,
    },
  ];
};

/** Number of closed lines by fresh reports; for the others the last report, and when. */
const LinePositions = ({ row }: { row: DeviceRow }) => {
  const { t } = useTranslation('devices');
  const { lines_closed, lines_unknown, lines_last_closed, position_at } = row;
  const switched = switchedLines(row);
  if (switched === 0) return t(($) => $.measured, { count: row.lines });
  if (lines_unknown === switched && position_at === null)
    return <span className="soft">{t(($) => $.neverReported)}</span>;
  return (
    <>
      {lines_unknown < switched && t(($) => $.closedOf, { closed: lines_closed, lines: switched })}
      {lines_unknown > 0 && lines_unknown < switched && ' · '}
      {lines_unknown > 0 && (
        <span className="is-stale">
          {t(($) => $.linesUnknown, { unknown: lines_unknown })}
          {position_at !== null && (
            <>
              {' · '}
              {t(($) => $.lastClosed, { closed: lines_last_closed })} <LastSeen at={position_at} />
            </>
          )}
        </span>
      )}
    </>
  );
};
