import * as z from 'zod';
import type { InputOf } from '#contract/endpoint.ts';
import { type lineTableEndpoints, lineTablePage } from '#contract/line-table.ts';
import { optionalNumber, optionalOf, optionalText } from '#web/parts/url-state.ts';

export const closestFirst = '-closeness';
/** The address of the table of a project's lines. */
export const lineTableSearch = z.object({
  page: z.coerce.number().int().min(1).catch(1),
  sort: z.string().catch(closestFirst),
  text: optionalText,
  device_id: optionalNumber,
  state: optionalOf(['closed', 'open', 'unknown', 'meter']),
  alarm: optionalOf(['any', 'alarm']),
  tripped: optionalOf(['true', 'false']),
  stale: optionalOf(['true', 'false']),
  tagged: optionalOf(['true', 'false']),
});
type LineTableSearch = z.output<typeof lineTableSearch>;

export const lineTableFilter = (
  { page: _page, sort: _sort, ...filters }: LineTableSearch,
  projectId: number,
): InputOf<typeof lineTableEndpoints.exportTable> => ({
  project_id: projectId,
  ...Object.fromEntries(Object.entries(filters).filter(([, value]) => value !== undefined)),
});
export const lineTableBody = (
  search: LineTableSearch,
  projectId: number,
): InputOf<typeof lineTableEndpoints.table> => ({
  ...lineTableFilter(search, projectId),
  page: search.page,
  limit: lineTablePage,
  sort: search.sort as NonNullable<InputOf<typeof lineTableEndpoints.table>['sort']>,
});
