import * as z from 'zod';
import type { InputOf } from '#contract/endpoint.ts';
import type { timerEndpoints } from '#contract/timers.ts';
import { listShape, optionalNumber, optionalOf } from '#web/parts/url-state.ts';

export const timerViews = ['list', 'week', 'days', 'runs'] as const;
export type TimerView = (typeof timerViews)[number];
export const timerSearch = z.object({
  ...listShape,
  view: z.enum(timerViews).catch('list'),
  device_id: optionalNumber,
  line_id: optionalNumber,
  project_id: optionalNumber,
  action: optionalOf(['open', 'close']),
  enabled: optionalOf(['true', 'false']),
  run_by: optionalOf(['server', 'device']),
  sync: optionalOf(['synced', 'pending', 'conflict']),
  /** 'new', or the timer being edited. */
  timer: z
    .union([z.literal('new'), z.coerce.number().int().positive()])
    .optional()
    .catch(undefined),
});
export type TimerSearch = z.output<typeof timerSearch>;
export interface Within {
  device_id?: number;
  line_id?: number;
  project_id?: number;
}

const defined = (given: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
/** The project, device or line that is shown. */
export const withinOf = ({ device_id, line_id, project_id }: TimerSearch): Within =>
  defined({ device_id, line_id, project_id });
export const timerFilters = (search: TimerSearch): Record<string, unknown> => {
  const { action, enabled, run_by, sync } = search;
  return defined({ ...withinOf(search), action, enabled, run_by, sync });
};
export const timerListBody = (search: TimerSearch): InputOf<typeof timerEndpoints.list> =>
  defined({
    ...timerFilters(search),
    page: search.page,
    limit: search.limit,
    sort: search.sort,
  });
