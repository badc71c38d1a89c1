import { sql } from 'kysely';
import { lineLocks, lockBits } from '#contract/telemetry.ts';

/**
 * Condition on a row of `devices`: remote control is disabled here, or one of its lines reports that it is
 * locked at the device.
 */
export const remoteControlOff = (
  devices: string,
) => sql<boolean>`(not ${sql.ref(`${devices}.net_ctrl`)} or exists (
  select from lines locked join line_latest seen on seen.line_id = locked.id
  where locked.device_id = ${sql.ref(`${devices}.id`)} and seen.lock & ${lockBits.netControlOff} <> 0))`;

/** Condition on a row of `line_latest`: the line reports a lock with which it is not closed from afar. */
export const isLineLocked = (latest: string) =>
  sql<boolean>`(coalesce(${sql.ref(`${latest}.lock`)}, 0) & ${lineLocks} <> 0)`;
