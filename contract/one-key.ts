import * as z from 'zod';
import { switchActions } from './control.ts';
import { endpoint, exportOf, filter, flag, id, instant, narrowedTo } from './endpoint.ts';
import { lineAges, lineState } from './lines.ts';

const action = z.enum(switchActions);
const mostBatchDevices = 200;

export const oneKeyEndpoints = {
  /**
   * Opens or closes all lines of a device, or of several. With `preview` it only lists the lines that would
   * be switched, their load, and the skipped lines with the reason. Closing more than one line always asks
   * for the password.
   */
  switch: endpoint({
    method: 'POST',
    path: '/device_line/onekey_opening',
    permission: 'line.switch',
    log: 'line.oneKey',
    writesWhen: (body) =>
      body === null ||
      typeof body !== 'object' ||
      !('preview' in body) ||
      flag.safeParse(body.preview).data !== true,
    secret: ['password'],
    body: z
      .strictObject({
        device_id: filter(id),
        device_ids: narrowedTo(id, mostBatchDevices, 'batch.devices'),
        /** Absent: every line of the devices. */
        line_ids: narrowedTo(id, 2000),
        action,
        preview: flag.default(false),
        password: z.string().max(200).optional(),
      })
      .refine((body) => body.device_id !== undefined || body.device_ids !== undefined, {
        path: ['device_id'],
        error: 'batch.devices',
      }),
    reply: z.object({
      batch_id: z.uuid().nullable(),
      action,
      password_needed: z.boolean(),
      to_switch: z.int(),
      skipped: z.int(),
      /**
       * Load of the lines that would be switched, by their last readings, A and W; null if none of them has been
       * measured.
       */
      current: z.number().nullable(),
      power: z.number().nullable(),
      lines: z.array(
        z.object({
          device_id: z.int(),
          device_number: z.string(),
          line_id: z.int(),
          n: z.int(),
          name: z.string(),
          /** The position by its last report, which proves nothing if it is stale. */
          state: lineState,
          ...lineAges,
          /** The upload interval of the device, s. */
          interval_seconds: z.int(),
          current: z.number().nullable(),
          power: z.number().nullable(),
          will: z.enum(['switch', 'skip']),
          reason: z.string().nullable(),
          message: z.string().nullable(),
        }),
      ),
    }),
    outcome: () => 'takingEffect',
  }),
  /** The result of each line so far; `partial`: over, and not every line to be switched is verified. */
  batch: endpoint({
    method: 'POST',
    path: '/device_line/get_batch',
    permission: 'line.read',
    body: z.strictObject({ batch_id: z.uuid() }),
    reply: z.object({
      batch_id: z.uuid(),
      action,
      state: z.enum(['running', 'done', 'partial']),
      interrupted: z.boolean(),
      operator: z.string(),
      created_at: instant,
      ended_at: instant.nullable(),
      counts: z.record(z.string(), z.int()),
      lines: z.array(
        z.object({
          device_id: z.int(),
          device_number: z.string(),
          line_id: z.int(),
          n: z.int(),
          name: z.string(),
          /** Waiting, skipped, refused, not_sent, or the state of the line's command. */
          state: z.string(),
          reason: z.string().nullable(),
          message: z.string().nullable(),
          command_id: z.uuid().nullable(),
          at: instant.nullable(),
        }),
      ),
    }),
  }),
  exportBatch: exportOf('/device_line/export_batch', 'line.read', { batch_id: z.uuid() }),
};
