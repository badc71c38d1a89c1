import { useQuery } from '@tanstack/react-query';
import { App, Button } from 'antd';
import { useTranslation } from 'react-i18next';
import { type BackupRow, backupEndpoints } from '#contract/backups.ts';
import { call } from '#web/api/call.ts';
import { saveAddress } from '#web/api/download.ts';
import { filled } from '#web/api/filled.ts';
import { keptQuery } from '#web/api/query.ts';
import { useFormats } from '#web/i18n/format.ts';
import { ExportButton } from '#web/parts/ExportButton.tsx';
import { choiceOf } from '#web/parts/filter-types.ts';
import { DataTable } from '#web/parts/table/DataTable.tsx';
import type { DataColumn } from '#web/parts/table/types.ts';
import type { SetUrl } from '#web/parts/url-state.ts';
import { TimeText } from '#web/values/TimeText.tsx';
import { useBytes } from '#web/values/use-bytes.ts';
import type { Act } from './ActDialog.tsx';
import { type BackupSearch, idOf, nameOf } from './backup-search.ts';
import { useBegun, useChanged } from './backups.query.ts';

const causes = ['manual', 'schedule', 'beforeRestore', 'beforeUpgrade', 'commandLine'] as const;

const useBackupColumns = (): DataColumn<BackupRow>[] => {
  const { t } = useTranslation('backups');
  const { number } = useFormats();
  const bytes = useBytes();
  return [
    {
      key: 'name',
      title: t(($) => $.file.name),
      required: true,
      card: 'title',
      sort: 'name',
      render: ({ name, cause }) => (
        <span className="backup-lines">
          <code>{name}</code>
          {cause && <span className="soft">{t(($) => $.file.causes[cause])}</span>}
        </span>
      ),
    },
    {
      key: 'at',
      title: t(($) => $.file.at),
      sort: 'made_at',
      render: ({ made_at }) => <TimeText at={made_at} />,
    },
    {
      key: 'holds',
      title: t(($) => $.file.holds),
      render: ({ whole, tables, rows }) => (
        <span className="backup-lines">
          {whole ? t(($) => $.file.whole) : t(($) => $.file.tables, { count: tables })}
          <span className="soft tabular">{t(($) => $.job.rows, { rows: number(rows) })}</span>
        </span>
      ),
    },
    {
      key: 'volumes',
      title: t(($) => $.file.volumes),
      align: 'right',
      render: ({ volumes }) => <span className="tabular">{number(volumes)}</span>,
    },
    {
      key: 'size',
      title: t(($) => $.file.size),
      sort: 'bytes',
      align: 'right',
      render: ({ bytes: size, compression, encrypted }) => (
        <span className="backup-lines">
          <span className="tabular nowrap">{bytes(size)}</span>
          <span className="soft nowrap">
            {[compression, encrypted && t(($) => $.file.encrypted)].filter(Boolean).join(', ')}
          </span>
        </span>
      ),
    },
    {
      key: 'state',
      title: t(($) => $.file.state),
      card: 'state',
      render: ({ state }) =>
        state === 'damaged' ? <strong>{t(($) => $.file.damaged)}</strong> : t(($) => $.file.complete),
    },
    {
      key: 'proved',
      title: t(($) => $.file.proved),
      render: ({ proved_at }) => <TimeText at={proved_at} />,
    },
  ];
};

/** The acts on a backup, each with a password. */
const useBackupActs = (onAct: ((act: Act) => void) | null) => {
  const { t } = useTranslation('backups');
  const { message } = App.useApp();
  const [begun, changed] = [useBegun(), useChanged()];
  return {
    download: (name: string) =>
      onAct?.({
        title: t(($) => $.act.download),
        okText: t(($) => $.act.download),
        text: t(($) => $.act.downloadText, { name }),
        run: async ({ password }) => {
          const { ticket, file_name } = await call(backupEndpoints.permitDownload, { name, password });
          // The browser itself saves it, because a backup is too large for a page's memory.
          saveAddress(`${backupEndpoints.download.path}?ticket=${encodeURIComponent(ticket)}`, file_name);
        },
      }),
    drill: (name: string, encrypted: boolean) =>
      onAct?.({
        title: t(($) => $.act.drill),
        okText: t(($) => $.act.drill),
        text: t(($) => $.act.drillText, { name }),
        ...(encrypted ? { passphrase: 'needed' as const } : {}),
        run: async (values) => {
          await call(backupEndpoints.drill, { ...values, name });
          await begun();
        },
      }),
    remove: (names: readonly string[]) =>
      onAct?.({
        title: t(($) => $.act.removeTitle, { count: names.length }),
        okText: t(($) => $.act.remove),
        danger: true,
        text: t(($) => $.act.removeText, { names: names.join(', ') }),
        run: async ({ password }) => {
          const { done, left } = await call(backupEndpoints.remove, { names: [...names], password });
          if (done > 0) void message.success(t(($) => $.act.removed, { count: done }));
          for (const each of left) void message.warning(`${each.name}: ${each.message}`);
          await changed();
        },
      }),
  };
};

/** The backups on the server's disk. */
export const BackupsTab = ({
  search,
  setSearch,
  onAct,
}: {
  search: BackupSearch;
  setSearch: SetUrl;
  onAct: ((act: Act) => void) | null;
}) => {
  const { t } = useTranslation('backups');
  const columns = useBackupColumns();
  const acts = useBackupActs(onAct);
  const { page, limit, sort, cause } = search;
  const query = useQuery(
    keptQuery(backupEndpoints.backups, {
      page,
      limit,
      ...filled({ sort, cause }),
    }),
  );
  const actions = ({ name, state, encrypted, whole }: BackupRow) => (
    <>
      {state === 'complete' && (
        <Button size="small" onClick={() => setSearch({ restore: name }, { push: true })}>
          {t(($) => $.act.restore)}
        </Button>
      )}
      {state === 'complete' && (
        <Button size="small" onClick={() => acts.download(name)}>
          {t(($) => $.act.download)}
        </Button>
      )}
      {state === 'complete' && whole && (
        <Button size="small" onClick={() => acts.drill(name, encrypted)}>
          {t(($) => $.act.prove)}
        </Button>
      )}
      <Button size="small" onClick={() => acts.remove([name])}>
        {t(($) => $.act.remove)}
      </Button>
    </>
  );
  return (
    <DataTable
      id="database-backups"
      label={t(($) => $.tabs.backups)}
      columns={columns}
      rowId={(row) => idOf(row.name)}
      rowName={(row) => row.name}
      query={query}
      state={search}
      onState={setSearch}
      filters={[
        choiceOf(
          'cause',
          t(($) => $.file.cause),
          causes,
          (value) => t(($) => $.file.causes[value]),
        ),
      ]}
      tools={
        <ExportButton
          endpoint={backupEndpoints.exportBackups}
          body={filled({ cause })}
          fileName={t(($) => $.tabs.backups)}
        />
      }
      empty={t(($) => $.file.empty)}
      {...(onAct
        ? {
            actions,
            bulk: (selection, clear) =>
              selection.kind === 'rows' && (
                <Button
                  danger
                  onClick={() => {
                    acts.remove(selection.ids.map(nameOf));
                    clear();
                  }}
                >
                  {t(($) => $.act.remove)}
                </Button>
              ),
          }
        : {})}
    />
  );
};
