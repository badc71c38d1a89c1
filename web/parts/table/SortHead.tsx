import type { CSSProperties } from 'react';
import type { SetUrl } from '../url-state.ts';
import type { DataColumn, ListState } from './types.ts';

const orderOf = (sort: string | undefined, field: string | undefined) =>
  field === undefined || sort === undefined
    ? undefined
    : sort === field
      ? 'ascending'
      : sort === `-${field}`
        ? 'descending'
        : undefined;
/** Ascending, descending, then the server's default order. */
const nextSort = (sort: string | undefined, field: string) =>
  sort === field ? `-${field}` : sort === `-${field}` ? undefined : field;

/** The header of a column; a sortable one is a button. */
export const SortHead = <Row,>({
  column,
  className,
  style = column.width === undefined ? undefined : { minWidth: column.width },
  state,
  onState,
}: {
  column: DataColumn<Row>;
  className: string;
  style?: CSSProperties | undefined;
  state: ListState;
  onState: SetUrl;
}) => {
  const { title, sort } = column;
  return (
    <th scope="col" className={className} aria-sort={orderOf(state.sort, sort)} style={style}>
      {sort === undefined ? (
        title
      ) : (
        <button
          type="button"
          className="sort-button"
          onClick={() => onState({ sort: nextSort(state.sort, sort), page: 1 })}
        >
          {title}
        </button>
      )}
    </th>
  );
};
