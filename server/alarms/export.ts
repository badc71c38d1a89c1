import {
  alarmColumns,
  alarmConditionWords,
  alarmSheetName,
  alarmStatusWords,
} from '#contract/alarm-columns.ts';
import { alarmName, levelNames } from '#contract/alarm-names.ts';
import type { AlarmRow } from '#contract/alarms.ts';
import type { Language } from '#contract/languages.ts';
import type { Cell, SheetColumn } from '#server/core/spreadsheet.ts';
import { sheetOf } from '#server/core/table.ts';

type Column = keyof typeof alarmColumns;
const kinds: Partial<Record<Column, NonNullable<SheetColumn['kind']>>> = {
  time: 'instant',
  cleared_time: 'instant',
  processed_at: 'instant',
  value: 'number',
  peak: 'number',
  threshold: 'number',
  count: 'number',
};

/** Rounded to the precision of the alarm's unit, which all three share. */
const rounded = (value: number | null, decimals: number) =>
  value === null ? null : Number(value.toFixed(decimals));

const cellOf = (row: AlarmRow, column: Column, language: Language): Cell => {
  switch (column) {
    case 'type':
      return alarmName(language, row.typeNumber);
    case 'level':
      return levelNames[language][row.level === 1 ? 1 : 2];
    case 'status':
      return alarmStatusWords[row.status][language];
    case 'condition':
      return alarmConditionWords[row.reset_needed ? 'reset_needed' : row.active ? 'active' : 'ended'][
        language
      ];
    case 'phase':
      return row.phase.toUpperCase();
    case 'value':
    case 'peak':
    case 'threshold':
      return rounded(row[column], row.decimals);
    case 'unit':
      return row.unit;
    default: {
      const value = row[column];
      return value !== null && kinds[column] === 'instant' ? new Date(value) : value;
    }
  }
};

export const alarmSheet = sheetOf(alarmSheetName, alarmColumns, kinds, cellOf);
