import { useState } from 'react';
import { cellRole } from '#web/parts/table/cell-class.ts';
import { type NumberCell, useNumberText } from './use-number-text.ts';

export interface NumberTable {
  columns: readonly string[];
  rows: readonly (readonly NumberCell[])[];
}

const two = (value: number) => String(value).padStart(2, '0');
/** Local time in a format that spreadsheets read. */
const stamp = (at: Date) =>
  `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())} ${two(at.getHours())}:${two(at.getMinutes())}:${two(at.getSeconds())}`;
const cell = (value: NumberCell) => {
  const text = value === null ? '' : value instanceof Date ? stamp(value) : String(value);
  const safe = typeof value === 'string' && /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
};
/** CSV with a byte-order mark, so that spreadsheets read it as UTF-8; cells that look like formulas are text. */
export const toCsv = ({ columns, rows }: NumberTable): string =>
  `\uFEFF${[columns, ...rows].map((row) => row.map(cell).join(',')).join('\r\n')}`;

const rowHeight = 29;
const spare = 20;
const shownAtOnce = 80;
/** Rows near the visible part of the scrolled table; the others are empty space of their height. */
const windowOf = (scrolled: number, total: number) => {
  const start = Math.max(0, Math.min(Math.floor(scrolled / rowHeight) - spare, total - shownAtOnce));
  return { start, end: Math.min(total, start + shownAtOnce) };
};
const Room = ({ rows, columns }: { rows: number; columns: number }) =>
  rows > 0 && (
    <tr aria-hidden>
      <td colSpan={columns} style={{ height: rows * rowHeight, padding: 0, border: 0 }} />
    </tr>
  );

export const NumbersView = ({
  numbers,
  height,
  title,
}: {
  numbers: NumberTable;
  height: number | string;
  title: string;
}) => {
  const textOf = useNumberText();
  const [scrolled, setScrolled] = useState(0);
  const { columns, rows } = numbers;
  const { start, end } = windowOf(scrolled, rows.length);
  const shown = rows.slice(start, end).map((row, offset) => ({ row, place: start + offset }));
  return (
    <section
      className="numbers"
      style={{ height }}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolled region has to be reachable by keyboard
      tabIndex={0}
      aria-label={title}
      onScroll={({ currentTarget }) => setScrolled(currentTarget.scrollTop)}
    >
      <table aria-label={title} aria-rowcount={rows.length + 1}>
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column} scope="col">
                {column}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          <Room rows={start} columns={columns.length} />
          {shown.map(({ row, place }) => (
            <tr key={place} aria-rowindex={place + 2}>
              {row.map((value, index) => (
                <td
                  key={columns[index]}
                  role={cellRole(index)}
                  className={typeof value === 'number' ? 'is-number' : ''}
                >
                  {textOf(value)}
                </td>
              ))}
            </tr>
          ))}
          <Room rows={rows.length - end} columns={columns.length} />
        </tbody>
      </table>
    </section>
  );
};
