import type { Language } from './languages.ts';

export type Words = Readonly<Record<Language, string>>;
export const words = (chinese: string, english: string, russian: string): Words => ({
  'zh-CN': chinese,
  'en-US': english,
  'ru-RU': russian,
});

/** How the rows of a list are exported: a header and a cell for each column. */
export interface TableSheet<Row> {
  readonly name: Words;
  readonly columns: readonly {
    readonly header: Words;
    readonly kind?: 'text' | 'number' | 'instant';
    readonly cell: (row: Row, language: Language) => string | number | Date | null;
  }[];
}
