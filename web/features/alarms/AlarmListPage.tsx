import { useQuery } from '@tanstack/react-query';
import { Button, Segmented } from 'antd';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { alarmEndpoints } from '#contract/alarms.ts';
import { useCan } from '../../api/session.ts';
import { ExportButton } from '../../parts/ExportButton.tsx';
import { late } from '../../parts/late.tsx';
import { PageHeader } from '../../parts/PageHeader.tsx';
import { DataTable } from '../../parts/table/DataTable.tsx';
import type { Selection } from '../../parts/table/types.ts';
import { useUrlState } from '../../parts/url-state.ts';
import { AlarmCounters } from './AlarmCounters.tsx';
import { AlarmFilters } from './AlarmFilters.tsx';
import { AlarmRowActions } from './AlarmRowActions.tsx';
import { alarmSearch, filterOf, groupedSearch, isFiltered } from './alarm-search.ts';
import { alarmsQuery } from './alarms.query.ts';
import './alarms.css';
import { useAlarmActs } from './use-alarm-acts.tsx';
import { useAlarmColumns } from './use-alarm-columns.tsx';
import { useLiveAlarms } from './use-live-alarms.ts';

const AlarmGroups = late(async () => (await import('./AlarmGroups.tsx')).AlarmGroups);
const AlarmLog = late(async () => (await import('./AlarmLog.tsx')).AlarmLog);
const AlarmDrawer = late(async () => (await import('./AlarmDrawer.tsx')).AlarmDrawer);
const AlarmShelveDialog = late(async () => (await import('./AlarmShelveDialog.tsx')).AlarmShelveDialog);
const AlarmHandleDialog = late(async () => (await import('./AlarmHandleDialog.tsx')).AlarmHandleDialog);

/** The operator's queue, of all projects or of one. */
export const AlarmListPage = ({ project }: { project?: { id: number; name: string } }) => {
  const { t } = useTranslation('alarms');
  const [given, setSearch] = useUrlState(alarmSearch);
  const search = project ? { ...given, project_id: project.id } : given;
  const group = search.group === 'log' ? undefined : search.group;
  const isLog = search.group === 'log';
  const query = useQuery({
    ...alarmsQuery(group ? groupedSearch(search) : search),
    enabled: !isLog,
  });
  const { fresh, showFresh } = useLiveAlarms(
    group ? groupedSearch(search) : search,
    (alarm) =>
      (search.level === undefined || Number(search.level) === alarm.level) &&
      (search.device_id === undefined || search.device_id === alarm.device_id) &&
      (search.project_id === undefined || search.project_id === alarm.project_id) &&
      search.status !== 'processed',
  );
  const rows = query.data?.list ?? [];
  const [handling, setHandling] = useState<Selection>({ kind: 'none' });
  const [shelving, setShelving] = useState<readonly number[]>([]);
  const acts = useAlarmActs(rows, filterOf(search));
  const columns = useAlarmColumns(
    (id) => setSearch({ alarm: id }, { push: true }),
    project !== undefined,
  ).filter(({ key }) => !project || key !== 'project');
  const [canHandle, canUrge, canDelete] = [
    useCan('alarm.handle'),
    useCan('alarm.urge'),
    useCan('alarm.delete'),
  ];
  const total = query.data?.total ?? 0;

  const reset = () =>
    setSearch({
      ...Object.fromEntries(Object.keys(filterOf(search)).map((name) => [name, undefined])),
      project_id: project?.id,
    });
  const filtered = isFiltered(project ? { ...search, project_id: undefined } : search);
  const title = project ? `${project.name} · ${t(($) => $.title)}` : t(($) => $.title);
  return (
    <>
      <PageHeader title={title}>
        {!isLog && (
          <ExportButton endpoint={alarmEndpoints.export} body={filterOf(search)} fileName={`${title}.xlsx`} />
        )}
        <Segmented
          value={search.group ?? 'list'}
          aria-label={t(($) => $.group.label)}
          options={(['list', 'device', 'storm', 'log'] as const).map((value) => ({
            value,
            label: t(($) => $.group[value]),
          }))}
          onChange={(value) =>
            setSearch({ group: value === 'list' ? undefined : value, page: undefined }, { push: true })
          }
        />
        {canHandle && !isLog && search.status === 'unprocessed' && (
          <Button disabled={total === 0} onClick={() => setHandling({ kind: 'filter', total })}>
            {t(($) => $.handleAll, { count: total })}
          </Button>
        )}
      </PageHeader>
      {!isLog && <AlarmCounters search={search} onChange={setSearch} />}
      <AlarmFilters search={search} onChange={setSearch} ofProject={project !== undefined} />
      {isLog ? (
        <AlarmLog
          search={search}
          onChange={setSearch}
          filtered={filtered}
          onResetFilters={reset}
          onOpen={(id) => setSearch({ alarm: id }, { push: true })}
          ofProject={project !== undefined}
        />
      ) : group ? (
        <AlarmGroups
          search={{ ...search, group }}
          fresh={fresh}
          onShowFresh={showFresh}
          onOpen={(id) => setSearch({ alarm: id }, { push: true })}
          onHandle={(ids) => setHandling({ kind: 'rows', ids })}
          onUrge={(ids) => void acts.urge({ kind: 'rows', ids })}
        />
      ) : (
        <DataTable
          id="alarms"
          label={t(($) => $.title)}
          columns={columns}
          rowId={({ id }) => id}
          rowName={({ work_order }) => work_order}
          rowClass={({ level, status }) =>
            status === 'processed' ? '' : level >= 2 ? 'row-alarm' : 'row-early'
          }
          query={query}
          state={search}
          onState={setSearch}
          fresh={{ count: fresh, onShow: showFresh }}
          filtered={filtered}
          onResetFilters={reset}
          empty={t(($) => $.empty)}
          selectAll
          actions={(row) => (
            <AlarmRowActions
              row={row}
              onHandle={() => setHandling({ kind: 'rows', ids: [row.id] })}
              onUrge={() => void acts.urge({ kind: 'rows', ids: [row.id] })}
              onShelve={() => (row.shelved ? void acts.unshelve([row.id]) : setShelving([row.id]))}
              onDelete={() => void acts.remove({ kind: 'rows', ids: [row.id] })}
            />
          )}
          {...(canHandle || canUrge || canDelete
            ? {
                bulk: (selection: Selection, clear: () => void) => (
                  <>
                    {canHandle && (
                      <Button type="primary" onClick={() => setHandling(selection)}>
                        {t(($) => $.handle.act)}
                      </Button>
                    )}
                    {canHandle && selection.kind === 'rows' && !search.shelved && (
                      <Button onClick={() => setShelving(selection.ids)}>{t(($) => $.shelve.act)}</Button>
                    )}
                    {canHandle && selection.kind === 'rows' && search.shelved && (
                      <Button onClick={() => void acts.unshelve(selection.ids).then(clear)}>
                        {t(($) => $.shelve.back)}
                      </Button>
                    )}
                    {canUrge && (
                      <Button onClick={() => void acts.urge(selection).then(clear)}>
                        {t(($) => $.urge.act)}
                      </Button>
                    )}
                    {canDelete && (
                      <Button danger onClick={() => void acts.remove(selection).then(clear)}>
                        {t(($) => $.remove.act)}
                      </Button>
                    )}
                  </>
                ),
              }
            : {})}
        />
      )}
      {handling.kind !== 'none' && (
        <AlarmHandleDialog
          selection={handling}
          rows={rows}
          onClose={() => setHandling({ kind: 'none' })}
          onHandle={acts.handle}
        />
      )}
      {shelving.length > 0 && (
        <AlarmShelveDialog
          ids={shelving}
          rows={rows}
          onClose={() => setShelving([])}
          onShelve={(given) => acts.shelve(shelving, given)}
        />
      )}
      {acts.outcome}
      {search.alarm !== undefined && (
        <AlarmDrawer
          id={search.alarm}
          ids={rows.map(({ id }) => id)}
          onShow={(id) => setSearch({ alarm: id })}
          onHandle={(id) => setHandling({ kind: 'rows', ids: [id] })}
          onUrge={(id) => void acts.urge({ kind: 'rows', ids: [id] })}
        />
      )}
    </>
  );
};
