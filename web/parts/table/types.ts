import type { ReactNode } from 'react';

export interface DataColumn<Row> {
  key: string;
  title: string;
  render: (row: Row) => ReactNode;
  /** Field of the endpoint's fixed sort set. */
  sort?: string;
  width?: number;
  align?: 'right';
  /** Not shown until chosen. */
  hidden?: boolean;
  /** Always shown, not offered to hide. */
  required?: boolean;
  /** On a phone: its heading, beside the heading, a labelled line (the default), or not shown. */
  card?: 'title' | 'state' | 'line' | 'none';
}
export interface ListState {
  page: number;
  limit: number;
  sort?: string | undefined;
}
export interface ListData<Row> {
  list: Row[];
  total: number;
}
/** Rows picked one by one, or everything that the filter matches. */
export type Selection =
  | { kind: 'none' }
  | { kind: 'rows'; ids: readonly number[] }
  | { kind: 'filter'; total: number };
export const countOf = (selection: Selection): number =>
  selection.kind === 'none' ? 0 : selection.kind === 'rows' ? selection.ids.length : selection.total;
