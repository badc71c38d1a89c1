import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { AlarmRow } from '#contract/alarms.ts';
import { FaultNotice, type QueryLike, StaleNotice } from '#web/parts/DataState.tsx';
import { late } from '#web/parts/late.tsx';
import { titleShortened } from '#web/parts/table/shortened.ts';
import type { DataColumn, ListData, ListState, Selection } from '#web/parts/table/types.ts';
import { countOf } from '#web/parts/table/types.ts';
import type { SetUrl } from '#web/parts/url-state.ts';
import { useArrived } from '#web/parts/use-arrived.ts';
import { usePrefs } from '#web/theme/prefs.ts';
import { QueueRow, type RowHands } from './QueueRow.tsx';
import type { QueueSection } from './queue-sections.ts';
import { useDrawnRows } from './use-drawn-rows.ts';

const QueueHead = late(async () => (await import('./QueueHead.tsx')).QueueHead);

const skeletons = Array.from({ length: 22 }, (_, index) => index);
const sortMark = (sort: string | undefined, field: string) =>
  sort === field ? 'ascending' : sort === `-${field}` ? 'descending' : undefined;
const nextSort = (sort: string | undefined, field: string) =>
  sort === `-${field}` ? field : sort === field ? undefined : `-${field}`;

/** The alarms of the filter on one line each, most severe first. Rows move only on request. */
export const AlarmQueue = ({
  query,
  sections,
  by,
  folded,
  columns,
  state,
  onState,
  current,
  needed,
  shown,
  selection,
  onSelection,
  hands,
  onFold,
  onHandle,
  onUrge,
  empty,
}: {
  query: QueryLike<ListData<AlarmRow>>;
  sections: readonly QueueSection[];
  by: 'device' | 'storm' | undefined;
  folded: ReadonlySet<string>;
  columns: readonly DataColumn<AlarmRow>[];
  state: ListState;
  onState: SetUrl;
  current: number | undefined;
  /** How many rows are drawn at least, because keys have gone that far. */
  needed: number;
  shown: number | undefined;
  selection: Selection;
  /** Null if no act on several alarms is possible. */
  onSelection: ((selection: Selection) => void) | null;
  hands: RowHands;
  onFold: (key: string) => void;
  onHandle: (ids: readonly number[]) => void;
  onUrge: (ids: readonly number[]) => void;
  /** In place of the rows if there are none. */
  empty: ReactNode;
}) => {
  const { t } = useTranslation('alarms');
  const density = usePrefs((prefs) => prefs.density);
  const rows = useArrived(query.data?.list);
  const drawn = Math.max(useDrawnRows(rows?.length), needed);
  // Groups are drawn as a whole.
  const missing = by ? 0 : Math.max(0, (query.data?.list.length ?? 0) - drawn);
  if (query.error && !rows) return <FaultNotice error={query.error} onRetry={() => void query.refetch()} />;
  const stale = <StaleNotice query={query} />;
  if (rows?.length === 0)
    return (
      <div>
        {stale}
        {empty}
      </div>
    );
  const picked = new Set(selection.kind === 'rows' ? selection.ids : []);
  const isPicked = (id: number) => selection.kind === 'filter' || picked.has(id);
  const width = columns.length + (onSelection ? 2 : 1);
  const all = rows?.map(({ id }) => id) ?? [];
  return (
    <section
      className={`queue-list is-${density}`}
      aria-label={t(($) => $.title)}
      aria-busy={query.isFetching || missing > 0}
    >
      {stale}
      <table
        className="queue-grid"
        aria-label={t(($) => $.title)}
        onMouseOver={titleShortened}
        onFocus={titleShortened}
        // Room for the rows to come, so that they change neither the length of the list nor its width.
        style={{ marginBlockEnd: `calc(${rows ? missing : 0} * var(--queue-row))` }}
      >
        <Headings
          columns={columns}
          state={state}
          onState={onState}
          selection={selection}
          onSelection={onSelection}
          all={all}
          isPicked={isPicked}
        />
        {rows ? (
          sections.map((section) => (
            <tbody key={section.key}>
              {section.group && by && (
                <QueueHead
                  group={section.group}
                  by={by}
                  isFolded={folded.has(section.key)}
                  width={width}
                  onFold={() => onFold(section.key)}
                  onHandle={onHandle}
                  onUrge={onUrge}
                />
              )}
              {!folded.has(section.key) &&
                // Widths and heights are fixed, so that further rows move nothing.
                (by ? section.rows : section.rows.slice(0, drawn)).map((row) => (
                  <QueueRow
                    key={row.id}
                    row={row}
                    columns={columns}
                    isCurrent={row.id === current}
                    isShown={row.id === shown}
                    isPicked={isPicked(row.id)}
                    isFirstOut={row.id === section.firstOut}
                    canPick={onSelection !== null}
                    hands={hands}
                  />
                ))}
            </tbody>
          ))
        ) : (
          <Skeletons width={width} />
        )}
      </table>
    </section>
  );
};

const Headings = ({
  columns,
  state,
  onState,
  selection,
  onSelection,
  all,
  isPicked,
}: Pick<Parameters<typeof AlarmQueue>[0], 'columns' | 'state' | 'onState' | 'selection' | 'onSelection'> & {
  /** Ids of all rows of the page. */
  all: readonly number[];
  isPicked: (id: number) => boolean;
}) => {
  const { t: tc } = useTranslation('common');
  return (
    <thead>
      <tr>
        {onSelection && (
          <th className="queue-pick">
            <input
              type="checkbox"
              aria-label={tc(($) => $.table.selectPage)}
              checked={all.length > 0 && all.every(isPicked)}
              ref={(box) => {
                if (box) box.indeterminate = countOf(selection) > 0 && !all.every(isPicked);
              }}
              onChange={(event) =>
                onSelection(event.target.checked ? { kind: 'rows', ids: all } : { kind: 'none' })
              }
            />
          </th>
        )}
        {columns.map((column) => (
          <th
            key={column.key}
            scope="col"
            className={`queue-${column.key}${column.align === 'right' ? ' is-right' : ''}`}
            aria-sort={column.sort === undefined ? undefined : sortMark(state.sort, column.sort)}
          >
            {column.sort === undefined ? (
              column.title
            ) : (
              <button
                type="button"
                className="sort-button"
                onClick={() => onState({ sort: nextSort(state.sort, column.sort!), page: undefined })}
              >
                {column.title}
              </button>
            )}
          </th>
        ))}
        <th scope="col" className="queue-acts-cell">
          <span className="out-of-sight">{tc(($) => $.table.actions)}</span>
        </th>
      </tr>
    </thead>
  );
};

/** `width`: number of columns. */
const Skeletons = ({ width }: { width: number }) => (
  <tbody>
    {skeletons.map((place) => (
      <tr key={place} className="queue-row">
        <td colSpan={width}>
          <span className="cell-skeleton" />
        </td>
      </tr>
    ))}
  </tbody>
);
