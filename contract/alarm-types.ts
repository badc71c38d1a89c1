import * as z from 'zod';
import { endpoint, filter, flag, integer } from './endpoint.ts';

const typeNumber = integer.pipe(z.int().min(100).max(999));
export const alarmTypeStatus = z.enum(['enabled', 'disabled']);

export const alarmTypeEndpoints = {
  list: endpoint({
    method: 'POST',
    path: '/device_warning_type/get_list',
    permission: 'alarmType.read',
    body: z.strictObject({
      status: filter(alarmTypeStatus),
      device_type: filter(integer.pipe(z.int().min(1).max(7))),
    }),
    reply: z.object({
      list: z.array(
        z.object({
          typeNumber: z.int(),
          /** In the caller's language. */
          name: z.string(),
          icon: z.string(),
          severity: z.int(),
          status: alarmTypeStatus,
          value_type: z.int(),
          unit: z.string(),
          device_types: z.array(z.int()),
          /** Whether the server evaluates it by itself. */
          core: z.boolean(),
          latched: z.boolean(),
          on_delay_s: z.number(),
          off_delay_s: z.number().nullable(),
          updated_at: z.iso.datetime({ offset: true }),
        }),
      ),
    }),
  }),
  setStatus: endpoint({
    method: 'POST',
    path: '/device_warning_type/set_status',
    permission: 'alarmType.write',
    log: 'alarmType.setStatus',
    body: z.strictObject({ typeNumber, enabled: flag }),
    reply: z.object({ typeNumber: z.int(), status: alarmTypeStatus }),
  }),
};
