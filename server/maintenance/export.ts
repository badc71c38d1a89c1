import type { Language } from '#contract/languages.ts';
import type { MaintenanceRow } from '#contract/maintenance.ts';
import {
  maintenanceColumns,
  maintenanceKindWords,
  maintenanceSheetName,
} from '#contract/maintenance-words.ts';
import type { Cell, Sheet } from '#server/core/spreadsheet.ts';

type Column = keyof typeof maintenanceColumns;
const columns = Object.keys(maintenanceColumns) as Column[];

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

export const maintenanceSheet = (
  rows: AsyncIterable<MaintenanceRow>,
  language: Language,
  zone: string,
): Sheet => ({
  name: maintenanceSheetName[language],
  zone,
  columns: columns.map((column) => ({
    header: maintenanceColumns[column][language],
    kind: column === 'maintenance_time' ? 'instant' : 'text',
  })),
  rows: (async function* () {
    for await (const row of rows) yield columns.map((column) => cellOf(row, column, language));
  })(),
});
