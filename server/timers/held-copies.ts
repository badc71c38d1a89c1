import { sql } from 'kysely';
import type { IANAZone } from 'luxon';
import { staysBehind, timerHazard } from '#contract/hazards.ts';
import type { CfgMessage, DeviceTimer } from '#contract/telemetry.ts';
import type { Db } from '#database/connect.ts';
import { tripsOfDevice, uninspectedTrips } from '#server/control/inspections.ts';
import { isLineLocked, remoteControlOff } from '#server/control/remote-control.ts';
import { holds } from '#server/core/scope.ts';
import { rightfulAuthors } from './authors.ts';
import { daysLeft } from './opened.ts';
import { nextRun, type TimerRule } from './timers.rules.ts';

/** What forbids timers to close the lines of a device. */
interface ClosingForbidden {
  /** A lock-out tag is on any of its lines, on it or its project. */
  tagged: boolean;
  remoteOff: boolean;
  /** Numbers of the lines that await an inspection. */
  uninspected: readonly number[];
}
const closingForbidden = async (db: Db, deviceId: number): Promise<ClosingForbidden> => {
  const { tagged, remote_off } = await db
    .selectFrom('devices')
    .select([
      sql<boolean>`exists (select from active_tags tag where tag.device_id = devices.id)`.as('tagged'),
      remoteControlOff('devices').as('remote_off'),
    ])
    .where('id', '=', deviceId)
    .executeTakeFirstOrThrow();
  const trips = await uninspectedTrips(db, tripsOfDevice(deviceId));
  return { tagged, remoteOff: remote_off, uninspected: trips.map(({ n }) => n) };
};

/**
 * The timers that a device should hold. Closing timers are disabled while closing is forbidden; opening timers
 * while their line is critical; all timers while their author lacks the permission; closing timers that were saved in
 * another project: a device fires without asking
 * the server. For the same reason no timer closes a line in the minute in which the server opens it.
 */
export const wantedTimers = async (db: Db, deviceId: number, now: number): Promise<DeviceTimer[]> => {
  const rows = await db
    .selectFrom('timers')
    .innerJoin('lines', 'lines.id', 'timers.line_id')
    .innerJoin('devices', 'devices.id', 'timers.device_id')
    .selectAll('timers')
    .leftJoin('line_latest', 'line_latest.line_id', 'timers.line_id')
    .select(['lines.n', 'lines.critical', 'devices.project_id as is_in', 'devices.part_id'])
    .select(isLineLocked('line_latest').as('locked'))
    .where('timers.device_id', '=', deviceId)
    .where('timers.run_by', '=', 'device')
    .where('timers.slot', 'is not', null)
    .orderBy('timers.slot')
    .execute();
  if (rows.length === 0) return ownAtRest(db, deviceId);
  const authors = await rightfulAuthors(
    db,
    rows.map((row) => row.author_id),
  );
  const opens = await db
    .selectFrom('timers')
    .select(['line_id', 'time', 'type', 'days', 'date'])
    .where('device_id', '=', deviceId)
    .where('run_by', '=', 'server')
    .where('action', '=', 'open')
    .where('enabled', '=', true)
    .where('done_at', 'is', null)
    .execute();
  const { tagged, remoteOff, uninspected } = await closingForbidden(db, deviceId);
  return rows.map((row): DeviceTimer => {
    const beside = opens.filter((open) => open.line_id === row.line_id && open.time === row.time);
    const days = row.action === 'close' ? daysLeft(row, beside, now) : row.days;
    const author = authors.get(row.author_id);
    const mayFire = author !== undefined && holds(author.scope, row.is_in, row.part_id);
    const forbidden =
      row.action === 'close'
        ? tagged || remoteOff || row.locked || uninspected.includes(row.n)
        : row.critical;
    const stays = staysBehind(timerHazard({ action: row.action, en: 1 }), row.project_id, row.is_in);
    const rests = !row.enabled || !mayFire || stays || forbidden || (row.action === 'close' && days === 0);
    return {
      i: row.slot!,
      n: row.n,
      type: row.type,
      ...(row.type === 'weekly' ? { days: days || row.days } : { date: row.date! }),
      time: row.time,
      action: row.action,
      en: rests ? 0 : 1,
    };
  });
};

/**
 * The timers that were made at the device, when the server has none for it. Closing ones are disabled while a lock-out
 * tag is set or their line awaits an inspection, and stay disabled until a user enables them. They run also while remote
 * control is off.
 */
const ownAtRest = async (db: Db, deviceId: number): Promise<DeviceTimer[]> => {
  const { tagged, uninspected } = await closingForbidden(db, deviceId);
  if (!tagged && uninspected.length === 0) return [];
  const own = (await reportedConfig(db, deviceId))?.timers ?? [];
  return own
    .filter(isKnown)
    .map((timer) =>
      timer.action === 'close' && (tagged || uninspected.includes(timer.n)) ? { ...timer, en: 0 } : timer,
    );
};

const plain = (timers: readonly DeviceTimer[], zone: IANAZone, now: number): string =>
  JSON.stringify(
    timers
      .filter(
        (timer) => timer.en === 1 && (timer.type === 'weekly' || nextRun(ruleOf(timer), zone, now) !== null),
      )
      .map((timer) => [timer.i, timer.n, timer.action, ruleOf(timer)] as const)
      .sort((a, b) => a[0] - b[0]),
  );
const ruleOf = ({ type, days, date, time }: DeviceTimer): TimerRule =>
  type === 'weekly' ? { type, days: days ?? 0, date: null, time } : { type, days: 0, date: date ?? '', time };
/** A device may report anything: an unreadable timer that may run could fire at any time. */
const isKnown = ({ en, type, date, time }: Partial<Record<keyof DeviceTimer, unknown>>): boolean =>
  en === 0 ||
  (typeof time === 'string' &&
    /^\d\d:\d\d$/.test(time) &&
    (type === 'weekly' || (typeof date === 'string' && /^\d{4}-\d\d-\d\d$/.test(date))));
/**
 * Whether the reported timers act the same as the desired ones: disabled timers do not count, nor once timers
 * in the past.
 */
export const doTheSame = (
  wanted: readonly DeviceTimer[],
  reported: readonly DeviceTimer[],
  zone: IANAZone,
  now: number,
): boolean => reported.every(isKnown) && plain(wanted, zone, now) === plain(reported, zone, now);

/** The timers that the device confirmed last as the server's; null: it never confirmed any. */
export const confirmedTimers = async (db: Db, deviceId: number): Promise<readonly DeviceTimer[] | null> => {
  const { rows } = await sql<{ timers: DeviceTimer[] | null }>`
    select content -> 'timers' as timers from config_messages
    where device_id = ${deviceId} and purpose = 'timers' and state = 'applied'
    order by sent_at desc limit 1`.execute(db);
  return rows[0]?.timers ?? null;
};

/** The device's last report of its configuration; null if there is none. */
export const reportedConfig = async (db: Db, deviceId: number): Promise<CfgMessage | null> => {
  const { rows } = await sql<{ payload: CfgMessage }>`
    select payload from device_reported where device_id = ${deviceId} and kind = 'cfg'`.execute(db);
  return rows[0]?.payload ?? null;
};
