import type { ReactNode } from 'react';
import type { QueryLike } from '../DataState.tsx';
import type { FilterField } from '../filter-types.ts';
import type { SetUrl } from '../url-state.ts';

export interface DataColumn<Row> {
  key: string;
  title: string;
  render: (row: Row) => ReactNode;
  /** A sort field of the endpoint. */
  sort?: string;
  width?: number;
  align?: 'right';
  /**
   * Text that takes several lines if the columns have no room side by side. What a user wrote takes two at most and is
   * shown whole by its title: 'name', which may be one long word, or 'text'.
   */
  wraps?: boolean | 'name' | 'text';
  /** The column is hidden until the reader chooses it. */
  hidden?: boolean;
  /** The column is always shown and cannot be hidden. */
  required?: boolean;
  /** On a phone: heading, beside the heading, labelled line (default), or hidden. */
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
/** Single selected rows, or everything that the filter matches. */
export type Selection =
  | { kind: 'none' }
  | { kind: 'rows'; ids: readonly number[] }
  | { kind: 'filter'; total: number };
export const countOf = (selection: Selection): number =>
  selection.kind === 'none' ? 0 : selection.kind === 'rows' ? selection.ids.length : selection.total;

export interface DataTableProps<Row> {
  /** The key under which the chosen columns are stored in the reader's preferences. */
  id: string;
  /** Name of the table for screen readers. */
  label: string;
  columns: readonly DataColumn<Row>[];
  rowId: (row: Row) => number;
  rowName: (row: Row) => string;
  query: QueryLike<ListData<Row>>;
  state: ListState;
  onState: SetUrl;
  actions?: (row: Row) => ReactNode;
  /** Acts on the selected rows. `clear` ends the selection. */
  bulk?: (selection: Selection, clear: () => void) => ReactNode;
  /** Whether the bulk acts also accept the filter itself. */
  selectAll?: boolean;
  fresh?: { count: number; onShow: () => void };
  tools?: ReactNode;
  /** The filters above the table, whose values are in `state`. */
  filters?: readonly FilterField[];
  empty: ReactNode;
  /** By default: whether one of `filters` is set. */
  filtered?: boolean;
  /** By default: clears `filters`. */
  onResetFilters?: () => void;
  rowClass?: (row: Row) => string;
  /** Shows no bar, because the surrounding parts show order, count and refresh. */
  bare?: boolean;
  /** Cards side by side, even if there is room for a table. */
  asCards?: boolean;
}
