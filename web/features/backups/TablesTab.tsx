import { useQuery } from '@tanstack/react-query';
import { Button } from 'antd';
import { useTranslation } from 'react-i18next';
import { backupEndpoints, type DatabaseTable } from '#contract/backups.ts';
import { call } from '#web/api/call.ts';
import { filled } from '#web/api/filled.ts';
import { keptQuery } from '#web/api/query.ts';
import { useFormats } from '#web/i18n/format.ts';
import { ExportButton } from '#web/parts/ExportButton.tsx';
import { choiceOf } from '#web/parts/filter-types.ts';
import { DataTable } from '#web/parts/table/DataTable.tsx';
import { RowActs } from '#web/parts/table/RowActs.tsx';
import type { DataColumn } from '#web/parts/table/types.ts';
import type { SetUrl } from '#web/parts/url-state.ts';
import { TimeText } from '#web/values/TimeText.tsx';
import { useBytes } from '#web/values/use-bytes.ts';
import type { Act } from './ActDialog.tsx';
import { type BackupSearch, idOf, nameOf } from './backup-search.ts';
import { useBegun } from './backups.query.ts';

const statuses = ['completed', 'none', 'excluded'] as const;

const useTableColumns = (): DataColumn<DatabaseTable>[] => {
  const { t } = useTranslation('backups');
  const { number } = useFormats();
  const bytes = useBytes();
  return [
    {
      key: 'name',
      title: t(($) => $.table.name),
      required: true,
      card: 'title',
      sort: 'name',
      render: ({ name, partitions }) => (
        <span className="backup-lines">
          <code>{name}</code>
          {partitions > 0 && (
            <span className="soft">{t(($) => $.table.partitions, { count: partitions })}</span>
          )}
        </span>
      ),
    },
    {
      key: 'rows',
      title: t(($) => $.table.rows),
      wraps: true,
      sort: 'rows',
      align: 'right',
      render: ({ rows }) => <span className="tabular">{number(rows)}</span>,
    },
    {
      key: 'data',
      title: t(($) => $.table.data),
      wraps: true,
      sort: 'data_bytes',
      align: 'right',
      render: ({ data_bytes }) => <span className="tabular nowrap">{bytes(data_bytes)}</span>,
    },
    {
      key: 'size',
      title: t(($) => $.table.size),
      wraps: true,
      sort: 'size_bytes',
      align: 'right',
      render: ({ size_bytes }) => <span className="tabular nowrap">{bytes(size_bytes)}</span>,
    },
    {
      key: 'created',
      title: t(($) => $.table.created),
      wraps: true,
      sort: 'created_at',
      render: ({ created_at }) => <TimeText at={created_at} />,
    },
    {
      key: 'status',
      title: t(($) => $.table.status),
      wraps: true,
      card: 'state',
      render: ({ status }) => (
        <span className={status === 'completed' ? undefined : 'soft'}>{t(($) => $.table[status])}</span>
      ),
    },
    {
      key: 'backup',
      title: t(($) => $.table.backup),
      wraps: true,
      render: ({ last_backup }) => <TimeText at={last_backup?.at ?? null} />,
    },
  ];
};

/** The product's tables, with the acts on each. */
export const TablesTab = ({
  search,
  setSearch,
  onAct,
}: {
  search: BackupSearch;
  setSearch: SetUrl;
  /** Null: the reader may only look. */
  onAct: ((act: Act) => void) | null;
}) => {
  const { t } = useTranslation('backups');
  const begun = useBegun();
  const columns = useTableColumns();
  const { page, limit, sort, name, status } = search;
  const query = useQuery(
    keptQuery(backupEndpoints.tables, {
      page,
      limit,
      ...filled({ sort, name, status }),
    }),
  );
  const askFor = (kind: 'backup' | 'optimise' | 'repair', tables: readonly string[]) =>
    onAct?.({
      title: t(($) => $.act[kind]),
      okText: t(($) => $.act[kind]),
      text: t(($) => $.act[`${kind}Text`], { names: tables.join(', ') }),
      ...(kind === 'backup' ? { passphrase: 'new' as const } : {}),
      run: async (values) => {
        const body = { ...values, tables: [...tables] };
        if (kind === 'backup') await call(backupEndpoints.backup, body);
        else await call(kind === 'repair' ? backupEndpoints.repair : backupEndpoints.optimise, body);
        await begun();
      },
    });
  const excluded = new Set(
    (query.data?.list ?? []).filter((row) => row.status === 'excluded').map((row) => row.name),
  );
  const actsOf = (tables: readonly string[], after?: () => void) => {
    const kinds = tables.some((table) => excluded.has(table))
      ? (['optimise', 'repair'] as const)
      : (['backup', 'optimise', 'repair'] as const);
    return kinds.map((kind) => ({
      key: kind,
      label: t(($) => $.act[kind]),
      onClick: () => {
        askFor(kind, tables);
        after?.();
      },
    }));
  };
  return (
    <DataTable
      id="database-tables"
      label={t(($) => $.tabs.tables)}
      columns={columns}
      rowId={(row) => idOf(row.name)}
      rowName={(row) => row.name}
      query={query}
      state={search}
      onState={setSearch}
      filters={[
        { kind: 'text', name: 'name', label: t(($) => $.table.name), primary: true },
        choiceOf(
          'status',
          t(($) => $.table.status),
          statuses,
          (value) => t(($) => $.table[value]),
        ),
      ]}
      tools={
        <ExportButton
          endpoint={backupEndpoints.exportTables}
          body={filled({ name, status })}
          fileName={t(($) => $.tabs.tables)}
        />
      }
      empty={t(($) => $.table.empty)}
      {...(onAct
        ? {
            actions: (row: DatabaseTable) => {
              const [first = null, ...rest] = actsOf([row.name]);
              return <RowActs name={row.name} first={first} rest={rest} />;
            },
            bulk: (selection, clear) =>
              selection.kind === 'rows' &&
              actsOf(selection.ids.map(nameOf), clear).map(({ key, label, onClick }) => (
                <Button key={key} size="small" onClick={onClick}>
                  {label}
                </Button>
              )),
          }
        : {})}
    />
  );
};
