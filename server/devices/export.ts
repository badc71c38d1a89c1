import { deviceColumns, deviceTypeWords, sheetNames, statusWords } from '#contract/columns.ts';
import type { Language } from '#contract/languages.ts';
import type { DeviceType } from '#contract/telemetry.ts';
import type { Cell, SheetColumn } from '#server/core/spreadsheet.ts';
import { sheetOf } from '#server/core/table.ts';
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

const cellOf = (row: DeviceRow, column: Column, language: Language): Cell => {
  if (column === 'type') return deviceTypeWords[row.type as DeviceType][language];
  if (column === 'status') return statusWords[row.status][language];
  const value = row[column];
  const kind = kinds[column];
  return value !== null && (kind === 'instant' || kind === 'date') ? new Date(value) : value;
};

export const deviceSheet = sheetOf(sheetNames.devices, deviceColumns, kinds, cellOf);
