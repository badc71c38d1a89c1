import type { Language, Words } from './languages.ts';

/** How the rows of a list are exported: a header and a cell for each column. */
export interface TableSheet<Row> {
  readonly name: Words;
  readonly columns: readonly {
    readonly header: Words;
    readonly kind?: 'text' | 'number' | 'instant' | 'date';
    readonly cell: (row: Row, language: Language) => string | number | boolean | Date | null;
  }[];
}
