import type { ReactNode } from 'react';
import type { QueryLike } from '../DataState.tsx';
import type { SetUrl } from '../url-state.ts';

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

export interface DataTableProps<Row> {
  /** Under this name the chosen columns are kept with the reader's preferences. */
  id: string;
  /** What the table holds, for those who hear it. */
  label: string;
  columns: readonly DataColumn<Row>[];
  rowId: (row: Row) => number;
  rowName: (row: Row) => string;
  query: QueryLike<ListData<Row>>;
  state: ListState;
  onState: SetUrl;
  actions?: (row: Row) => ReactNode;
  /** What can be done with the selected rows. `clear` ends the selection. */
  bulk?: (selection: Selection, clear: () => void) => ReactNode;
  /** Whether the bulk acts also take the filter itself. */
  selectAll?: boolean;
  fresh?: { count: number; onShow: () => void };
  tools?: ReactNode;
  empty: ReactNode;
  filtered?: boolean;
  onResetFilters?: () => void;
  rowClass?: (row: Row) => string;
  /** Cards side by side, also where a table has room. */
  asCards?: boolean;
}
