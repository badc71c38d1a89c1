import { useQueryClient } from '@tanstack/react-query';
import { useCallback } from 'react';
import { type AlarmLogRow, alarmEndpoints } from '#contract/alarms.ts';
import { dashboardEndpoints } from '#contract/dashboard.ts';
import type { InputOf, ReplyOf } from '#contract/endpoint.ts';
import type { LiveEvent } from '#contract/live.ts';
import { useLive, useLiveDevice } from '#web/api/live.ts';
import { endpointQuery, keptQuery, keyOf, patchAnswer } from '#web/api/query.ts';
import { isBefore, newPosition } from '#web/values/line-ages.ts';
import { type AlarmSearch, listBodyOf } from './alarm-search.ts';

export type AlarmDetailed = ReplyOf<typeof alarmEndpoints.detail>;

export const alarmsQuery = (search: AlarmSearch) => keptQuery(alarmEndpoints.list, listBodyOf(search));
export const alarmQuery = (id: number) => endpointQuery(alarmEndpoints.detail, { id });

/** Keeps the state of the line of a shown alarm up to date, from its device's moves and readings. */
export const useLiveLineState = (alarm: AlarmDetailed): void => {
  const client = useQueryClient();
  useLiveDevice(alarm.line_state ? alarm.device_id : undefined);
  const patch = (lineId: number, change: (state: ShownLine) => Partial<ShownLine> | null) => {
    if (alarm.line_id !== lineId) return;
    patchAnswer<AlarmDetailed>(client, alarmQuery(alarm.id).queryKey, (known) =>
      known.line_state
        ? { ...known, line_state: { ...known.line_state, ...change(known.line_state) } }
        : known,
    );
  };
  useLive('line_state', ({ line_id, state, observed_at }) =>
    patch(line_id, (known) => positionOf(known, state, observed_at)),
  );
  useLive('reading', ({ line_id, state, at, values, trip }) =>
    patch(line_id, (known) =>
      isBefore(at, known.values_at)
        ? null
        : { values, trip, values_at: at, values_stale: false, ...positionOf(known, state, at) },
    ),
  );
};
type ShownLine = NonNullable<AlarmDetailed['line_state']>;
/** A line without a switch has no position. */
const positionOf = (
  { state, observed_at }: ShownLine,
  reported: LiveEvent['reading']['state'],
  at: string,
) => (state === null ? null : newPosition({ state, observed_at }, reported, at));

/** A log entry. Its key is its row number on the page. */
export type AlarmLogEntry = AlarmLogRow & { place: number };
const placed = (page: ReplyOf<typeof alarmEndpoints.log>) => ({
  ...page,
  list: page.list.map((row, place): AlarmLogEntry => ({ ...row, place })),
});
export const alarmLogQuery = (body: InputOf<typeof alarmEndpoints.log>) => ({
  ...keptQuery(alarmEndpoints.log, body),
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
