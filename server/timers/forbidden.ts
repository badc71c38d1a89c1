import { sql } from 'kysely';
import type { Db } from '#database/connect.ts';
import { tripsOfLines, uninspectedTrips } from '#server/control/inspections.ts';
import { isLineLocked, remoteControlOff } from '#server/control/remote-control.ts';

export const mostDevices = 500;

/**
 * Devices that report a closing timer as running under a lock-out tag: they were moved under it, the timer was made at
 * the device, or no event announced the tag because a node was killed when it was set.
 */
export const closingUnderTag = async (db: Db): Promise<number[]> => {
  const { rows } = await sql<{ id: number }>`
    select tagged.device_id as id from (select distinct device_id from active_tags) tagged
    join device_reported reported on reported.device_id = tagged.device_id and reported.kind = 'cfg'
      and reported.payload -> 'timers' @> '[{"action":"close","en":1}]'
    left join timer_copies copy on copy.device_id = tagged.device_id
    where copy.state is distinct from 'pending'
    order by tagged.device_id limit ${mostDevices}`.execute(db);
  return rows.map(({ id }) => id);
};

/**
 * Devices that report a closing timer as running on a tripped line without an inspection, no matter who made the timer;
 * `among`: only these devices.
 */
export const closingUninspected = async (db: Db, among?: readonly number[]): Promise<number[]> => {
  const { rows } = await sql<{ line_id: number }>`
    select trip.line_id from uninspected_trips trip
    join lines on lines.id = trip.line_id
    join device_reported reported on reported.device_id = trip.device_id and reported.kind = 'cfg'
      and reported.payload -> 'timers' @> jsonb_build_array(jsonb_build_object('n', lines.n, 'action', 'close', 'en', 1))
    left join timer_copies copy on copy.device_id = trip.device_id
    where copy.state is distinct from 'pending'
      and (${among ?? null}::int[] is null or trip.device_id = any(${among ?? null}::int[]))
    order by trip.device_id limit ${among ? null : mostDevices}::int`.execute(db);
  const forbidden = await uninspectedTrips(db, tripsOfLines(rows.map(({ line_id }) => line_id)));
  return [...new Set(forbidden.map(({ deviceId }) => deviceId))];
};

/**
 * Devices with closing timers of the server while remote control is off or the line reports a lock; `running`: the
 * device reports such a timer as running.
 */
export const closingKeptOff = async (db: Db): Promise<{ id: number; running: boolean }[]> => {
  const { rows } = await sql<{ id: number; running: boolean }>`
    select copy.device_id as id, copy.state <> 'pending' and bool_or(coalesce(reported.payload -> 'timers' @>
        jsonb_build_array(jsonb_build_object('n', lines.n, 'action', 'close', 'en', 1)), false)) as running
    from timer_copies copy
    join devices on devices.id = copy.device_id
    join timers on timers.device_id = copy.device_id and timers.slot is not null and timers.action = 'close'
      and timers.enabled
    join lines on lines.id = timers.line_id
    left join line_latest on line_latest.line_id = timers.line_id
    left join device_reported reported on reported.device_id = copy.device_id and reported.kind = 'cfg'
    where ${remoteControlOff('devices')} or ${isLineLocked('line_latest')}
    group by copy.device_id, copy.state`.execute(db);
  return rows;
};

/**
 * Devices that report a closing timer as running that was saved in another project than theirs: the rule `staysBehind`
 * in SQL.
 */
export const closingStayedBehind = async (db: Db): Promise<number[]> => {
  const { rows } = await sql<{ id: number }>`
    select distinct copy.device_id as id from timer_copies copy
    join devices on devices.id = copy.device_id and devices.project_id is not null
    join timers on timers.device_id = copy.device_id and timers.slot is not null and timers.action = 'close'
      and timers.enabled and timers.project_id is distinct from devices.project_id
    join device_reported reported on reported.device_id = copy.device_id and reported.kind = 'cfg'
      and reported.payload -> 'timers' @> jsonb_build_array(jsonb_build_object('i', timers.slot, 'action', 'close', 'en', 1))
    where copy.state <> 'pending'
    order by 1 limit ${mostDevices}`.execute(db);
  return rows.map(({ id }) => id);
};

/** Devices that report a timer as running that opens a critical line. */
export const openingCritical = async (db: Db): Promise<number[]> => {
  const { rows } = await sql<{ id: number }>`
    select distinct copy.device_id as id from timer_copies copy
    join timers on timers.device_id = copy.device_id and timers.slot is not null and timers.action = 'open'
    join lines on lines.id = timers.line_id and lines.critical
    join device_reported reported on reported.device_id = copy.device_id and reported.kind = 'cfg'
      and reported.payload -> 'timers' @> jsonb_build_array(jsonb_build_object('i', timers.slot, 'action', 'open', 'en', 1))
    where copy.state <> 'pending'
    order by 1 limit ${mostDevices}`.execute(db);
  return rows.map(({ id }) => id);
};

/** Devices, after this one by number, that confirmed their timers and do not report all enabled ones as running. */
export const restingAfter = async (db: Db, deviceId: number): Promise<number[]> => {
  const { rows } = await sql<{ id: number }>`
    select copy.device_id as id from timer_copies copy
    join device_reported reported on reported.device_id = copy.device_id and reported.kind = 'cfg'
    where copy.state = 'synced' and copy.device_id > ${deviceId} and exists (
      select from timers where timers.device_id = copy.device_id and timers.slot is not null and timers.enabled
        and not coalesce(reported.payload -> 'timers' @>
          jsonb_build_array(jsonb_build_object('i', timers.slot, 'en', 1)), false))
    order by 1 limit ${mostDevices}`.execute(db);
  return rows.map(({ id }) => id);
};
