import type { AlarmTypeRow } from './alarm-types.ts';
import { deviceTypeText } from './columns.ts';
import { type Words, words } from './languages.ts';
import type { TableSheet } from './sheet.ts';
import { unitIn } from './unit-words.ts';

const severities: Readonly<Record<number, Words>> = {
  1: words('紧急', 'critical', 'критическая'),
  2: words('高', 'high', 'высокая'),
  3: words('中', 'medium', 'средняя'),
  4: words('低', 'low', 'низкая'),
};
const ends = {
  latched: words('复位后', 'after a reset', 'после сброса'),
  byItself: words('自动', 'automatically', 'автоматически'),
};
const judges = {
  server: words('服务器和设备', 'server and device', 'сервер и устройство'),
  device: words('设备', 'device', 'устройство'),
};
const states = { enabled: words('启用', 'On', 'Введён'), disabled: words('停用', 'Off', 'Выведен') };

export const alarmTypeSheet: TableSheet<AlarmTypeRow> = {
  name: words('报警类型', 'Alarm types', 'Типы сигналов'),
  columns: [
    { header: words('编号', 'Number', 'Номер'), kind: 'number', cell: ({ typeNumber }) => typeNumber },
    { header: words('类型', 'Type', 'Тип'), cell: ({ name }) => name },
    {
      header: words('严重度', 'Severity', 'Важность'),
      cell: ({ severity }, language) => severities[severity]?.[language] ?? String(severity),
    },
    { header: words('单位', 'Unit', 'Единица'), cell: ({ unit }, language) => unitIn(unit, language) },
    {
      header: words('起始延时（秒）', 'On-delay (s)', 'Выдержка появления (с)'),
      kind: 'number',
      cell: ({ on_delay_s }) => on_delay_s,
    },
    {
      header: words('消除延时（秒）', 'Off-delay (s)', 'Выдержка снятия (с)'),
      kind: 'number',
      cell: ({ off_delay_s }) => off_delay_s,
    },
    {
      header: words('结束方式', 'Clears', 'Снимается'),
      cell: ({ latched }, language) => ends[latched ? 'latched' : 'byItself'][language],
    },
    {
      header: words('判定方', 'Evaluated by', 'Определяет'),
      cell: ({ core }, language) => judges[core ? 'server' : 'device'][language],
    },
    {
      header: words('设备类型', 'Device types', 'Типы устройств'),
      cell: ({ device_types }, language) =>
        device_types.map((type) => deviceTypeText(type, language)).join('; '),
    },
    { header: words('状态', 'Status', 'Контроль'), cell: ({ status }, language) => states[status][language] },
  ],
};
