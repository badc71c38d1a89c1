import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { createStore, type StoreApi, useStore } from 'zustand';
import { type AlarmRow, alarmEndpoints } from '#contract/alarms.ts';
import type { ReplyOf } from '#contract/endpoint.ts';
import type { LiveEvent } from '#contract/live.ts';
import { call } from '#web/api/call.ts';
import { useLive } from '#web/api/live.ts';
import { keyOf, patchAnswer } from '#web/api/query.ts';
import { type AlarmSearch, listBodyOf } from './alarm-search.ts';
import { alarmsQuery } from './alarms.query.ts';

type AlarmPage = ReplyOf<typeof alarmEndpoints.list>;
const settleMs = 400;
/** Up to this many changed rows are loaded one by one; more of them as their page. */
const fewRows = 3;

/** How many new alarms wait to be shown. Only what shows the number is drawn again with it, not the rows beside it. */
export type FreshCount = StoreApi<{ count: number }>;
export const useFresh = (fresh: FreshCount): number => useStore(fresh, ({ count }) => count);

/**
 * Keeps a visible page of alarms up to date without moving it: changed rows are loaded and replaced in place;
 * new ones are only counted, and shown on request; on an empty page they appear at once. Events are
 * collected, so that a storm causes at most two renderings a second.
 */
export const useLiveAlarms = (
  search: AlarmSearch,
  concerns: (alarm: LiveEvent['alarm']) => boolean,
): { fresh: FreshCount; showFresh: () => void; renew: (ids: readonly number[]) => Promise<void> } => {
  const client = useQueryClient();
  const [fresh] = useState(() => createStore(() => ({ count: 0 })));
  const { queryKey } = alarmsQuery(search);
  const changed = useRef(new Set<number>());
  const counted = useRef(0);
  const timer = useRef<number | undefined>(undefined);
  const underway = useRef(false);
  useEffect(() => () => window.clearTimeout(timer.current), []);
  const place = JSON.stringify(queryKey);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another page or filter starts with what is on it
  useEffect(() => fresh.setState({ count: 0 }), [place]);

  const put = (rows: readonly AlarmRow[]) => {
    const byId = new Map(rows.map((row) => [row.id, row]));
    patchAnswer<AlarmPage>(client, queryKey, (known) => ({
      ...known,
      list: known.list.map((row) => byId.get(row.id) ?? row),
    }));
  };
  const one = async (id: number) => {
    const row: AlarmRow | null = await call(alarmEndpoints.detail, { id }, { quiet: true }).catch(() => null);
    return row;
  };
  const fetchRows = async (ids: readonly number[]) => {
    const page =
      ids.length > fewRows
        ? await call(alarmEndpoints.list, listBodyOf(search), { quiet: true }).catch(() => null)
        : null;
    const found = page?.list.filter(({ id }) => ids.includes(id)) ?? [];
    put(found);
    for (const id of ids.filter((each) => !found.some((row) => row.id === each))) {
      const row = await one(id);
      if (row) put([row]);
    }
  };
  const showFresh = () => {
    fresh.setState({ count: 0 });
    void client.invalidateQueries({ queryKey: keyOf(alarmEndpoints.list) });
  };
  const flush = () => {
    timer.current = undefined;
    if (counted.current > 0) {
      const more = counted.current;
      counted.current = 0;
      if (client.getQueryData<AlarmPage>(queryKey)?.list.length === 0) showFresh();
      else fresh.setState(({ count }) => ({ count: count + more }));
    }
    if (changed.current.size === 0) return;
    if (underway.current) {
      plan();
      return;
    }
    const shown = new Set(client.getQueryData<AlarmPage>(queryKey)?.list.map(({ id }) => id));
    const ids = [...changed.current].filter((id) => shown.has(id));
    changed.current = new Set();
    if (ids.length === 0) return;
    underway.current = true;
    void fetchRows(ids).finally(() => {
      underway.current = false;
    });
  };
  const plan = () => {
    timer.current ??= window.setTimeout(flush, settleMs);
  };
  const isShown = (id: number) =>
    client.getQueryData<AlarmPage>(queryKey)?.list.some((row) => row.id === id) ?? false;
  useLive('alarm_update', (alarm) => {
    if (!isShown(alarm.id)) return;
    changed.current.add(alarm.id);
    plan();
  });
  useLive('alarm', (alarm) => {
    if (isShown(alarm.id)) changed.current.add(alarm.id);
    else if (concerns(alarm)) counted.current += 1;
    else return;
    plan();
  });
  return { fresh, showFresh, renew: (ids) => fetchRows(ids.filter(isShown)) };
};
