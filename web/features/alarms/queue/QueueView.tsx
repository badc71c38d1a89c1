import { Button } from 'antd';
import { type ReactNode, useEffect, useMemo, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import { useTranslation } from 'react-i18next';
import type { AlarmRow } from '#contract/alarms.ts';
import { useKnown } from '#web/api/use-known.ts';
import type { QueryLike } from '#web/parts/DataState.tsx';
import { EmptyList } from '#web/parts/EmptyList.tsx';
import { late } from '#web/parts/late.tsx';
import { PageHeader } from '#web/parts/PageHeader.tsx';
import { countOf, type ListData, type Selection } from '#web/parts/table/types.ts';
import { useColumns } from '#web/parts/table/use-columns.ts';
import { useLastPage } from '#web/parts/table/use-last-page.ts';
import type { SetUrl } from '#web/parts/url-state.ts';
import { useFrame } from '#web/parts/use-frame.ts';
import { AlarmCounters } from '../AlarmCounters.tsx';
import { useAlarmFields } from '../AlarmFilters.tsx';
import type { AlarmSearch } from '../alarm-search.ts';
import type { FreshCount } from '../use-live-alarms.ts';
import { AlarmQueue } from './AlarmQueue.tsx';
import { QueuePicked, QueueTools } from './QueueBars.tsx';
import type { RowHands } from './QueueRow.tsx';
import './queue.css';
import { sectionsOf } from './queue-sections.ts';
import { useQueueColumns } from './use-queue-columns.tsx';
import { focusRow, useQueueKeys } from './use-queue-keys.ts';

const AlarmPanel = late(async () => (await import('../AlarmPanel.tsx')).AlarmPanel);
const none: Selection = { kind: 'none' };

interface ListHands {
  show: (id: number) => void;
  handle: (ids: readonly number[]) => void;
  urge: (ids: readonly number[]) => void;
  shelve: (row: AlarmRow) => void;
  remove: (id: number) => void;
}

/**
 * Two bars, the rows, and the shown alarm beside them: the view fills the window, and only the rows scroll.
 */
export const QueueView = ({
  query,
  search,
  onChange,
  ofProject,
  fresh,
  onShowFresh,
  filtered,
  onResetFilters,
  title,
  tools,
  handleAll,
  group,
  bulk,
  hands,
}: {
  query: QueryLike<ListData<AlarmRow>>;
  search: AlarmSearch;
  onChange: SetUrl;
  ofProject: boolean;
  fresh: FreshCount;
  onShowFresh: () => void;
  filtered: boolean;
  onResetFilters: () => void;
  title: string;
  tools: ReactNode;
  handleAll: ReactNode;
  group: 'device' | 'storm' | undefined;
  bulk: ((selection: Selection, clear: () => void) => ReactNode) | undefined;
  hands: ListHands;
}) => {
  const { t } = useTranslation('alarms');
  useFrame('queue');
  const [folded, setFolded] = useState<ReadonlySet<string>>(new Set());
  const [here, setHere] = useState<number>();
  const fields = useAlarmFields(search, ofProject);
  const columns = useQueueColumns(ofProject);
  const { shown: chosenColumns, chosen, choose } = useColumns('alarms', columns);
  const columnsKey = chosen.join();
  // biome-ignore lint/correctness/useExhaustiveDependencies: the same columns are the same array, so that rows stay as they are
  const shownColumns = useMemo(() => chosenColumns, [columns, columnsKey]);
  const rows = query.data?.list;
  const sections = useMemo(() => sectionsOf(rows ?? [], group), [rows, group]);
  const ids = sections
    .filter(({ key }) => !folded.has(key))
    .flatMap((section) => section.rows.map(({ id }) => id));
  const shown = search.alarm;
  const current = shown ?? (here !== undefined && ids.includes(here) ? here : ids[0]);
  const total = useKnown(query)?.total;
  const { page, limit, sort } = search;
  const { selection, setSelection, pick } = useSelection(JSON.stringify([page, limit, sort, group]));
  const isBeyond = useLastPage(query.data, search, onChange);
  const first = ids[0];
  useEffect(() => {
    if (search.show === 'first' && first !== undefined) onChange({ alarm: first, show: undefined });
  }, [search.show, first, onChange]);

  const move = (id: number) => {
    // Its row may not have been drawn yet.
    flushSync(() => setHere(id));
    if (shown !== undefined) onChange({ alarm: id });
    focusRow(id);
  };
  const rowOf = (id: number) => rows?.find((row) => row.id === id);
  const isOpen = (id: number) => rowOf(id)?.status === 'unprocessed';
  const rowHands = useRowHands(hands, pick, setHere);
  const canAct = bulk !== undefined;
  useQueueKeys({
    ids,
    current,
    onMove: move,
    onShow: rowHands.show,
    onLeave:
      shown === undefined
        ? null
        : () => {
            onChange({ alarm: undefined, full: undefined });
            focusRow(shown);
          },
    acts: {
      h: (id) => canAct && isOpen(id) && hands.handle([id]),
      r: (id) => canAct && isOpen(id) && hands.urge([id]),
      x: (id) => canAct && pick(id),
      s: (id) => {
        const row = rowOf(id);
        if (canAct && row && row.status === 'unprocessed' && row.active) hands.shelve(row);
      },
    },
  });
  const classes = ['queue-body', shown === undefined ? '' : 'has-panel', search.full ? 'is-full' : ''];
  return (
    <div className="queue">
      <div className="queue-bar queue-top">
        <PageHeader title={title} note={<AlarmCounters search={search} onChange={onChange} />}>
          {tools}
        </PageHeader>
      </div>
      {countOf(selection) > 0 && bulk ? (
        <PickedBar
          selection={selection}
          onSelection={setSelection}
          total={group === undefined ? total : undefined}
          bulk={bulk}
        />
      ) : (
        <QueueTools
          fields={fields}
          values={search}
          state={search}
          onState={onChange}
          total={total}
          fresh={fresh}
          onShowFresh={onShowFresh}
          columns={columns}
          chosen={chosen}
          onChoose={choose}
          onRefresh={() => void query.refetch()}
          pages={group === undefined}
          handleAll={handleAll}
        />
      )}
      {group && rows && total !== undefined && total > rows.length && (
        <p className="soft queue-part">{t(($) => $.group.part, { count: rows.length, total })}</p>
      )}
      <div className={classes.filter(Boolean).join(' ')}>
        <AlarmQueue
          query={query}
          sections={sections}
          by={group}
          folded={folded}
          columns={shownColumns}
          state={search}
          onState={onChange}
          current={current}
          needed={1 + Math.max(...[current, here].map((id) => (id === undefined ? -1 : ids.indexOf(id))))}
          shown={shown}
          selection={selection}
          onSelection={bulk ? setSelection : null}
          hands={rowHands}
          onFold={(key) =>
            setFolded((before) => {
              const next = new Set(before);
              if (!next.delete(key)) next.add(key);
              return next;
            })
          }
          onHandle={hands.handle}
          onUrge={hands.urge}
          empty={
            <EmptyList filtered={filtered && !isBeyond} onResetFilters={onResetFilters}>
              {!isBeyond && t(($) => $.empty)}
            </EmptyList>
          }
        />
        {shown !== undefined && (
          <AlarmPanel
            id={shown}
            ids={ids}
            full={search.full !== undefined}
            onFull={(full) => onChange({ full: full ? true : undefined }, { push: true })}
            onShow={(id) => (id === undefined ? onChange({ alarm: undefined, full: undefined }) : move(id))}
            onHandle={(id) => hands.handle([id])}
            onUrge={(id) => hands.urge([id])}
            onShelve={hands.shelve}
          />
        )}
      </div>
    </div>
  );
};

/** What is selected; another place of the list ends it, because what was picked stands on the page that is left. */
const useSelection = (place: string) => {
  const [selection, setSelection] = useState<Selection>(none);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another place ends it, whatever is picked
  useEffect(() => setSelection(none), [place]);
  const pick = (id: number) =>
    setSelection((before) => {
      const picked = before.kind === 'rows' ? before.ids : [];
      const next = picked.includes(id) ? picked.filter((each) => each !== id) : [...picked, id];
      return next.length === 0 ? none : { kind: 'rows', ids: next };
    });
  return { selection, setSelection, pick };
};

/** The acts of a row: always the same object, so that a row is drawn again only if it changes. */
const useRowHands = (
  hands: ListHands,
  pick: (id: number) => void,
  setHere: (id: number) => void,
): RowHands => {
  const latest = useRef({ hands, pick, setHere });
  useEffect(() => {
    latest.current = { hands, pick, setHere };
  });
  return useMemo<RowHands>(
    () => ({
      show: (id) => {
        latest.current.setHere(id);
        latest.current.hands.show(id);
      },
      pick: (id) => latest.current.pick(id),
      handle: (id) => latest.current.hands.handle([id]),
      urge: (id) => latest.current.hands.urge([id]),
      shelve: (row) => latest.current.hands.shelve(row),
      remove: (id) => latest.current.hands.remove(id),
    }),
    [],
  );
};

/** The number of selected alarms and what can be done with them. `total`: how many the filter has, if all of them can be selected. */
const PickedBar = ({
  selection,
  onSelection,
  total,
  bulk,
}: {
  selection: Selection;
  onSelection: (selection: Selection) => void;
  total: number | undefined;
  bulk: (selection: Selection, clear: () => void) => ReactNode;
}) => {
  const { t: tc } = useTranslation('common');
  const count = countOf(selection);
  const clear = () => onSelection(none);
  return (
    <QueuePicked>
      <strong>
        {selection.kind === 'filter'
          ? tc(($) => $.table.allSelected, { count })
          : tc(($) => $.table.selected, { count })}
      </strong>
      {selection.kind === 'rows' && total !== undefined && total > count && (
        <Button type="link" onClick={() => onSelection({ kind: 'filter', total })}>
          {tc(($) => $.table.selectAll, { count: total })}
        </Button>
      )}
      {bulk(selection, clear)}
      <span className="page-header-gap" />
      <Button type="text" onClick={clear}>
        {tc(($) => $.table.clear)}
      </Button>
    </QueuePicked>
  );
};
