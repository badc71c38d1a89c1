import { sql } from 'kysely';
import { alarmTypeOf, levelsOf, ratingsOf } from '#contract/alarm-catalogue.ts';
import { alarmCodes } from '#contract/alarm-codes.ts';
import type { alarmEndpoints } from '#contract/alarms.ts';
import type { ReplyOf } from '#contract/endpoint.ts';
import { channelUnit } from '#contract/parameter-names.ts';
import { type DeviceType, deviceTypes, lineChannels } from '#contract/telemetry.ts';
import type { Db } from '#database/connect.ts';
import { alarmsInScope } from '#server/core/alarm-scope.ts';
import { displayNameOf } from '#server/core/display-name.ts';
import { fault } from '#server/core/fault.ts';
import { agesOf } from '#server/core/line-ages.ts';
import { lineRefOf } from '#server/core/line-ref.ts';
import { notDeleted } from '#server/core/not-deleted.ts';
import { ownershipAround } from '#server/core/ownership.ts';
import { stateOf as positionName } from '#server/core/position.ts';
import { holds, type Scope } from '#server/core/scope.ts';
import { defaultZone } from '#server/core/zone.ts';
import { deliveriesOf } from '#server/notices/notices.store.ts';
import { personnelContacts } from '#server/personnel/personnel.store.ts';
import { alarmChannel, isComparable } from './channel.ts';
import { nominalHertz } from './engine/measures.ts';
import type { Condition } from './filter.ts';
import { alarmOnWire, type JoinedAlarm, joinedAlarms } from './view.ts';

export type AlarmDetail = ReplyOf<typeof alarmEndpoints.detail>;

const aroundMs = 10 * 60_000;
/** Used if only quarters of an hour are left. */
const quartersAroundMs = 2 * 3_600_000;
const quarterSeconds = 900;
const mostPoints = 1500;
const mostConsequences = 500;
const mostEarlier = 10;

/** The details of one alarm. Throws `alarm.missing` outside the scope, as for an unknown id. */
export const alarmDetail = async (db: Db, id: number, scope: Scope, now: number): Promise<AlarmDetail> => {
  // An alarm shorter than two seconds is marked as deleted by no user; a user who was notified of it can
  // still open it.
  const page = sql`select a.line_id, a.id from alarms a
    where a.id = ${id} and (${notDeleted('a')} or a.deleted_by is null) and ${alarmsInScope(scope)}`;
  const row = (await joinedAlarms(page).execute(db)).rows[0] ?? fault('alarm.missing');
  const device = await db
    .selectFrom('devices')
    .select(['contacts', 'project_id', 'part_id'])
    .where('id', '=', row.device_id)
    .executeTakeFirst();
  // The device may belong to another project or part now, whose contacts and live state this alarm's readers
  // must not see.
  const stillOwned =
    device !== undefined &&
    device.project_id === row.project_id &&
    holds(scope, device.project_id, device.part_id);
  const owned = await ownershipAround(db, row.device_id, row.raised_at);
  const project = await db
    .selectFrom('projects')
    .select(['contact_name', 'contact_phone', 'time_zone', 'address'])
    .select(personnelContacts('projects.id').as('personnel'))
    .where('id', '=', row.project_id)
    .executeTakeFirst();
  const contacts = [
    ...((stillOwned ? device.contacts : []) as { name: string; phone: string }[]),
    { name: project?.contact_name ?? '', phone: project?.contact_phone ?? '' },
    ...(project?.personnel ?? []),
  ].filter((contact) => contact.phone !== '');
  const type = deviceTypes.find((known) => known === row.device_type) ?? 3;
  const [around, limits, earlier, lineState, commands, history, consequences, deliveries] = await Promise.all(
    [
      readingsAround(db, row, type, owned),
      stillOwned ? limitsOf(db, row) : noLimits,
      earlierOf(db, row, alarmsInScope(scope)),
      stillOwned ? stateOf(db, row.line_id, type, now) : null,
      commandsAround(db, row.device_id, row.line_id, row.raised_at, owned),
      historyOf(db, row.line_id, id),
      consequencesOf(db, id, alarmsInScope(scope)),
      deliveriesOf(db, id),
    ],
  );
  return {
    ...alarmOnWire(row),
    project_address: project?.address ?? '',
    time_zone: project?.time_zone ?? defaultZone,
    contacts,
    around,
    limits,
    earlier,
    line_state: lineState,
    commands,
    history,
    deliveries,
    consequences,
  };
};

/** The period in which the alarm's project had the device. */
type Period = Awaited<ReturnType<typeof ownershipAround>>;

const readingsAround = async (
  db: Db,
  row: JoinedAlarm,
  type: DeviceType,
  owned: Period,
): Promise<AlarmDetail['around']> => {
  const { line_id: lineId, code, phase, raised_at: at } = row;
  const index = alarmChannel(type, code, phase);
  const channel = lineChannels[type][index];
  if (channel === undefined || lineId < 0)
    return { channel: null, unit: '', at: [], values: [], bucket_s: null, comparable: false };
  const { rows } = await sql<{ at: Date; value: number | null }>`
    select at, channels[${index + 1}] as value from readings
    where line_id = ${lineId} and at between ${new Date(at.getTime() - aroundMs)} and ${new Date(at.getTime() + aroundMs)}
      and at >= ${owned.from} and at < ${owned.to}
    order by at limit ${mostPoints}`.execute(db);
  const quarters = rows.length === 0 ? await quartersAround(db, lineId, { channel, code, at, owned }) : [];
  const shown = rows.length === 0 ? quarters : rows;
  return {
    channel,
    unit: channelUnit(channel),
    at: shown.map((row) => row.at.getTime()),
    values: shown.map((row) => row.value),
    bucket_s: quarters.length > 0 ? quarterSeconds : null,
    comparable: isComparable(channel, row),
  };
};

const lowest: ReadonlySet<number> = new Set([
  alarmCodes.undervoltage,
  alarmCodes.outage,
  alarmCodes.phaseLoss,
  alarmCodes.voltageDip,
]);
/** What quarters of an hour store of a channel; null: nothing. */
const keptOf = (channel: string, code: number) => {
  const [kind] = channel.replace(/^(in|out)\./, '').split('.');
  if (kind === 'U') return lowest.has(code) ? ('voltage_min' as const) : ('voltage_max' as const);
  if (kind === 'I') return channel.endsWith('.n') ? null : ('current_max' as const);
  if (kind === 'P') return 'power_max' as const;
  if (kind === 'IL') return 'leakage_max' as const;
  return kind === 'T' ? ('temperature_max' as const) : null;
};

/** Readings are deleted after their retention; quarters of an hour stay. */
const quartersAround = async (
  db: Db,
  lineId: number,
  { channel, code, at, owned }: { channel: string; code: number; at: Date; owned: Period },
): Promise<{ at: Date; value: number | null }[]> => {
  const kept = keptOf(channel, code);
  if (kept === null) return [];
  const rows = await db
    .selectFrom('rollup_quarter')
    .select(['bucket', kept])
    .where('line_id', '=', lineId)
    .where('bucket', '>=', new Date(Math.max(at.getTime() - quartersAroundMs, owned.from.getTime())))
    .where('bucket', '<=', new Date(at.getTime() + quartersAroundMs))
    .where('bucket', '<', owned.to)
    .orderBy('bucket')
    .execute();
  return rows.map((row) => ({ at: row.bucket, value: row[kept] }));
};

const noLimits: AlarmDetail['limits'] = { early: null, alarm: null };
/** A frequency is judged by its distance from the nominal one; its limit is on the side of the deviation. */
const frequencyLimit = (hertz: number | null, distance: number): number =>
  hertz === null ? Number.NaN : nominalHertz(hertz) + (hertz < nominalHertz(hertz) ? -distance : distance);
/** The limits that the server applies to the line's readings. */
const limitsOf = async (db: Db, { line_id, code, value }: JoinedAlarm): Promise<AlarmDetail['limits']> => {
  const type = alarmTypeOf(code);
  const line = type && (await lineRefOf(db, line_id));
  if (!line) return noLimits;
  const ratings = ratingsOf(line);
  const known = (given: number) => {
    const limit = code === alarmCodes.frequency ? frequencyLimit(value, given) : given;
    return Number.isFinite(limit) ? limit : null;
  };
  const { early, alarm } = levelsOf(type, line.type, ratings);
  return { early: known(early), alarm: known(alarm) };
};

const earlierOf = async (
  db: Db,
  { id, line_id, code, raised_at }: { id: number; line_id: number; code: number; raised_at: Date },
  inside: Condition,
): Promise<AlarmDetail['earlier']> => {
  const { rows } = await sql<{
    id: number;
    work_order: string;
    level: number;
    raised_at: Date;
    cleared_at: Date | null;
    handling_content: string | null;
    handled_name: string | null;
  }>`
    select a.id, a.work_order, a.level, a.raised_at, a.cleared_at, a.handling_content,
      ${displayNameOf('u')} as handled_name
    from alarms a left join users u on u.id = a.handled_by
    where a.line_id = ${line_id} and a.code = ${code} and (a.raised_at, a.id) < (${raised_at}, ${id})
      and ${notDeleted('a')} and ${inside}
    order by a.raised_at desc, a.id desc limit ${mostEarlier}`.execute(db);
  return rows.map((row) => ({
    id: row.id,
    work_order: row.work_order,
    level: row.level,
    time: row.raised_at.toISOString(),
    cleared_time: row.cleared_at?.toISOString() ?? null,
    processing_content: row.handling_content,
    processed_by: row.handled_name,
  }));
};

const stateOf = async (
  db: Db,
  lineId: number,
  type: DeviceType,
  now: number,
): Promise<AlarmDetail['line_state']> => {
  const latest = await db
    .selectFrom('line_latest')
    .innerJoin('lines', 'lines.id', 'line_latest.line_id')
    .innerJoin('devices', 'devices.id', 'lines.device_id')
    .selectAll('line_latest')
    .select(['lines.switchable', 'devices.interval_seconds'])
    .where('line_id', '=', lineId)
    .executeTakeFirst();
  if (!latest) return null;
  return {
    state: latest.switchable ? positionName(latest.position) : null,
    ...agesOf(latest, now),
    interval_seconds: latest.interval_seconds,
    trip: latest.trip,
    values: Object.fromEntries(
      lineChannels[type].map((name, position) => [name, latest.channels[position] ?? null]),
    ),
  };
};

const commandsAround = async (
  db: Db,
  deviceId: number,
  lineId: number,
  at: Date,
  owned: Period,
): Promise<AlarmDetail['commands']> => {
  const { rows } = await sql<{
    id: string;
    verb: string;
    state: string;
    reason: string | null;
    operator: string;
    created_at: Date;
    ended_at: Date | null;
  }>`select c.id, c.verb, c.state, c.reason, c.operator, c.created_at, c.ended_at
    from commands c join lines l on l.id = c.line_id
    where c.device_id = ${deviceId} and (c.line_id = ${lineId} or l.n = 0)
      and c.created_at between ${new Date(at.getTime() - 3_600_000)} and ${new Date(at.getTime() + 3_600_000)}
      and c.created_at >= ${owned.from} and c.created_at < ${owned.to}
    order by c.created_at limit 100`.execute(db);
  return rows.map(({ id, verb, created_at, ended_at, ...command }) => ({
    ...command,
    command_id: id,
    action: verb,
    created_at: created_at.toISOString(),
    ended_at: ended_at?.toISOString() ?? null,
  }));
};

const historyOf = async (db: Db, lineId: number, alarmId: number): Promise<AlarmDetail['history']> => {
  const rows = await db
    .selectFrom('alarm_history as h')
    .leftJoin('users as u', 'u.id', 'h.user_id')
    .select(['h.at', 'h.kind', 'h.data', displayNameOf('u').$castTo<string | null>().as('operator')])
    .where('h.line_id', '=', lineId)
    .where('h.alarm_id', '=', alarmId)
    .orderBy('h.seq')
    .execute();
  return rows.map(({ at, ...step }) => ({ at: at.toISOString(), ...step }));
};

/** The alarms that this alarm suppresses. */
const consequencesOf = async (
  db: Db,
  id: number,
  inside: Condition,
): Promise<AlarmDetail['consequences']> => {
  const { rows } = await sql<{
    id: number;
    code: number;
    level: number;
    raised_at: Date;
    cleared_at: Date | null;
    device_id: number;
    number: string | null;
  }>`
    select a.id, a.code, a.level, a.raised_at, a.cleared_at, a.device_id, d.number
    from alarms a left join devices d on d.id = a.device_id
    where a.suppressed_by is not null and a.suppressed_by = ${id} and ${notDeleted('a')}
      and ${inside}
    order by a.raised_at, a.id limit ${mostConsequences}`.execute(db);
  return rows.map((row) => ({
    id: row.id,
    typeNumber: row.code,
    level: row.level,
    time: row.raised_at.toISOString(),
    active: row.cleared_at === null,
    device_id: row.device_id,
    device_number: row.number ?? '',
  }));
};
