import type { ReactNode } from 'react';
import { cellRole } from '#web/parts/table/cell-class.ts';

export interface EnergyColumn<Row> {
  key: string;
  title: string;
  render: (row: Row) => ReactNode;
  number?: boolean;
  /** In the row of totals. */
  total?: ReactNode;
}
/** Figures in rows, with totals; rows with estimates are hatched. */
export const EnergyTable = <Row,>({
  label,
  columns,
  rows,
  rowKey,
  guessed,
}: {
  label: string;
  columns: readonly EnergyColumn<Row>[];
  rows: readonly Row[];
  rowKey: (row: Row) => string | number;
  guessed?: (row: Row) => boolean;
}) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolled region has to be reachable by keyboard
  <section className="energy-room" tabIndex={0} aria-label={label}>
    <table className="energy-table" aria-label={label}>
      <thead>
        <tr>
          {columns.map(({ key, title, number }) => (
            <th key={key} scope="col" className={number ? 'is-number' : ''}>
              {title}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={rowKey(row)} className={guessed?.(row) ? 'is-guessed' : ''}>
            {columns.map(({ key, number, render }, index) => (
              <td key={key} role={cellRole(index)} className={number ? 'is-number' : ''}>
                {render(row)}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
      {columns.some(({ total }) => total !== undefined) && (
        <tfoot>
          <tr>
            {columns.map(({ key, number, total }) => (
              <td key={key} className={number ? 'is-number' : ''}>
                {total}
              </td>
            ))}
          </tr>
        </tfoot>
      )}
    </table>
  </section>
);
