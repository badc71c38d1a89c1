import { ApartmentOutlined, CheckOutlined, PauseOutlined, UndoOutlined } from '@ant-design/icons';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import type { AlarmRow } from '#contract/alarms.ts';
import { useFormats } from '#web/i18n/format.ts';
import { PathLink } from '#web/parts/PathLink.tsx';
import { paths } from '#web/parts/paths.ts';
import type { DataColumn } from '#web/parts/table/types.ts';
import { AlarmLevel } from '#web/values/AlarmLevel.tsx';
import { AlarmTypeIcon } from '#web/values/AlarmTypeIcon.tsx';
import { AlarmTypeName } from '#web/values/AlarmTypeName.tsx';
import { LastSeen } from '#web/values/LastSeen.tsx';
import { Severity } from '#web/values/Severity.tsx';
import { TimeText } from '#web/values/TimeText.tsx';
import { AlarmValue } from '../AlarmValue.tsx';

/** Shows on one line whether the alarm was handled and whether it is still active. */
const Standing = ({ row }: { row: AlarmRow }) => {
  const { t } = useTranslation('alarms');
  const formats = useFormats();
  const condition = row.reset_needed
    ? t(($) => $.queue.resetNeeded)
    : t(($) => (row.active ? $.standing.active : $.standing.ended));
  const shelved = row.shelved && t(($) => $.shelve.until, { time: formats.time(row.shelved.until) });
  return (
    <span title={[t(($) => $.status[row.status]), condition, shelved].filter(Boolean).join(' · ')}>
      {row.status === 'processed' && (
        <>
          <CheckOutlined aria-hidden />{' '}
          <span className="queue-handled">{t(($) => $.status.processed)} · </span>
        </>
      )}
      {row.reset_needed && <UndoOutlined aria-hidden />} {shelved ? <PauseOutlined aria-hidden /> : null}{' '}
      {shelved ?? condition}
    </span>
  );
};

/** The cells of the queue. Names take two lines at most; the title and the incident view show them whole. */
export const useQueueColumns = (ofProject: boolean): readonly DataColumn<AlarmRow>[] => {
  const { t } = useTranslation('alarms');
  return useMemo(() => {
    const columns: DataColumn<AlarmRow>[] = [
      {
        key: 'severity',
        title: t(($) => $.filter.severity),
        required: true,
        render: (row) => <Severity severity={row.severity} />,
      },
      {
        key: 'type',
        title: t(($) => $.column.type),
        required: true,
        render: (row) => (
          <>
            <AlarmTypeIcon code={row.typeNumber} size={16} />{' '}
            <span className="queue-type-name">
              <AlarmTypeName code={row.typeNumber} />
              {row.phase && <span className="soft"> {row.phase.toUpperCase()}</span>}
              {row.count > 1 && <span className="queue-count soft tabular"> ×{row.count}</span>}
              {row.explains > 0 && (
                <span className="queue-explains" title={t(($) => $.queue.explains, { count: row.explains })}>
                  {' '}
                  <ApartmentOutlined aria-hidden /> +{row.explains}
                </span>
              )}
            </span>
          </>
        ),
      },
      {
        key: 'level',
        title: t(($) => $.column.level),
        render: (row) => <AlarmLevel level={row.level} />,
      },
      {
        key: 'device',
        title: t(($) => $.column.device),
        render: (row) =>
          row.device_id === 0 ? (
            t(($) => $.wholeProject)
          ) : (
            <span className="short-text">
              <PathLink to={paths.line(row)} className="tabular" tabIndex={-1}>
                {row.device_number}
              </PathLink>
              {row.line_name && ` · ${row.line_name}`}
            </span>
          ),
      },
      {
        key: 'project',
        title: t(($) => $.column.project),
        render: (row) =>
          row.project_id === null ? (
            '—'
          ) : (
            <span className="short-text">
              <PathLink to={paths.project('earlywarning', row.project_id)} tabIndex={-1}>
                {row.project_name}
              </PathLink>
            </span>
          ),
      },
      {
        key: 'value',
        title: t(($) => $.column.value),
        align: 'right',
        render: (row) => <AlarmValue row={row} />,
      },
      {
        key: 'age',
        title: t(($) => $.column.age),
        sort: 'time',
        align: 'right',
        render: (row) => <LastSeen at={row.time} />,
      },
      { key: 'status', title: t(($) => $.column.status), render: (row) => <Standing row={row} /> },
      {
        key: 'time',
        title: t(($) => $.column.time),
        hidden: true,
        render: (row) => <TimeText at={row.time} />,
      },
      {
        key: 'address',
        title: t(($) => $.column.address),
        hidden: true,
        render: (row) => row.address || '—',
      },
      {
        key: 'work_order',
        title: t(($) => $.column.workOrder),
        hidden: true,
        render: (row) => <span className="tabular">{row.work_order}</span>,
      },
      {
        key: 'processing',
        title: t(($) => $.column.processing),
        hidden: true,
        render: (row) => row.processing_content ?? '—',
      },
    ];
    return columns.filter(({ key }) => !ofProject || key !== 'project');
  }, [t, ofProject]);
};
