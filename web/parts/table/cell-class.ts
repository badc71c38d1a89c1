import type { DataColumn } from './types.ts';

/** Class of the cell that names its row; screen readers read the name with every other cell of the row. */
export const rowHeader = 'rowheader';
export const cellRole = (index: number) => (index === 0 ? rowHeader : undefined);

/** The classes of a column's cells, in header and body; `index`: its position among the visible columns. */
export const cellClass = <Row>(
  { align, wraps }: Pick<DataColumn<Row>, 'align' | 'wraps'>,
  index: number,
): string =>
  `${align === 'right' ? 'is-right' : ''}${wraps ? ' may-wrap' : ''}${typeof wraps === 'string' ? ` is-short is-${wraps}` : ''}${index === 0 ? ' is-first' : ''}`;

/** The class of a row by its worst active level: 0 none, 1 early warning, 2 alarm. */
export const rowClassOf = (worst: number): string =>
  worst >= 2 ? 'row-alarm' : worst === 1 ? 'row-early' : '';
