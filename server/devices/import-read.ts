import { readXlsx } from 'hucre/xlsx';
import { type deviceEndpoints, mostImported } from '#contract/devices.ts';
import type { BodyOf } from '#contract/endpoint.ts';
import { unpacksWithin } from '#server/core/archive.ts';
import { fault } from '#server/core/fault.ts';
import {
  columnOf,
  columnsOf,
  type ImportColumn,
  importColumns,
  type UnreadColumn,
  unseen,
} from './import-headings.ts';
import { cellsOf } from './paste.ts';

type Body = BodyOf<typeof deviceEndpoints.import>;
/** One row as given, every cell as text; `row` is its number in the source, from 1. */
export type Given = { row: number } & Record<ImportColumn, string>;
/** The rows of a list, and its columns that are not imported. */
export interface GivenList {
  rows: Given[];
  unread: UnreadColumn[];
}
type Table = readonly (readonly string[])[];

/**
 * A date in a spreadsheet format with an unambiguous order, including Chinese ones with the characters for
 * year, month and day; other text unchanged.
 */
const dayOf = (text: string): string => {
  const [, year, month, day] = /^(\d{4})[-/.年](\d{1,2})[-/.月](\d{1,2})日?$/.exec(text) ?? [];
  const [, last, middle, first] = /^(\d{1,2})\.(\d{1,2})\.(\d{4})$/.exec(text) ?? [];
  const parts =
    year !== undefined ? [year, month!, day!] : first !== undefined ? [first, middle!, last!] : null;
  return parts ? parts.map((part) => part.padStart(2, '0')).join('-') : text;
};
const cellAs = (column: ImportColumn, cell: string): string => {
  if (column === 'name' || column === 'address') return cell;
  const seen = cell.replace(unseen, '').trim();
  return column === 'expires_on' ? dayOf(seen) : seen;
};
const given = (row: number, cells: Readonly<Partial<Record<ImportColumn, string>>>): Given => ({
  row,
  ...(Object.fromEntries(
    importColumns.map((column) => [column, cellAs(column, cells[column] ?? '')]),
  ) as Record<ImportColumn, string>),
});

/** Number of rows above the heading, for a title. */
const mostAboveHeading = 20;
const isHeading = (row: readonly string[], isFirst: boolean): boolean => {
  const named = row.map(columnOf);
  return named.includes('number') && (isFirst || named.filter((column) => column !== undefined).length > 1);
};
const firstFilled = (table: Table): number => table.findIndex((row) => row.some((cell) => cell !== ''));
const headingOf = (table: Table): number => {
  const first = firstFilled(table);
  return table
    .slice(0, mostAboveHeading)
    .findIndex((row, index) => index >= first && isHeading(row, index === first));
};

/** A table with or without a heading row; without one the columns are number, name, type, project … in that order. */
const fromTable = (table: Table, source: 'text' | 'file'): GivenList => {
  const first = firstFilled(table);
  if (first < 0) return { rows: [], unread: [] };
  const heading = headingOf(table);
  if (heading < 0 && table[first]!.some((cell) => columnOf(cell) !== undefined))
    fault('request.invalid', { fields: { [source]: 'import.columns' } });
  // At most one cell per column, however many headings the row has, so that the cost per row is limited.
  const { indexOf, unread } = columnsOf(table[heading] ?? null, table.slice(heading + 1));
  const rows = table.flatMap((cells, index) => {
    if (index <= heading || cells.every((cell) => cell === '')) return [];
    const named = [...indexOf].map(([column, cell]) => [column, cells[cell] ?? ''] as const);
    return [given(index + 1, Object.fromEntries(named))];
  });
  return { rows, unread };
};

const longestFirstRow = 10_000;
/** The separator for which the first row contains the most column names, or else the most cells. */
const fromText = (text: string): GivenList => {
  const worth = (table: Table): number => {
    const row = table[Math.max(0, firstFilled(table))] ?? [];
    return row.filter((cell) => columnOf(cell) !== undefined).length * 1000 + Math.min(row.length, 999);
  };
  const plain = text.replace(/^\ufeff/, '');
  const begin = plain.trimStart().slice(0, longestFirstRow);
  const [best] = ['\t', ';', ','].sort(
    (one, other) => worth(cellsOf(begin, other)) - worth(cellsOf(begin, one)),
  );
  return fromTable(cellsOf(plain, best!), 'text');
};

/** From this number on, spreadsheets round whole numbers to 15 digits, so the displayed text is reported. */
const leastRounded = 1e15;
const textOf = (cell: unknown, format: string | undefined): string => {
  if (cell instanceof Date) return cell.toISOString().slice(0, 10);
  if (typeof cell === 'number') {
    if (Math.abs(cell) >= leastRounded) return cell.toExponential().toUpperCase();
    // A number with leading zeros, as displayed.
    return /^0+$/.test(format ?? '') && Number.isInteger(cell)
      ? String(cell).padStart(format!.length, '0')
      : String(cell);
  }
  if (typeof cell === 'boolean') return String(cell);
  return typeof cell === 'string' ? cell.trimStart().slice(0, longestCell).trim() : '';
};
/** The rest of a longer cell is dropped: no column can hold so much, so its row is refused. */
const longestCell = 1000;
/** Far above what the longest list needs; a file that unpacks to more is not read. */
const unpacked = { mostBytes: 16 * 1024 * 1024, mostEntries: 100 };
/** An archive may name one sheet many times, and each name costs reading the sheet. */
const mostSheets = 50;
/** The range that is read; some sheets have cells with colour down to Excel's last row. */
const readRange = 'A1:Z20000';
/** The first visible sheet with a heading, else the first visible one with content. */
const fromFile = async (content: Uint8Array): Promise<GivenList> => {
  const unreadable = () => fault('request.invalid', { fields: { file: 'import.file' } });
  if (!(await unpacksWithin(content, unpacked))) return unreadable();
  let sheets = 0;
  const book = await readXlsx(content, {
    sheets: ({ hidden, veryHidden }) => {
      sheets += 1;
      if (sheets > mostSheets) throw new Error('too many sheets');
      return !hidden && !veryHidden;
    },
    range: readRange,
    readStyles: true,
  }).catch(unreadable);
  const tables = book.sheets.map(({ rows, cells }) =>
    rows.map((row, r) => row.map((cell, c) => textOf(cell, cells?.get(`${r},${c}`)?.style?.numFmt))),
  );
  const filled = tables.filter((table) => firstFilled(table) >= 0);
  return fromTable(filled.find((table) => headingOf(table) >= 0) ?? filled[0] ?? [], 'file');
};

/** The part of an import body that is read. */
export type ImportSource = Pick<Body, 'rows' | 'text'> & { file?: { content: Uint8Array } | undefined };

/** The rows of a list from any source; throws if there are none or too many. */
export const readRows = async (body: ImportSource): Promise<GivenList> => {
  const source = body.file ? 'file' : body.rows && body.text === undefined ? 'rows' : 'text';
  const list = body.file
    ? await fromFile(body.file.content)
    : source === 'text'
      ? fromText(body.text ?? '')
      : { rows: body.rows!.map(fromRow), unread: [] };
  if (list.rows.length === 0) fault('request.invalid', { fields: { [source]: 'import.empty' } });
  if (list.rows.length > mostImported)
    fault('request.invalid', { fields: { [source]: 'import.many' }, with: { most: mostImported } });
  return list;
};
const fromRow = (row: NonNullable<Body['rows']>[number], index: number): Given =>
  given(
    index + 1,
    Object.fromEntries(Object.entries(row).map(([column, cell]) => [column, textOf(cell, undefined)])),
  );
