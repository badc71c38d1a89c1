import { PlusOutlined, PrinterOutlined } from '@ant-design/icons';
import { useQuery } from '@tanstack/react-query';
import { App, Button } from 'antd';
import { useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { type MaintenanceRow, maintenanceEndpoints, maintenanceKinds } from '#contract/maintenance.ts';
import { maintenanceKindWords } from '#contract/maintenance-words.ts';
import { attempt } from '#web/api/attempt.ts';
import { call } from '#web/api/call.ts';
import { filled } from '#web/api/filled.ts';
import { keptQuery, useReload } from '#web/api/query.ts';
import { useCan } from '#web/api/session.ts';
import { currentLanguage } from '#web/i18n/i18n.ts';
import { ExportButton } from '#web/parts/ExportButton.tsx';
import { late } from '#web/parts/late.tsx';
import { PageHeader } from '#web/parts/PageHeader.tsx';
import { useGo } from '#web/parts/PathLink.tsx';
import { paths } from '#web/parts/paths.ts';
import { DataTable } from '#web/parts/table/DataTable.tsx';
import { RowActs } from '#web/parts/table/RowActs.tsx';
import { useUrlState } from '#web/parts/url-state.ts';
import { useConfirm } from '#web/parts/use-confirm.ts';
import './maintenance.css';
import { choiceOf } from '#web/parts/filter-types.ts';
import { removeAct } from '#web/parts/table/remove.tsx';
import { filterNames, filterOf, maintenanceSearch } from './maintenance-search.ts';
import { useMaintenanceColumns } from './use-maintenance-columns.tsx';

const MaintenanceForm = late(async () => (await import('./MaintenanceForm.tsx')).MaintenanceForm);
const MaintenanceDrawer = late(async () => (await import('./MaintenanceDrawer.tsx')).MaintenanceDrawer);

/** Maintenance of all projects or one: list, form and printed record. */
export const MaintenancePage = ({ project }: { project?: { id: number; name: string } }) => {
  const { t } = useTranslation('maintenance');
  const refresh = useReload(maintenanceEndpoints.list);
  const { message } = App.useApp();
  const confirm = useConfirm();
  const mayWrite = useCan('maintenance.write');
  const go = useGo();
  const saved = useRef(false);
  const [asked, setSearch] = useUrlState(maintenanceSearch);
  const search = project ? { ...asked, project_id: project.id } : asked;
  const filter = filterOf(search);
  const { page, limit, sort, record, write } = search;
  const query = useQuery(
    keptQuery(maintenanceEndpoints.list, { page, limit, ...filled({ sort }), ...filter }),
  );
  const language = currentLanguage();
  const title = project ? `${project.name} · ${t(($) => $.title)}` : t(($) => $.title);
  const shownFilters = filterNames.filter((name) => !(project && name === 'project_id'));
  const remove = async (row: MaintenanceRow) => {
    const isSure = await confirm({
      title: t(($) => $.delete.title),
      content: `${row.project_name} · ${row.device_number} · ${row.content}`,
      okText: t(($) => $.delete.act),
      danger: true,
    });
    if (!isSure) return;
    await attempt(async () => {
      await call(maintenanceEndpoints.delete, { record_id: row.record_id });
      void message.success(t(($) => $.delete.done));
    });
    await refresh();
  };
  return (
    <>
      <PageHeader title={title}>
        <Button
          className="brief-button"
          icon={<PrinterOutlined aria-hidden />}
          onClick={() => window.print()}
        >
          {t(($) => $.print)}
        </Button>
        <ExportButton endpoint={maintenanceEndpoints.export} body={filter} fileName={t(($) => $.title)} />
        {mayWrite && (
          <Button
            type="primary"
            icon={<PlusOutlined aria-hidden />}
            onClick={() => setSearch({ write: 'new', record: undefined }, { push: true })}
          >
            {t(($) => $.add)}
          </Button>
        )}
      </PageHeader>
      <DataTable<MaintenanceRow>
        id="maintenance"
        label={title}
        columns={useMaintenanceColumns(
          (id) => setSearch({ record: id, write: undefined }, { push: true }),
          project !== undefined,
        )}
        rowId={({ record_id }) => record_id}
        rowName={({ content }) => content}
        query={query}
        state={search}
        onState={setSearch}
        filtered={shownFilters.some((name) => search[name] !== undefined)}
        onResetFilters={() => setSearch(Object.fromEntries(shownFilters.map((name) => [name, undefined])))}
        filters={[
          { kind: 'text', name: 'device_number', label: t(($) => $.column.device), primary: true },
          ...(project
            ? []
            : [{ kind: 'project' as const, name: 'project_id', label: t(($) => $.column.project) }]),
          choiceOf(
            'kind',
            t(($) => $.column.kind),
            maintenanceKinds,
            (value) => maintenanceKindWords[value][language],
          ),
          { kind: 'text', name: 'handler', label: t(($) => $.column.handler) },
          { kind: 'text', name: 'keyword', label: t(($) => $.keyword) },
          { kind: 'range', from: 'from', to: 'to', label: [t(($) => $.from), t(($) => $.to)] },
        ]}
        empty={t(($) => (mayWrite ? $.emptyFirst : $.empty))}
        {...(mayWrite
          ? {
              actions: (row: MaintenanceRow) => (
                <RowActs
                  name={row.content}
                  first={{
                    key: 'edit',
                    label: t(($) => $.edit),
                    onClick: () => setSearch({ record: row.record_id, write: 'edit' }, { push: true }),
                  }}
                  rest={[
                    removeAct(
                      t(($) => $.delete.act),
                      () => void remove(row),
                    ),
                  ]}
                />
              ),
            }
          : {})}
      />
      {record !== undefined && write === undefined && (
        <MaintenanceDrawer id={record} onClose={() => setSearch({ record: undefined })} />
      )}
      {mayWrite && (write === 'new' || (write === 'edit' && record !== undefined)) && (
        <MaintenanceForm
          id={write === 'edit' ? (record ?? null) : null}
          start={{
            project_id: search.project_id,
            device_id: search.device_id,
            alarm_id: search.alarm_id,
            line_id: search.line_id,
          }}
          fixedProject={project ?? null}
          onSaved={() => {
            saved.current = true;
            void refresh();
          }}
          onClose={() => {
            const { device_id, line_id } = search;
            if (saved.current && write === 'new' && device_id !== undefined && line_id !== undefined)
              go(paths.device(device_id, { tab: 'lines' }));
            else setSearch({ write: undefined, record: undefined, line_id: undefined });
            saved.current = false;
          }}
        />
      )}
    </>
  );
};
