import { type Words, words } from './languages.ts';
import type { LineTableRow } from './line-table.ts';
import { channelName } from './parameter-names.ts';
import type { TableSheet } from './sheet.ts';
import { type DeviceType, lineChannels } from './telemetry.ts';

const states: Readonly<Record<LineTableRow['state'] | 'meter', Words>> = {
  closed: words('合闸', 'Closed', 'Включена'),
  open: words('分闸', 'Open', 'Отключена'),
  unknown: words('未知', 'Unknown', 'Неизвестно'),
  meter: words('仅监测', 'Measured only', 'Только измерение'),
};
const levels: readonly (Words | null)[] = [
  null,
  words('预警', 'Early warning', 'Предупреждение'),
  words('报警', 'Alarm', 'Аварийный сигнал'),
];
const date = (at: string | null) => (at === null ? null : new Date(at));
const rounded = (value: number | null) => (value === null ? null : Math.round(value * 10) / 10);

/** The table of a project's lines as a spreadsheet. */
export const lineTableSheet: TableSheet<LineTableRow> = {
  name: words('线路', 'Lines', 'Линии'),
  columns: [
    { header: words('设备编号', 'Device number', 'Номер устройства'), cell: (row) => row.device_number },
    { header: words('设备名称', 'Device name', 'Название устройства'), cell: (row) => row.device_name },
    { header: words('区域', 'Part', 'Участок'), cell: (row) => row.part_name },
    { header: words('线路号', 'Line', 'Линия'), kind: 'number', cell: (row) => row.n },
    { header: words('线路名称', 'Line name', 'Название линии'), cell: (row) => row.name },
    { header: words('别名', 'Alias', 'Второе название'), cell: (row) => row.alias },
    { header: words('型号', 'Model', 'Модель'), cell: (row) => row.model },
    {
      header: words('状态', 'State', 'Положение'),
      cell: (row, language) => states[row.switchable ? row.state : 'meter'][language],
    },
    {
      header: words('状态上报时间', 'State reported at', 'Время сообщения о положении'),
      kind: 'instant',
      cell: (row) => date(row.observed_at),
    },
    {
      header: words('跳闸代码', 'Trip code', 'Код отключения защитой'),
      kind: 'number',
      cell: (row) => row.trip || null,
    },
    { header: words('挂牌', 'Lock-out tags', 'Плакаты'), kind: 'number', cell: (row) => row.tags },
    {
      header: words('报警', 'Alarm', 'Сигнал'),
      cell: (row, language) => levels[row.worst]?.[language] ?? null,
    },
    {
      header: words('最接近限值的量', 'Closest to its limit', 'Ближе всего к уставке'),
      cell: ({ closest, device_type }, language) =>
        closest && channelName(closest.channel, lineChannels[device_type as DeviceType], language),
    },
    {
      header: words('接近程度 (%)', 'Closeness (%)', 'Близость (%)'),
      kind: 'number',
      cell: ({ closest }) => rounded(closest?.percent ?? null),
    },
    {
      header: words('测量值', 'Value', 'Значение'),
      kind: 'number',
      cell: ({ closest }) => closest?.value ?? null,
    },
    {
      header: words('限值', 'Limit', 'Уставка'),
      kind: 'number',
      cell: ({ closest }) => closest?.limit ?? null,
    },
    { header: words('电流 (A)', 'Current (A)', 'Ток (А)'), kind: 'number', cell: (row) => row.current },
    {
      header: words('额定电流 (A)', 'Rated current (A)', 'Номинальный ток (А)'),
      kind: 'number',
      cell: (row) => row.rated_current,
    },
    {
      header: words('占额定 (%)', 'Share of rating (%)', 'Доля номинала (%)'),
      kind: 'number',
      cell: (row) => rounded(row.share),
    },
    { header: words('功率 (W)', 'Power (W)', 'Мощность (Вт)'), kind: 'number', cell: (row) => row.power },
    {
      header: words('剩余电流 (mA)', 'Leakage (mA)', 'Ток утечки (мА)'),
      kind: 'number',
      cell: (row) => row.leakage,
    },
    {
      header: words('最高温度 (°C)', 'Highest temperature (°C)', 'Наибольшая температура (°C)'),
      kind: 'number',
      cell: (row) => row.temperature,
    },
    {
      header: words('电压 (V)', 'Voltage (V)', 'Напряжение (В)'),
      kind: 'number',
      cell: (row) => rounded(row.voltage),
    },
    {
      header: words('测量时间', 'Measured at', 'Время измерения'),
      kind: 'instant',
      cell: (row) => date(row.values_at),
    },
  ],
};
