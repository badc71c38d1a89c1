import * as z from 'zod';
import { endpoint, filter, instant, integer, listBody, listReply } from './endpoint.ts';

/** Rows that one call checks. */
export const mostCheckedRows = 20_000;
export const operationLogEndpoints = {
  /**
   * Walks the hash chain of the operation log and names the first row that does not hold. One call checks so many rows;
   * while `done` is false the next goes on with `after` = `last_id`. `last_hash` is worth noting elsewhere.
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
          /** When the row was written; null where it is gone. */
          at: instant.nullable(),
          why: z.enum(['changed', 'missing', 'end', 'added']),
          message: z.string(),
        })
        .nullable(),
    }),
  }),
  /** Failed sign-ins by account and network, the newest first; those for accounts that do not exist under ''. */
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
};
