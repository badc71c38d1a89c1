import type { DataColumn } from './types.ts';

/** The classes of a column's cells, head and body alike; `index`: its place among those shown. */
export const cellClass = <Row>({ align }: Pick<DataColumn<Row>, 'align'>, index: number): string =>
  `${align === 'right' ? 'is-right' : ''}${index === 0 ? ' is-first' : ''}`;
