import { alarmColumns } from './alarm-columns.ts';
import { alarmName, levelNames } from './alarm-names.ts';
import { alarmUnit } from './alarm-units.ts';
import type { AlarmLogRow } from './alarms.ts';
import { words } from './languages.ts';
import type { TableSheet } from './sheet.ts';
import { unitIn } from './unit-words.ts';

const reasons = {
  short: words('瞬时即逝', 'shorter than two seconds', 'длился мгновение'),
  off: words('类型已停用', 'type disabled', 'тип выведен'),
  late: words(
    '设备离线期间发生',
    'happened while the device was offline',
    'произошло, пока устройство было не в сети',
  ),
};
/** Rounded to the precision of the alarm type's unit. */
const rounded = (row: AlarmLogRow, value: number | null): number | null =>
  value === null ? null : Number(value.toFixed(alarmUnit(row).decimals));

export const alarmLogSheet: TableSheet<AlarmLogRow> = {
  name: words('报警日志', 'Alarm log', 'Журнал сигналов'),
  columns: [
    { header: alarmColumns.time, kind: 'instant', cell: ({ time }) => new Date(time) },
    {
      header: alarmColumns.cleared_time,
      kind: 'instant',
      cell: ({ ended_time }) => ended_time && new Date(ended_time),
    },
    { header: alarmColumns.type, cell: ({ typeNumber }, language) => alarmName(language, typeNumber) },
    { header: alarmColumns.level, cell: ({ level }, language) => levelNames[language][level === 1 ? 1 : 2] },
    {
      header: words('未列入的原因', 'Why not in the list', 'Почему не в списке'),
      cell: ({ reason }, language) => reasons[reason][language],
    },
    { header: alarmColumns.project_name, cell: ({ project_name }) => project_name },
    { header: alarmColumns.device_number, cell: ({ device_number }) => device_number },
    { header: alarmColumns.line_name, cell: ({ line_name }) => line_name },
    { header: alarmColumns.phase, cell: ({ phase }) => phase.toUpperCase() },
    { header: alarmColumns.value, kind: 'number', cell: (row) => rounded(row, row.value) },
    { header: alarmColumns.threshold, kind: 'number', cell: (row) => rounded(row, row.threshold) },
    { header: alarmColumns.unit, cell: (row, language) => unitIn(alarmUnit(row).unit, language) },
  ],
};
