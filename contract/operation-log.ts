import * as z from 'zod';
import { endpoint, exportOf, filter, id, instant, integer, listBody, listReply } from './endpoint.ts';

/** Maximum number of rows that one call verifies. */
export const mostCheckedRows = 20_000;
/** A total is exact up to this number; beyond it `total` is this number and `more` is true. */
export const mostCountedOperations = 10_000;

/** How the operator acted: the console, the API, or the part of the server that acted by itself. */
export const operationChannels = ['web', 'api', 'timer', 'rollout', 'auto', 'system'] as const;

const name = z.string().trim().max(100);
const operationFilters = {
  from: filter(instant),
  to: filter(instant),
  /** Account or nickname of the operator, or part of it. */
  operator: filter(name),
  /** Key identifier or its first part: `alarm` finds `alarm.handle`. */
  key: filter(z.string().trim().max(60)),
  outcome: filter(z.enum(['done', 'refused'])),
  project_id: filter(id),
  device_id: filter(id),
};

const operationRow = z.object({
  id: z.int(),
  time: instant,
  operator: z.string(),
  /** Key identifier: feature and act. */
  key: z.string(),
  /** The meaning of the key identifier, in the reader's language. */
  description: z.string(),
  channel: z.string(),
  client_ip: z.string(),
  outcome: z.enum(['done', 'refused']),
  code: z.int(),
  project_id: z.int().nullable(),
  project_name: z.string().nullable(),
  device_id: z.int().nullable(),
  device_number: z.string().nullable(),
  request_id: z.string(),
  parameters: z.record(z.string(), z.unknown()),
  /** SHA-256 over this row and the previous one, in hex. */
  hash: z.string(),
});
export type OperationRow = z.output<typeof operationRow>;

export const operationLogEndpoints = {
  /** Newest first: rows of the caller's projects, and the caller's own. */
  list: endpoint({
    method: 'POST',
    path: '/operation_log/get_list',
    permission: 'operationLog.read',
    body: listBody(operationFilters, ['time']),
    reply: listReply(operationRow).extend({ more: z.boolean() }),
  }),
  export: exportOf('/operation_log/export', 'operationLog.read', operationFilters),
  /**
   * Verifies the hash chain of the operation log and names the first invalid row. One call checks a limited
   * number of rows; while `done` is false, the next call continues with `after` = `last_id`. Keep `last_hash`
   * outside the product.
   */
  verify: endpoint({
    method: 'POST',
    path: '/operation_log/verify',
    permission: 'operationLog.verify',
    body: z.strictObject({ after: filter(integer.pipe(z.int().min(0))) }),
    reply: z.object({
      checked: z.int(),
      last_id: z.int(),
      last_hash: z.string(),
      done: z.boolean(),
      broken: z
        .object({
          id: z.int(),
          /** When the row was written; null if it is missing. */
          at: instant.nullable(),
          why: z.enum(['changed', 'missing', 'end', 'added']),
          message: z.string(),
        })
        .nullable(),
    }),
  }),
  /** Failed sign-ins by account and network, newest first; '' stands for accounts that do not exist. */
  failedSignIns: endpoint({
    method: 'POST',
    path: '/operation_log/failed_sign_ins',
    permission: 'operationLog.verify',
    body: listBody({}, ['last_at']),
    reply: listReply(
      z.object({
        account: z.string(),
        network: z.string(),
        failures: z.int(),
        first_at: instant,
        last_at: instant,
      }),
    ),
  }),
  exportFailedSignIns: exportOf('/operation_log/export_failed_sign_ins', 'operationLog.verify', {}),
};
