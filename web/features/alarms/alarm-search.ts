import * as z from 'zod';
import type { alarmEndpoints } from '#contract/alarms.ts';
import type { InputOf } from '#contract/endpoint.ts';
import { listShape, optionalNumber, optionalOf, optionalText } from '#web/parts/url-state.ts';

/** Fields of the alarm list's address. */
export const alarmSearch = z.object({
  ...listShape,
  limit: z.coerce.number().int().min(1).max(200).catch(50),
  status: optionalOf(['unprocessed', 'processed']),
  level: optionalOf(['1', '2']),
  severity: optionalOf(['1', '2', '3', '4']),
  active: optionalOf(['true', 'false']),
  shelved: optionalOf(['true']),
  typeNumber: optionalText,
  project_id: optionalNumber,
  project_name: optionalText,
  device_id: optionalNumber,
  line_id: optionalNumber,
  number: optionalText,
  from: optionalText,
  to: optionalText,
  /** How the list is shown: grouped by device or by storm; or the log of occurrences that are not alarms to handle. */
  group: optionalOf(['device', 'storm', 'log']),
  /** The alarm beside the list; `full`: instead of the list. */
  alarm: optionalNumber,
  full: optionalOf(['true']),
  /**
   * The first row is shown as soon as it is known, so that the most severe alarm has an address of its own.
   */
  show: optionalOf(['first']),
});
export type AlarmSearch = z.output<typeof alarmSearch>;
export type AlarmFilterInput = Exclude<InputOf<typeof alarmEndpoints.batchHandle>['filter'], undefined>;

const defined = (given: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));

/** The filters of the address in the form of the call. */
export const filterOf = ({
  page: _p,
  limit: _l,
  sort: _s,
  alarm: _a,
  full: _f,
  show: _w,
  group: _g,
  ...filters
}: AlarmSearch): AlarmFilterInput => defined(filters);
export const listBodyOf = (search: AlarmSearch): InputOf<typeof alarmEndpoints.list> =>
  defined({ ...filterOf(search), page: search.page, limit: search.limit, sort: search.sort });
/** The filters of the address for the log, whose entries have no state. */
export const logFilterOf = (search: AlarmSearch): InputOf<typeof alarmEndpoints.exportLog> => {
  const {
    status: _status,
    active: _active,
    shelved: _shelved,
    severity: _severity,
    ...filters
  } = filterOf(search);
  return filters;
};
export const logBodyOf = (search: AlarmSearch): InputOf<typeof alarmEndpoints.log> =>
  defined({ ...logFilterOf(search), page: search.page, limit: search.limit, sort: search.sort });
export const isFiltered = (search: AlarmSearch): boolean => Object.keys(filterOf(search)).length > 0;

const mostGrouped = 200;
export const groupedSearch = (search: AlarmSearch): AlarmSearch =>
  ({
    ...filterOf(search),
    group: search.group,
    page: 1,
    limit: mostGrouped,
  }) as AlarmSearch;
