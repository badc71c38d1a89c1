import { sql } from 'kysely';
import type { Db } from '#database/connect.ts';

const retryMs = 5 * 60_000;
const mostTries = 100;
/** A device of a rollout that cannot be updated now, and why. */
export interface Refused {
  rolloutId: number;
  deviceId: number;
  reason: string;
  with?: Readonly<Record<string, string | number>>;
  now: number;
}
/** A device that cannot be updated now (offline, tagged, in alarm) is asked again later, for at most some hours. */
export const retryLater = async (trx: Db, given: Refused): Promise<void> => {
  await sql`
    update rollout_devices set tries = tries + 1, command_id = null, deadline_at = null,
      state = case when tries + 1 >= ${mostTries} then 'failed' else 'waiting' end,
      reason = case when tries + 1 >= ${mostTries} then 'firmware.tries' else ${given.reason} end,
      reason_with = ${JSON.stringify(given.with ?? {})}::jsonb, try_at = ${new Date(given.now + retryMs)}::timestamptz,
      updated_at = ${new Date(given.now)}::timestamptz
    where rollout_id = ${given.rolloutId} and device_id = ${given.deviceId}`.execute(trx);
};
