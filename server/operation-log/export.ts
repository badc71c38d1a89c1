import type { Language } from '#contract/languages.ts';
import type { OperationRow } from '#contract/operation-log.ts';
import { operationColumns, operationOutcomes, operationSheetName } from '#contract/operation-words.ts';
import type { Cell } from '#server/core/spreadsheet.ts';
import { sheetOf } from '#server/core/table.ts';

type Column = keyof typeof operationColumns;
const kinds = { id: 'number', time: 'instant', code: 'number' } as const;

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

export const operationSheet = sheetOf(operationSheetName, operationColumns, kinds, cellOf);
