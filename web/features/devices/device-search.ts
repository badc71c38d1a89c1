import * as z from 'zod';
import type { deviceEndpoints } from '#contract/devices.ts';
import type { InputOf } from '#contract/endpoint.ts';
import { listShape, optionalNumber, optionalOf, optionalText } from '#web/parts/url-state.ts';

export const deviceSearch = z.object({
  ...listShape,
  number: optionalText,
  project_name: optionalText,
  project_id: optionalNumber,
  status: optionalOf(['online', 'offline']),
  type: optionalOf(['1', '2', '3', '4', '5', '6', '7']),
  bound: optionalOf(['true', 'false']),
  category_id: optionalNumber,
  add: optionalOf(['1', 'many']),
  view: optionalOf(['map']),
  /** The job that is shown above the list. */
  job: optionalText,
});
export type DeviceSearch = z.output<typeof deviceSearch>;

const defined = (given: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
export const filterOf = ({
  page: _p,
  limit: _l,
  sort: _s,
  add: _a,
  view: _v,
  job: _j,
  ...filters
}: DeviceSearch): InputOf<typeof deviceEndpoints.export> => defined(filters);
export const listBodyOf = (search: DeviceSearch): InputOf<typeof deviceEndpoints.list> =>
  defined({
    ...filterOf(search),
    page: search.page,
    limit: search.limit,
    sort: search.sort,
  });
