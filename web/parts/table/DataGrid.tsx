import { Table, type TableColumnType } from 'antd';
import type { Key } from 'react';
import { useTranslation } from 'react-i18next';
import type { DataColumn, DataTableProps, Selection } from './types.ts';

export interface DataViewProps<Row> extends DataTableProps<Row> {
  rows: Row[] | undefined;
  shown: readonly DataColumn<Row>[];
  selection: Selection;
  onSelection: ((selection: Selection) => void) | null;
}
type Item<Row> = { key: number; row: Row | null };
const barHeight = 52;

const orderOf = (sort: string | undefined, field: string | undefined) =>
  field === undefined ? null : sort === field ? 'ascend' : sort === `-${field}` ? 'descend' : null;

export const DataGrid = <Row,>(props: DataViewProps<Row>) => {
  const { rows, shown, state, onState, rowId, rowName, actions, selection, onSelection, rowClass } = props;
  const { t } = useTranslation('common');
  const items: Item<Row>[] = rows
    ? rows.map((row) => ({ key: rowId(row), row }))
    : Array.from({ length: Math.min(state.limit, 12) }, (_, index) => ({ key: -1 - index, row: null }));

  const columns: TableColumnType<Item<Row>>[] = shown.map((column, index) => ({
    key: column.key,
    title: column.title,
    ...(index === 0 ? { fixed: 'start' as const } : {}),
    ...(column.width === undefined ? {} : { width: column.width }),
    ...(column.align ? { align: column.align } : {}),
    ...(column.sort === undefined
      ? {}
      : { sorter: true, sortOrder: orderOf(state.sort, column.sort), sortDirections: ['ascend', 'descend'] }),
    render: (_: unknown, { row }: Item<Row>) =>
      row === null ? <span className="cell-skeleton" /> : column.render(row),
  }));
  if (actions)
    columns.push({
      key: 'actions',
      title: t(($) => $.table.actions),
      fixed: 'end',
      render: (_, { row }) => row !== null && <span className="row-actions">{actions(row)}</span>,
    });

  const picked =
    selection.kind === 'rows'
      ? selection.ids
      : selection.kind === 'filter'
        ? items.map(({ key }) => key)
        : [];
  return (
    <Table<Item<Row>>
      dataSource={items}
      columns={columns}
      pagination={false}
      sticky={{ offsetHeader: barHeight }}
      scroll={{ x: 'max-content' }}
      rowClassName={({ row }) => (row === null ? '' : (rowClass?.(row) ?? ''))}
      {...(onSelection && rows
        ? {
            rowSelection: {
              selectedRowKeys: [...picked],
              onChange: (keys: Key[]) =>
                onSelection(keys.length === 0 ? { kind: 'none' } : { kind: 'rows', ids: keys.map(Number) }),
              getTitleCheckboxProps: () => ({ 'aria-label': t(($) => $.table.selectPage) }),
              getCheckboxProps: ({ row }: Item<Row>) => ({
                'aria-label': row === null ? '' : t(($) => $.table.select, { name: rowName(row) }),
              }),
            },
          }
        : {})}
      onChange={(_pages, _filters, sorter) => {
        if (Array.isArray(sorter)) return;
        const field = shown.find(({ key }) => key === sorter.columnKey)?.sort;
        const sort = sorter.order && field ? `${sorter.order === 'descend' ? '-' : ''}${field}` : undefined;
        onState({ sort, page: 1 });
      }}
    />
  );
};
