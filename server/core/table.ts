import type { Readable } from 'node:stream';
import type { Language, Words } from '#contract/languages.ts';
import type { TableSheet } from '#contract/sheet.ts';
import type { Call } from './serve.ts';
import { type Cell, type SheetColumn, sendSpreadsheet, sheetFrom } from './spreadsheet.ts';
import { zoneOf } from './zone.ts';

/** The sheet of a list with a column for each header, in their order; text unless `kinds` says otherwise. */
export const sheetOf = <Row, Column extends string>(
  name: Words,
  headers: Readonly<Record<Column, Words>>,
  kinds: Partial<Record<Column, NonNullable<SheetColumn['kind']>>>,
  cellOf: (row: Row, column: Column, language: Language) => Cell,
): TableSheet<Row> => ({
  name,
  columns: (Object.keys(headers) as Column[]).map((column) => ({
    header: headers[column],
    kind: kinds[column] ?? 'text',
    cell: (row, language) => cellOf(row, column, language),
  })),
});

/**
 * Answers a call with the rows of its list; instants are in the zone of the one project requested or in
 * scope.
 */
export const sendTable = async <Row>(
  { db, caller, language, reply }: Pick<Call<unknown>, 'db' | 'caller' | 'language' | 'reply'>,
  sheet: TableSheet<Row>,
  rows: AsyncIterable<Row>,
  projectId?: number,
): Promise<Readable> =>
  sendSpreadsheet(
    reply,
    sheet.name[language],
    sheetFrom(sheet, rows, language, await zoneOf(db, caller.scope, projectId)),
  );

const readAtOnce = 500;
interface Page<Row> {
  readonly list: readonly Row[];
  readonly next_cursor?: string | null | undefined;
}
/** Every row of a paged list, read page by page on demand: by cursor if the list has one. */
export const everyRow = async function* <Row>(
  read: (at: { page: number; limit: number; cursor?: string }) => Promise<Page<Row>>,
): AsyncGenerator<Row> {
  for (let page = 1, cursor: string | null | undefined; ; page += 1) {
    const { list, next_cursor } = await read({ page, limit: readAtOnce, ...(cursor ? { cursor } : {}) });
    yield* list;
    if (list.length < readAtOnce) return;
    cursor = next_cursor;
  }
};
/** The rows of a list that is short enough to be read whole. */
export const eachOf = async function* <Row>(
  rows: readonly Row[] | Promise<readonly Row[]>,
): AsyncGenerator<Row> {
  yield* await rows;
};
