import { useTranslation } from 'react-i18next';
import type { AlarmRow } from '#contract/alarms.ts';
import { PathLink } from '#web/parts/PathLink.tsx';
import { paths } from '#web/parts/paths.ts';
import type { DataColumn } from '#web/parts/table/types.ts';
import { AlarmLevel } from '#web/values/AlarmLevel.tsx';
import { AlarmTypeIcon } from '#web/values/AlarmTypeIcon.tsx';
import { AlarmTypeName } from '#web/values/AlarmTypeName.tsx';
import { LastSeen } from '#web/values/LastSeen.tsx';
import { Severity } from '#web/values/Severity.tsx';
import { TimeText } from '#web/values/TimeText.tsx';
import { AlarmStanding } from './AlarmStanding.tsx';
import { AlarmValue } from './AlarmValue.tsx';

/** Narrow enough to show name, severity, start and project beside the actions. */
export const useAlarmColumns = (
  onOpen: (id: number) => void,
  ofProject = false,
): readonly DataColumn<AlarmRow>[] => {
  const { t } = useTranslation('alarms');
  return [
    {
      key: 'type',
      title: t(($) => $.column.type),
      required: true,
      card: 'title',
      render: (row) => (
        <button type="button" className="link-button alarm-narrow" onClick={() => onOpen(row.id)}>
          <AlarmTypeIcon code={row.typeNumber} size={18} /> <AlarmTypeName code={row.typeNumber} />
          {row.phase && <span className="soft"> {row.phase.toUpperCase()}</span>}
        </button>
      ),
    },
    {
      key: 'level',
      title: t(($) => $.column.level),
      card: 'state',
      render: (row) => (
        <span className="alarm-standing">
          <AlarmLevel level={row.level} />
          <Severity severity={row.severity} />
        </span>
      ),
    },
    {
      key: 'age',
      title: t(($) => $.column.age),
      sort: 'time',
      render: (row) => (
        <span className="alarm-standing">
          <LastSeen at={row.time} />
          {row.count > 1 && <span className="soft tabular">{t(($) => $.times, { count: row.count })}</span>}
        </span>
      ),
    },
    {
      key: 'time',
      title: t(($) => $.column.time),
      hidden: true,
      render: (row) => <TimeText at={row.time} />,
    },
    { key: 'status', title: t(($) => $.column.status), render: (row) => <AlarmStanding row={row} /> },
    {
      key: 'value',
      title: t(($) => $.column.value),
      align: 'right',
      render: (row) => (
        <span className="alarm-value">
          <AlarmValue row={row} />
        </span>
      ),
    },
    {
      key: 'count',
      title: t(($) => $.column.count),
      hidden: true,
      align: 'right',
      render: (row) => <span className="tabular">{row.count}</span>,
    },
    {
      key: 'device',
      title: t(($) => $.column.device),
      render: (row) => (
        <span className="alarm-standing">
          {row.device_id === 0 ? (
            t(($) => $.wholeProject)
          ) : (
            <span>
              <PathLink to={paths.device(row.device_id)} className="tabular">
                {row.device_number}
              </PathLink>
              {row.line_name && ` · ${row.line_name}`}
            </span>
          )}
          {!ofProject && row.project_id !== null && (
            <PathLink to={paths.project('earlywarning', row.project_id)} className="soft">
              {row.project_name}
            </PathLink>
          )}
        </span>
      ),
    },
    {
      key: 'project',
      title: t(($) => $.column.project),
      hidden: true,
      card: 'none',
      render: (row) => row.project_name || '—',
    },
    { key: 'address', title: t(($) => $.column.address), hidden: true, render: (row) => row.address || '—' },
    {
      key: 'work_order',
      title: t(($) => $.column.workOrder),
      hidden: true,
      card: 'none',
      render: (row) => <span className="tabular">{row.work_order}</span>,
    },
    {
      key: 'processing',
      title: t(($) => $.column.processing),
      hidden: true,
      render: (row) => row.processing_content ?? '—',
    },
  ];
};
