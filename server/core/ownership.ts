import { type Expression, type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Db } from '#database/connect.ts';
import { outOfScope, type Scope } from './scope.ts';

/**
 * From when the scope may see what happened with a device: the end of the last ownership outside the scope. A
 * device that moves within the scope keeps its past. `deviceColumn` contains the device's id.
 */
export const seenFrom = (scope: Scope, deviceColumn: string): RawBuilder<Date> =>
  scope.all
    ? sql<Date>`'epoch'::timestamptz`
    : sql<Date>`coalesce((select max(past.until) from device_past_owners past
        where past.device_id = ${sql.ref(deviceColumn)}
          and ${outOfScope(scope, 'past.project_id', 'past.part_id')}), 'epoch'::timestamptz)`;

/** When the device came to its present owner, the same for every caller. */
export const ownedSince = (deviceColumn: string): RawBuilder<Date> =>
  sql<Date>`coalesce((select max(past.until) from device_past_owners past
    where past.device_id = ${sql.ref(deviceColumn)}), 'epoch'::timestamptz)`;

/** Condition that a row of a device in the scope is from a period that the scope may see. */
export const inOwnTime = (scope: Scope, deviceColumn: string, timeColumn: string): Expression<SqlBool> =>
  scope.all ? sql<SqlBool>`true` : sql<SqlBool>`${sql.ref(timeColumn)} >= ${seenFrom(scope, deviceColumn)}`;

/** The period between the last change of owner before an instant and the first one after it. */
export const ownershipAround = async (
  db: Db,
  deviceId: number,
  at: Date,
): Promise<{ from: Date; to: Date }> => {
  const { rows } = await sql<{ from: Date; to: Date }>`
    select coalesce(max(until) filter (where until <= ${at}), 'epoch'::timestamptz) as from,
      coalesce(min(until) filter (where until > ${at}), '9999-01-01'::timestamptz) as to
    from device_past_owners where device_id = ${deviceId}`.execute(db);
  return rows[0]!;
};

/**
 * Records the period of the present owner. Called in the transaction that moves the device to another owner
 * or to none.
 */
export const endOwnerships = async (trx: Db, deviceIds: readonly number[], at: Date): Promise<void> => {
  await sql`
    insert into device_past_owners (device_id, project_id, part_id, since, until, incoming)
    select device_id, project_id, part_id, least(since, ${at}), ${at}, incoming from device_ownerships
    where device_id = any(${[...deviceIds]}::int[]) and until = 'infinity'`.execute(trx);
};

/**
 * Which of the device's lines supply the whole project is also true of its earlier parts in that project. Called in
 * the transaction that sets or unsets it.
 */
export const noteIncoming = async (trx: Db, deviceId: number): Promise<void> => {
  await sql`
    update device_past_owners past set incoming = present.incoming
    from device_ownerships present join devices d on d.id = present.device_id
    where past.device_id = ${deviceId} and present.device_id = past.device_id and present.until = 'infinity'
      and past.project_id = present.project_id and past.since >= coalesce(d.bound_at, 'epoch')`.execute(trx);
};
