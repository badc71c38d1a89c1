import type { ReplyOf } from '#contract/endpoint.ts';
import { timerEndpoints } from '#contract/timers.ts';
import { endpointQuery, keptQuery, useReload } from '#web/api/query.ts';
import { useLiveRefresh } from '#web/api/use-live-refresh.ts';
import { type TimerSearch, timerListBody, type Within } from './timer-search.ts';

export type Timer = ReplyOf<typeof timerEndpoints.list>['list'][number];
export type TimerRun = ReplyOf<typeof timerEndpoints.runs>['list'][number];
export type PlannedRun = ReplyOf<typeof timerEndpoints.preview>['runs'][number];

export const timersQuery = (search: TimerSearch) => keptQuery(timerEndpoints.list, timerListBody(search));
/** Maximum number of timers in the grids. */
const mostShown = 200;
export const allTimersQuery = (within: Within) =>
  endpointQuery(timerEndpoints.list, { ...within, limit: mostShown, sort: 'time' });
export const previewQuery = (within: Within) => endpointQuery(timerEndpoints.preview, { ...within });
export const timerLinesQuery = (deviceId: number) =>
  endpointQuery(timerEndpoints.lines, { device_id: deviceId });

const shown = [timerEndpoints.list, timerEndpoints.preview, timerEndpoints.runs, timerEndpoints.lines];

/** Keeps next runs, results and sync badges up to date. */
export const useLiveTimers = (): void => {
  useLiveRefresh(['timer_run', 'settings', 'command'], shown, 1000);
  useLiveRefresh(['tag'], [timerEndpoints.list], 500);
};

/** Invalidates everything that shows timers, after one changed. */
export const useTimersChanged = (): (() => Promise<void>) => useReload(...shown);
