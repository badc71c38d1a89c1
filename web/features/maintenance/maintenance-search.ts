import * as z from 'zod';
import type { InputOf } from '#contract/endpoint.ts';
import { type maintenanceEndpoints, maintenanceKinds } from '#contract/maintenance.ts';
import { listShape, optionalNumber, optionalOf, optionalText } from '#web/parts/url-state.ts';

const sorts = ['maintenance_time', '-maintenance_time'] as const;
export const maintenanceSearch = z.object({
  ...listShape,
  sort: z.enum(sorts).optional().catch(undefined),
  project_id: optionalNumber,
  device_id: optionalNumber,
  device_number: optionalText,
  alarm_id: optionalNumber,
  /** The line for which a new record is written: the form returns to its card. */
  line_id: optionalNumber,
  kind: optionalOf(maintenanceKinds),
  handler: optionalText,
  keyword: optionalText,
  from: optionalText,
  to: optionalText,
  /** The open record, and whether one is being written. */
  record: optionalNumber,
  write: optionalOf(['new', 'edit']),
});
type MaintenanceSearch = z.output<typeof maintenanceSearch>;

export const filterNames = [
  ...(['project_id', 'device_id', 'device_number', 'alarm_id', 'kind'] as const),
  ...(['handler', 'keyword', 'from', 'to'] as const),
] as const;
export const filterOf = (search: MaintenanceSearch): InputOf<typeof maintenanceEndpoints.export> =>
  Object.fromEntries(
    filterNames.flatMap((name) => (search[name] === undefined ? [] : [[name, search[name]]])),
  );
