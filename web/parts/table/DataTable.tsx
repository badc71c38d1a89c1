import { Pagination } from 'antd';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useRoom } from '#web/theme/use-room.ts';
import { FaultNotice, StaleNotice } from '../DataState.tsx';
import { EmptyList } from '../EmptyList.tsx';
import { FilterBar } from '../FilterBar.tsx';
import { type FilterValues, namesOf } from '../filter-types.ts';
import { useArrived } from '../use-arrived.ts';
import { BulkBar } from './BulkBar.tsx';
import { DataCards } from './DataCards.tsx';
import { DataGrid } from './DataGrid.tsx';
import { FreshBar } from './FreshBar.tsx';
import './table.css';
import { TableTools } from './TableTools.tsx';
import type { DataTableProps, Selection } from './types.ts';
import { useColumns } from './use-columns.ts';
import { useLastPage } from './use-last-page.ts';

const none: Selection = { kind: 'none' };

/** A list from the server: pages, order and filters in the address; cards at phone width. */
export const DataTable = <Row,>(props: DataTableProps<Row>) => {
  const { id, columns, query, state, onState, bulk, fresh, tools, empty, filters } = props;
  const { t } = useTranslation('common');
  const hasRoom = useRoom('table');
  const wide = hasRoom && !props.asCards;
  const [selection, setSelection] = useState<Selection>(none);
  const { shown, chosen, choose } = useColumns(id, columns);
  const clear = () => setSelection(none);
  const rows = useArrived(query.data?.list);
  const total = query.data?.total ?? 0;
  const isBeyond = useLastPage(query.data, state, onState);
  const values: FilterValues = { ...state };
  const names = filters?.flatMap(namesOf) ?? [];
  const {
    filtered = names.some((name) => values[name] !== undefined),
    onResetFilters = filters && (() => onState(Object.fromEntries(names.map((name) => [name, undefined])))),
  } = props;
  const isEmpty = rows !== undefined && rows.length === 0 && !isBeyond;

  const bar = bulk && selection.kind !== 'none' && (
    <BulkBar
      selection={selection}
      total={total}
      canSelectAll={props.selectAll ?? false}
      onSelectAll={() => setSelection({ kind: 'filter', total })}
      onClear={clear}
    >
      {bulk(selection, clear)}
    </BulkBar>
  );
  const view = { ...props, rows, shown, selection, onSelection: bulk ? setSelection : null };
  const table = (
    <section className="data-table" aria-label={props.label} aria-busy={query.isFetching}>
      {!props.bare && (
        <TableTools
          columns={columns}
          chosen={chosen}
          onChoose={choose}
          onRefresh={() => void query.refetch()}
          state={state}
          onState={onState}
          cards={!wide}
        >
          <span className={query.data ? 'soft tabular' : 'room-only'}>
            {t(($) => $.table.total, { count: total })}
          </span>
          {tools}
        </TableTools>
      )}
      {wide && bar}
      {fresh && fresh.count > 0 && <FreshBar {...fresh} />}
      <StaleNotice query={query} />
      {query.error && !rows ? (
        <FaultNotice error={query.error} onRetry={() => void query.refetch()} />
      ) : isEmpty ? (
        <EmptyList filtered={filtered} onResetFilters={onResetFilters}>
          {empty}
        </EmptyList>
      ) : wide ? (
        <DataGrid {...view} />
      ) : (
        <DataCards {...view} />
      )}
      {!wide && bar}
      {rows && total > 0 && (
        <Pagination
          className="data-pages"
          align="end"
          current={state.page}
          pageSize={state.limit}
          total={total}
          pageSizeOptions={[20, 50, 100, 200]}
          showSizeChanger={hasRoom}
          simple={!hasRoom}
          onChange={(page, limit) => {
            clear();
            onState({ page: limit === state.limit ? page : 1, limit }, { push: true });
          }}
        />
      )}
    </section>
  );
  return (
    <>
      {filters && <FilterBar fields={filters} values={values} onChange={onState} />}
      {table}
    </>
  );
};
