import { sql } from 'kysely';
import type { Db } from '#database/connect.ts';

/**
 * Keeps the values and times of these devices' lines, but makes any later report count as newer. Decision
 * 0050.
 */
export const rankLowest = (devices: string) => `
  update line_latest set boot = -1, seq = -1, position_boot = -1, position_seq = -1, trip_boot = -1, trip_seq = -1,
    lock_boot = -1, lock_seq = -1
  where line_id in (select id from lines where device_id = any(${devices}::integer[]))`;

/**
 * The device may be replaced by other hardware with its own boot counter and clock: every report counts as new,
 * and its clock is unknown until the next live message.
 */
export const forgetOrder = async (db: Db, deviceId: number): Promise<void> => {
  await sql`delete from device_seen where device_id = ${deviceId}`.execute(db);
  await sql.raw(rankLowest(`'{${Math.trunc(deviceId)}}'`)).execute(db);
  await sql`update device_state set clock_unknown = true, clock_ms = 0, clock_behind_ms = 0, skew_ms = 0
    where device_id = ${deviceId}`.execute(db);
};
