import type { JobAct, JobRow } from '#server/device-jobs/jobs.store.ts';
import { type Done, deviceBulk } from './bulk.ts';

const rowsOf = ({ outcomes }: Done): JobRow[] =>
  outcomes.map(({ id, result, reason }) => ({ deviceId: id, state: result, reason }));

export interface BindParameters {
  project_id: number;
  part_id?: number | undefined;
}
export interface ExpiryParameters {
  expires_on: string | null;
}

/** The acts of the device list as jobs. */
export const deviceActs = {
  bind: {
    permission: 'device.bind',
    changes: 'place',
    run: async (trx, { author, parameters, now }, ids) =>
      rowsOf(await deviceBulk(trx).bind(author.scope, ids, parameters as BindParameters, new Date(now))),
  },
  unbind: {
    permission: 'device.bind',
    changes: 'place',
    run: async (trx, { author, now }, ids) =>
      rowsOf(await deviceBulk(trx).unbind(author.scope, ids, new Date(now))),
  },
  delete: {
    permission: 'device.delete',
    changes: 'place',
    run: async (trx, { author, now }, ids) =>
      rowsOf(await deviceBulk(trx).delete(author.scope, ids, new Date(now))),
  },
  expiry: {
    permission: 'device.write',
    changes: 'record',
    run: async (trx, { author, parameters }, ids) =>
      rowsOf(await deviceBulk(trx).expiry(author.scope, ids, (parameters as ExpiryParameters).expires_on)),
  },
} as const satisfies Record<string, JobAct>;
