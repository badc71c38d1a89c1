import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { cellRole } from '#web/parts/table/cell-class.ts';

export interface FigureColumn<Row> {
  title: string;
  render: (row: Row) => ReactNode;
  number?: boolean;
}
/** A ranking or breakdown: a few rows, all shown. */
export const FigureTable = <Row,>({
  title,
  rows,
  columns,
  keyOf,
  empty,
  stacked,
}: {
  title: string;
  rows: readonly Row[];
  columns: readonly FigureColumn<Row>[];
  keyOf: (row: Row) => string | number;
  /** Text if there is no row; absent: "no alarm was raised". */
  empty?: string;
  /** A phone shows each row as a block, for long texts. */
  stacked?: boolean;
}) => {
  const { t } = useTranslation('alarmStatistics');
  return (
    <section className="panel" aria-label={title}>
      <h2>{title}</h2>
      {rows.length === 0 ? (
        <p className="empty-notice">{empty ?? t(($) => $.none)}</p>
      ) : (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolled region has to be reachable by keyboard
        <section className="figure-table-room" tabIndex={0} aria-label={title}>
          <table className={stacked ? 'figure-table is-stacked' : 'figure-table'} aria-label={title}>
            <thead>
              <tr>
                {columns.map((column) => (
                  <th key={column.title} scope="col" className={column.number ? 'is-number' : ''}>
                    {column.title}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {rows.map((row) => (
                <tr key={keyOf(row)}>
                  {columns.map((column, index) => (
                    <td
                      key={column.title}
                      role={cellRole(index)}
                      className={column.number ? 'is-number' : ''}
                      data-title={column.title}
                    >
                      {stacked ? <div>{column.render(row)}</div> : column.render(row)}
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      )}
    </section>
  );
};
