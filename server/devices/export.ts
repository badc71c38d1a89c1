import { deviceColumns, deviceTypeWords, sheetNames, statusWords } from '#contract/columns.ts';
import type { Language } from '#contract/languages.ts';
import type { DeviceType } from '#contract/telemetry.ts';
import type { Cell, Sheet, SheetColumn } from '#server/core/spreadsheet.ts';
import type { DeviceRow } from './devices.store.ts';

type Column = keyof typeof deviceColumns;
const kinds: Partial<Record<Column, NonNullable<SheetColumn['kind']>>> = {
  last_seen: 'instant',
  registered_at: 'instant',
  expires_on: 'date',
  signal: 'number',
  lines: 'number',
  lines_closed: 'number',
  alarms: 'number',
};
const names = Object.keys(deviceColumns) as Column[];

const cellOf = (row: DeviceRow, column: Column, language: Language): Cell => {
  if (column === 'type') return deviceTypeWords[row.type as DeviceType][language];
  if (column === 'status') return statusWords[row.status][language];
  const value = row[column];
  const kind = kinds[column];
  return value !== null && (kind === 'instant' || kind === 'date') ? new Date(value) : value;
};

export const deviceSheet = (rows: AsyncIterable<DeviceRow>, language: Language, zone: string): Sheet => ({
  name: sheetNames.devices[language],
  zone,
  columns: names.map((column) => ({
    header: deviceColumns[column][language],
    kind: kinds[column] ?? 'text',
  })),
  rows: (async function* () {
    for await (const row of rows) yield names.map((column) => cellOf(row, column, language));
  })(),
});
