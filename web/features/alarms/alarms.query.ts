import { keepPreviousData, queryOptions, useQueryClient } from '@tanstack/react-query';
import { useCallback, useRef, useState } from 'react';
import { type AlarmRow, alarmEndpoints } from '#contract/alarms.ts';
import { dashboardEndpoints } from '#contract/dashboard.ts';
import type { ReplyOf } from '#contract/endpoint.ts';
import type { LiveEvent } from '#contract/live.ts';
import { call } from '../../api/call.ts';
import { useLive } from '../../api/live.ts';
import { endpointQuery, keyOf } from '../../api/query.ts';
import { type AlarmSearch, listBodyOf } from './alarm-search.ts';

type AlarmPage = ReplyOf<typeof alarmEndpoints.list>;

export const alarmsQuery = (search: AlarmSearch) =>
  queryOptions({
    ...endpointQuery(alarmEndpoints.list, listBodyOf(search)),
    placeholderData: keepPreviousData,
  });
export const alarmQuery = (id: number) => endpointQuery(alarmEndpoints.detail, { id });

/** Makes everything that shows alarms stale, after something was done to them. */
export const useAlarmsChanged = (): (() => Promise<void>) => {
  const client = useQueryClient();
  return useCallback(async () => {
    await Promise.all(
      [alarmEndpoints.list, alarmEndpoints.detail, dashboardEndpoints.census, dashboardEndpoints.latest].map(
        (endpoint) => client.invalidateQueries({ queryKey: keyOf(endpoint) }),
      ),
    );
  }, [client]);
};

/**
 * Keeps a shown page of alarms true without moving it: a row that changed is fetched and replaced in place; new ones
 * are only counted, and come when asked for.
 */
export const useLiveAlarms = (
  search: AlarmSearch,
  concerns: (alarm: LiveEvent['alarm']) => boolean,
): { fresh: number; showFresh: () => void } => {
  const client = useQueryClient();
  const [fresh, setFresh] = useState(0);
  const { queryKey } = alarmsQuery(search);
  const underway = useRef(new Set<number>());

  const replace = (alarm: LiveEvent['alarm']) => {
    const page = client.getQueryData<AlarmPage>(queryKey);
    if (!page?.list.some(({ id }) => id === alarm.id) || underway.current.has(alarm.id)) return false;
    underway.current.add(alarm.id);
    void call(alarmEndpoints.detail, { id: alarm.id }, { quiet: true })
      .then((row: AlarmRow) =>
        client.setQueryData<AlarmPage>(
          queryKey,
          (before) =>
            before && { ...before, list: before.list.map((each) => (each.id === row.id ? row : each)) },
        ),
      )
      .catch(() => undefined)
      .finally(() => underway.current.delete(alarm.id));
    return true;
  };
  useLive('alarm_update', (alarm) => void replace(alarm));
  useLive('alarm', (alarm) => {
    if (!replace(alarm) && concerns(alarm)) setFresh((before) => before + 1);
  });
  const showFresh = () => {
    setFresh(0);
    void client.invalidateQueries({ queryKey: keyOf(alarmEndpoints.list) });
  };
  return { fresh, showFresh };
};

export type AlarmDetailed = ReplyOf<typeof alarmEndpoints.detail>;
