import type { Language } from '#contract/languages.ts';
import type { OperationRow } from '#contract/operation-log.ts';
import { operationColumns, operationOutcomes, operationSheetName } from '#contract/operation-words.ts';
import type { Cell, Sheet, SheetColumn } from '#server/core/spreadsheet.ts';

type Column = keyof typeof operationColumns;
const columns = Object.keys(operationColumns) as Column[];
const kinds: Partial<Record<Column, NonNullable<SheetColumn['kind']>>> = {
  id: 'number',
  time: 'instant',
  code: 'number',
};

const cellOf = (row: OperationRow, column: Column, language: Language): Cell => {
  switch (column) {
    case 'time':
      return new Date(row.time);
    case 'outcome':
      return operationOutcomes[row.outcome][language];
    case 'parameters':
      return JSON.stringify(row.parameters);
    default:
      return row[column];
  }
};

/** The operation log as a sheet in the reader's language, read row by row. */
export const operationSheet = (
  rows: AsyncIterable<OperationRow>,
  language: Language,
  zone: string,
): Sheet => ({
  name: operationSheetName[language],
  zone,
  columns: columns.map((column) => ({
    header: operationColumns[column][language],
    kind: kinds[column] ?? 'text',
  })),
  rows: (async function* () {
    for await (const row of rows) yield columns.map((column) => cellOf(row, column, language));
  })(),
});
