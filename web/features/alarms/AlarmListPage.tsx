import { useQuery } from '@tanstack/react-query';
import { Button, Segmented } from 'antd';
import { useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { type AlarmRow, alarmEndpoints } from '#contract/alarms.ts';
import type { FetchFirst } from '#web/api/query.ts';
import { useCan } from '#web/api/session.ts';
import { useKnown } from '#web/api/use-known.ts';
import { ExportButton } from '#web/parts/ExportButton.tsx';
import { late } from '#web/parts/late.tsx';
import type { Selection } from '#web/parts/table/types.ts';
import { type SetUrl, useUrlState } from '#web/parts/url-state.ts';
import { useLow, useRoom } from '#web/theme/use-room.ts';
import { AlarmBulk, useCanBulk } from './AlarmBulk.tsx';
import { type AlarmSearch, alarmSearch, filterOf, groupedSearch, isFiltered } from './alarm-search.ts';
import { alarmsQuery } from './alarms.query.ts';
import './alarms.css';
import { QueueView } from './queue/QueueView.tsx';
import { useAlarmActs } from './use-alarm-acts.tsx';
import { useLiveAlarms } from './use-live-alarms.ts';

const AlarmCards = late(async () => (await import('./AlarmCards.tsx')).AlarmCards);
const AlarmHead = late(
  async () => (await import('./AlarmHead.tsx')).AlarmHead,
  <div className="alarm-head-room" />,
);
const AlarmGroups = late(async () => (await import('./AlarmGroups.tsx')).AlarmGroups);
const AlarmLog = late(async () => (await import('./AlarmLog.tsx')).AlarmLog);
const AlarmDrawer = late(async () => (await import('./AlarmDrawer.tsx')).AlarmDrawer);
const AlarmShelveDialog = late(async () => (await import('./AlarmShelveDialog.tsx')).AlarmShelveDialog);
const AlarmHandleDialog = late(async () => (await import('./AlarmHandleDialog.tsx')).AlarmHandleDialog);

/** The log has rows of its own. */
const askedOf = (search: AlarmSearch): AlarmSearch =>
  search.group === undefined || search.group === 'log' ? search : groupedSearch(search);
export const fetchFirst: FetchFirst = async (client, given) => {
  const search = alarmSearch.parse(given);
  if (search.group !== 'log') await client.prefetchQuery(alarmsQuery(askedOf(search)));
};

interface Place {
  project?: { id: number; name: string };
}
/** The same list under its menu name for both levels: as a settings page, and within a project. */
export const EarlyWarningPage = (place: Place) => <AlarmListPage {...place} named="titleOfBoth" />;

/** The operator's queue, for all projects or one. */
export const AlarmListPage = ({ project, named = 'title' }: Place & { named?: 'title' | 'titleOfBoth' }) => {
  const { t } = useTranslation('alarms');
  const low = useLow();
  const wide = useRoom('table') && !low;
  const [given, setSearch] = useUrlState(alarmSearch);
  const search = project ? { ...given, project_id: project.id } : given;
  const group = search.group === 'log' ? undefined : search.group;
  const isLog = search.group === 'log';
  const asked = askedOf(search);
  const query = useQuery({ ...alarmsQuery(asked), enabled: !isLog });
  const { fresh, showFresh, renew } = useLiveAlarms(
    asked,
    (alarm) =>
      (search.level === undefined || Number(search.level) === alarm.level) &&
      (search.device_id === undefined || search.device_id === alarm.device_id) &&
      (search.line_id === undefined || search.line_id === alarm.line_id) &&
      (search.project_id === undefined || search.project_id === alarm.project_id) &&
      search.status !== 'processed',
  );
  const rows = query.data?.list ?? [];
  const [handling, setHandling] = useState<Selection>({ kind: 'none' });
  const [shelving, setShelving] = useState<readonly number[]>([]);
  const acts = useAlarmActs(rows, filterOf(search), renew);
  const [canHandle, canBulk] = [useCan('alarm.handle'), useCanBulk()];
  const total = useKnown(query)?.total;

  const reset = () =>
    setSearch({
      ...Object.fromEntries(Object.keys(filterOf(search)).map((name) => [name, undefined])),
      project_id: project?.id,
    });
  const filtered = isFiltered(project ? { ...search, project_id: undefined } : search);
  const name = t(($) => $[named]);
  const title = project ? `${project.name} · ${name}` : name;
  const only = (id: number): Selection => ({ kind: 'rows', ids: [id] });
  const hands = {
    show: (id: number) => setSearch({ alarm: id }, { push: search.alarm === undefined }),
    handle: (ids: readonly number[]) => setHandling({ kind: 'rows', ids }),
    urge: (ids: readonly number[]) => void acts.urge({ kind: 'rows', ids }),
    shelve: (row: AlarmRow) => (row.shelved ? void acts.unshelve([row.id]) : setShelving([row.id])),
    remove: (id: number) => void acts.remove(only(id)),
  };
  const bulk = canBulk
    ? (selection: Selection, clear: () => void) => (
        <AlarmBulk
          selection={selection}
          isShelf={search.shelved !== undefined}
          onHandle={() => setHandling(selection)}
          onShelve={setShelving}
          onUnshelve={(ids) => void acts.unshelve(ids).then(clear)}
          onUrge={() => void acts.urge(selection).then(clear)}
          onDelete={() => void acts.remove(selection).then(clear)}
        />
      )
    : undefined;
  const handleAll = (first?: () => void) =>
    canHandle &&
    !isLog &&
    search.status === 'unprocessed' && (
      <HandleAll
        total={total}
        failed={query.isError}
        onHandle={(known) => {
          first?.();
          setHandling({ kind: 'filter', total: known });
        }}
      />
    );
  const tools = <Tools search={search} title={title} onChange={setSearch} />;
  const view = { query, search, onChange: setSearch, ofProject: project !== undefined, fresh };
  const clearing = { filtered, onResetFilters: reset, onShowFresh: showFresh };
  return (
    <>
      {wide && !isLog ? (
        <QueueView
          {...view}
          {...clearing}
          title={title}
          tools={tools}
          handleAll={handleAll()}
          group={group}
          bulk={bulk}
          hands={hands}
        />
      ) : (
        <>
          <AlarmHead
            {...{ title, tools, handleAll, search, fresh }}
            ofProject={view.ofProject}
            total={total}
            onChange={setSearch}
            onShowFresh={showFresh}
            onRefresh={isLog ? null : () => void query.refetch()}
            onReset={reset}
          />
          {isLog ? (
            <AlarmLog {...view} {...clearing} onOpen={hands.show} />
          ) : group ? (
            <AlarmGroups
              search={{ ...search, group }}
              fresh={fresh}
              onShowFresh={showFresh}
              onOpen={hands.show}
              onHandle={hands.handle}
              onUrge={hands.urge}
            />
          ) : (
            <AlarmCards
              {...{ query, search, filtered }}
              ofProject={view.ofProject}
              onChange={setSearch}
              onResetFilters={reset}
              bulk={bulk}
              onHandle={(id) => setHandling(only(id))}
              onUrge={(id) => hands.urge([id])}
              onShelve={hands.shelve}
              onDelete={hands.remove}
            />
          )}
          {search.alarm !== undefined && (
            <AlarmDrawer
              id={search.alarm}
              ids={rows.map(({ id }) => id)}
              onShow={(id) => setSearch({ alarm: id })}
              onHandle={(id) => setHandling(only(id))}
              onUrge={(id) => hands.urge([id])}
              onShelve={hands.shelve}
            />
          )}
        </>
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
          onShelve={(values) => acts.shelve(shelving, values)}
        />
      )}
      {acts.outcome}
    </>
  );
};

/** The export, and how the list is arranged. */
const Tools = ({ search, title, onChange }: { search: AlarmSearch; title: string; onChange: SetUrl }) => {
  const { t } = useTranslation('alarms');
  return (
    <>
      {search.group !== 'log' && (
        <ExportButton endpoint={alarmEndpoints.export} body={filterOf(search)} fileName={title} />
      )}
      <Segmented
        value={search.group ?? 'list'}
        aria-label={t(($) => $.group.label)}
        options={(['list', 'device', 'storm', 'log'] as const).map((value) => ({
          value,
          label: t(($) => $.group[value]),
        }))}
        onChange={(value) =>
          onChange({ group: value === 'list' ? undefined : value, page: undefined }, { push: true })
        }
      />
    </>
  );
};

/** The server handles all matching alarms only if they are as many as the user saw. */
const HandleAll = ({
  total,
  failed,
  onHandle,
}: {
  /** Undefined: not known. */
  total: number | undefined;
  failed: boolean;
  onHandle: (total: number) => void;
}) => {
  const { t } = useTranslation('alarms');
  const id = useId();
  if (total !== undefined)
    return (
      <Button disabled={total === 0} onClick={() => onHandle(total)}>
        {t(($) => $.handleAll, { count: total })}
      </Button>
    );
  return (
    <>
      <Button disabled aria-describedby={failed ? id : undefined}>
        {t(($) => $.handleAllUnknown)}
      </Button>
      {failed && (
        <span id={id} className="soft">
          {t(($) => $.numberUnknown)}
        </span>
      )}
    </>
  );
};
