import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import { writeXlsxStream } from 'hucre/xlsx';
import { IANAZone } from 'luxon';
import type { Language } from '#contract/languages.ts';
import type { TableSheet } from '#contract/sheet.ts';

export type Cell = string | number | boolean | Date | null;
export interface SheetColumn {
  readonly header: string;
  readonly kind?: 'text' | 'number' | 'instant' | 'date';
  readonly width?: number;
}
export interface Sheet {
  readonly name: string;
  /** Instants are shown in this zone, because a sheet has no zones. */
  readonly zone: string;
  readonly columns: readonly SheetColumn[];
  readonly rows: AsyncIterable<readonly Cell[]>;
}

const formats = { text: undefined, number: undefined, instant: 'yyyy-mm-dd hh:mm:ss', date: 'yyyy-mm-dd' };
const widths = { text: 22, number: 12, instant: 20, date: 12 };
/** Characters that XML 1.0 does not allow, and halves of surrogate pairs. */
const unwritable = /[^\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/gu;

/**
 * An .xlsx that is written while its rows are read: memory does not grow with their number, and a row is
 * fetched only after the reader has taken the previous ones. Text stays text, even if it begins like a
 * formula. After Excel's 1,048,576 rows a new sheet begins.
 */
export const spreadsheet = ({ name, zone, columns, rows }: Sheet): Readable => {
  const place = IANAZone.create(zone);
  const offsets = new Map<number, number>();
  const offsetMs = (at: number): number => {
    const quarter = Math.floor(at / 900_000);
    const known = offsets.get(quarter);
    if (known !== undefined) return known;
    if (offsets.size > 10_000) offsets.clear();
    const offset = place.offset(at) * 60_000;
    offsets.set(quarter, offset);
    return offset;
  };
  const written = (cell: Cell, kind: SheetColumn['kind']): Cell => {
    if (cell instanceof Date)
      return kind === 'instant' ? new Date(cell.getTime() + offsetMs(cell.getTime())) : cell;
    if (typeof cell === 'string') return cell.replace(unwritable, '');
    return typeof cell === 'number' && !Number.isFinite(cell) ? null : cell;
  };
  const shown = async function* () {
    for await (const row of rows) yield row.map((cell, index) => written(cell, columns[index]?.kind));
  };
  const stream = writeXlsxStream(shown(), {
    name,
    columns: columns.map(({ header, kind = 'text', width }) => {
      const numFmt = formats[kind];
      return { header, width: width ?? widths[kind], ...(numFmt ? { numFmt } : {}) };
    }),
    freezePane: { rows: 1 },
    zip64: true,
  });
  return Readable.fromWeb(stream as Parameters<typeof Readable.fromWeb>[0]);
};

/** The rows of a list in the reader's language, read one by one. */
export const sheetFrom = <Row>(
  { name, columns }: TableSheet<Row>,
  rows: AsyncIterable<Row>,
  language: Language,
  zone: string,
): Sheet => ({
  name: name[language],
  zone,
  columns: columns.map(({ header, kind = 'text' }) => ({ header: header[language], kind })),
  rows: (async function* () {
    for await (const row of rows) yield columns.map(({ cell }) => cell(row, language));
  })(),
});

/** Answers a call with a spreadsheet to save; `file` is its name without the extension. */
export const sendSpreadsheet = (reply: FastifyReply, file: string, sheet: Sheet): Readable => {
  reply
    .header('content-type', 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet')
    .header(
      'content-disposition',
      `attachment; filename="export.xlsx"; filename*=UTF-8''${encodeURIComponent(file)}.xlsx`,
    );
  return spreadsheet(sheet);
};
