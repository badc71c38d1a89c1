import type { Language } from '#contract/languages.ts';
import type { MaintenanceRow } from '#contract/maintenance.ts';
import {
  maintenanceColumns,
  maintenanceKindWords,
  maintenanceSheetName,
} from '#contract/maintenance-words.ts';
import type { Cell } from '#server/core/spreadsheet.ts';
import { sheetOf } from '#server/core/table.ts';

type Column = keyof typeof maintenanceColumns;

const cellOf = (row: MaintenanceRow, column: Column, language: Language): Cell => {
  switch (column) {
    case 'maintenance_time':
      return new Date(row.maintenance_time);
    case 'kind':
      return maintenanceKindWords[row.kind][language];
    case 'lines':
      return row.lines.map(({ n, name }) => name || String(n)).join(', ');
    case 'alarms':
      return row.alarms.map(({ work_order }) => work_order).join(', ');
    default:
      return row[column];
  }
};

export const maintenanceSheet = sheetOf(
  maintenanceSheetName,
  maintenanceColumns,
  { maintenance_time: 'instant' },
  cellOf,
);
