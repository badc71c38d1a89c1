import { keepPreviousData, queryOptions, useQueryClient } from '@tanstack/react-query';
import { useCallback } from 'react';
import { type AlarmLogRow, alarmEndpoints } from '#contract/alarms.ts';
import { dashboardEndpoints } from '#contract/dashboard.ts';
import type { InputOf, ReplyOf } from '#contract/endpoint.ts';
import { endpointQuery, keyOf } from '#web/api/query.ts';
import { type AlarmSearch, listBodyOf } from './alarm-search.ts';

export type AlarmDetailed = ReplyOf<typeof alarmEndpoints.detail>;

export const alarmsQuery = (search: AlarmSearch) =>
  queryOptions({
    ...endpointQuery(alarmEndpoints.list, listBodyOf(search)),
    placeholderData: keepPreviousData,
  });
export const alarmQuery = (id: number) => endpointQuery(alarmEndpoints.detail, { id });

/** A log entry. Its key is its row number on the page. */
export type AlarmLogEntry = AlarmLogRow & { place: number };
const placed = (page: ReplyOf<typeof alarmEndpoints.log>) => ({
  ...page,
  list: page.list.map((row, place): AlarmLogEntry => ({ ...row, place })),
});
export const alarmLogQuery = (body: InputOf<typeof alarmEndpoints.log>) => ({
  ...endpointQuery(alarmEndpoints.log, body),
  placeholderData: keepPreviousData,
  select: placed,
});

const touched = [
  alarmEndpoints.list,
  alarmEndpoints.detail,
  alarmEndpoints.census,
  dashboardEndpoints.census,
  dashboardEndpoints.latest,
];
/**
 * Invalidates everything that shows alarms, after an act on them. `inPlace`: the rows of the visible list are
 * updated one by one and keep their order under the pointer; the list is sorted again when it is next loaded.
 */
export const useAlarmsChanged = (): ((inPlace: boolean) => Promise<void>) => {
  const client = useQueryClient();
  return useCallback(
    async (inPlace) => {
      await Promise.all(
        touched.map((endpoint) =>
          client.invalidateQueries({
            queryKey: keyOf(endpoint),
            refetchType: inPlace && endpoint === alarmEndpoints.list ? 'none' : 'active',
          }),
        ),
      );
    },
    [client],
  );
};
