import { useQuery } from '@tanstack/react-query';
import { Button, Pagination } from 'antd';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import {
  type LineTableRow,
  lineTableEndpoints,
  lineTablePage,
  mostLinesCompared,
} from '#contract/line-table.ts';
import { keptQuery } from '#web/api/query.ts';
import { useCan } from '#web/api/session.ts';
import { useLiveRefresh } from '#web/api/use-live-refresh.ts';
import { DataState } from '#web/parts/DataState.tsx';
import { ExportButton } from '#web/parts/ExportButton.tsx';
import { FilterBar } from '#web/parts/FilterBar.tsx';
import { PageHeader } from '#web/parts/PageHeader.tsx';
import { rowClassOf } from '#web/parts/table/cell-class.ts';
import { LongGrid } from '#web/parts/table/LongGrid.tsx';
import { TableTools } from '#web/parts/table/TableTools.tsx';
import { useColumns } from '#web/parts/table/use-columns.ts';
import { useHeldOrder } from '#web/parts/table/use-held-order.ts';
import { type SetUrl, useUrlState } from '#web/parts/url-state.ts';
import { useRoom } from '#web/theme/use-room.ts';
import { LineTableCards } from './LineTableCards.tsx';
import './line-table.css';
import { hasLongNames, mostNameLines, nameLinePx } from './line-name-room.ts';
import { closestFirst, lineTableBody, lineTableFilter, lineTableSearch } from './line-table-search.ts';
import { useAgedRows } from './use-aged-rows.ts';
import { useLineColumns } from './use-line-columns.tsx';
import { useLineFields } from './use-line-fields.ts';

const [refreshMs, pollMs] = [2000, 10_000];
/** Padding of a cell: left and right together in em, top and bottom together in px. */
const [paddingEm, paddingPx] = [1.5, 10];
const idOf = ({ line_id }: { line_id: number }) => line_id;
const markOf = ({ worst }: { worst: number }) => rowClassOf(worst);

/** The width of the column of names and the height of the rows, px, so that no name is cut. */
const useNameRoom = (rows: readonly LineTableRow[] | undefined) =>
  useMemo(() => {
    const width = hasLongNames(rows ?? []) ? 480 : 216;
    const roomEm = width / 16 - paddingEm;
    return { width, rowPx: paddingPx + nameLinePx * mostNameLines(rows ?? [], roomEm) };
  }, [rows]);

/** All lines of a project with their values: which is closest to a limit, and to which. */
export const LineTablePage = ({ project }: { project: { id: number; name: string } }) => {
  const mayBind = useCan('project.bind');
  const { t } = useTranslation('lines');
  const { t: tc } = useTranslation('common');
  const wide = useRoom('table');
  const [search, setSearch] = useUrlState(lineTableSearch);
  const { page, sort, ...filters } = search;
  const body = lineTableBody(search, project.id);
  const query = useQuery({
    ...keptQuery(lineTableEndpoints.table, body),
    refetchInterval: pollMs,
  });
  const {
    shown: held,
    hasMoved,
    sortAgain,
  } = useHeldOrder(query.data?.list, idOf, {
    key: JSON.stringify(body),
    settled: !query.isPlaceholderData,
  });
  const shown = useAgedRows(held);
  const devices = useMemo(
    () => new Set(query.data?.list.map(({ device_id }) => device_id)),
    [query.data?.list],
  );
  useLiveRefresh(
    ['line_state', 'device_state', 'alarm', 'alarm_update', 'tag'],
    [lineTableEndpoints.table],
    refreshMs,
    (data) => !('device_id' in data && data.device_id) || devices.has(data.device_id),
  );
  const names = useNameRoom(query.data?.list);
  const columns = useLineColumns(names.width);
  const { shown: chosenColumns, chosen, choose } = useColumns('project-lines', columns);
  const chosenKey = chosen.join();
  // biome-ignore lint/correctness/useExhaustiveDependencies: the same columns are the same array, so that rows stay as they are
  const shownColumns = useMemo(() => chosenColumns, [columns, chosenKey]);
  const title = `${project.name} · ${t(($) => $.table.title)}`;
  const isFiltered = Object.values(filters).some((value) => value !== undefined);
  const state = { page, limit: lineTablePage, sort };
  /** A third click on a column restores the default order, which for this column means the reversed order. */
  const onState: SetUrl = (patch) =>
    setSearch(
      'sort' in patch && patch['sort'] === undefined && sort === closestFirst
        ? { ...patch, sort: 'closeness' }
        : patch,
    );
  return (
    <>
      <PageHeader title={title}>
        <ExportButton
          endpoint={lineTableEndpoints.exportTable}
          body={lineTableFilter(search, project.id)}
          fileName={title}
        />
      </PageHeader>
      <FilterBar fields={useLineFields()} values={search} onChange={setSearch} />
      <TableTools
        columns={columns}
        chosen={chosen}
        onChoose={choose}
        onRefresh={() => void query.refetch()}
        state={state}
        onState={onState}
        cards={!wide}
      >
        <span className="soft tabular">
          {query.data && tc(($) => $.table.total, { count: query.data.total })}
        </span>
        {hasMoved && (
          <Button type="link" onClick={sortAgain}>
            {t(($) => $.table.sortAgain)}
          </Button>
        )}
      </TableTools>
      {query.data?.truncated && (
        <p className="soft">{t(($) => $.table.truncated, { count: mostLinesCompared })}</p>
      )}
      <DataState
        query={query}
        rows={14}
        isEmpty={({ list }) => list.length === 0}
        filtered={isFiltered}
        onResetFilters={() =>
          setSearch(Object.fromEntries(Object.keys(filters).map((name) => [name, undefined])))
        }
        empty={t(($) => (mayBind ? $.table.emptyFirst : $.table.empty))}
      >
        {() =>
          wide ? (
            <LongGrid
              label={title}
              columns={shownColumns}
              rows={shown ?? []}
              rowId={idOf}
              rowClass={markOf}
              rowPx={names.rowPx}
              state={state}
              onState={onState}
            />
          ) : (
            <LineTableCards label={title} rows={shown ?? []} rowClass={markOf} />
          )
        }
      </DataState>
      {(query.data?.total ?? 0) > lineTablePage && (
        <Pagination
          className="data-pages"
          align="end"
          current={page}
          pageSize={lineTablePage}
          total={query.data?.total ?? 0}
          showSizeChanger={false}
          simple={!wide}
          onChange={(next) => setSearch({ page: next }, { push: true })}
        />
      )}
    </>
  );
};
