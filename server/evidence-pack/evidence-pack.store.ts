import { type RawBuilder, type SqlBool, sql } from 'kysely';
import { longestEvidenceDays } from '#contract/evidence-pack.ts';
import { type DeviceType, deviceTypes } from '#contract/telemetry.ts';
import type { Db } from '#database/connect.ts';
import { type JoinedAlarm, joinedAlarms } from '#server/alarms/view.ts';
import { alarmsInScope } from '#server/core/alarm-scope.ts';
import { displayNameOf } from '#server/core/display-name.ts';
import { fault } from '#server/core/fault.ts';
import { notDeleted } from '#server/core/not-deleted.ts';
import { ownershipAround, seenFrom } from '#server/core/ownership.ts';
import { holds, inScope, type Scope } from '#server/core/scope.ts';
import { defaultZone } from '#server/core/zone.ts';

export interface Period {
  readonly from: Date;
  readonly to: Date;
}
export interface IncidentLine {
  readonly id: number;
  readonly n: number;
  readonly name: string;
}
export interface Incident {
  /** Null: a device and a period that a user chose. */
  readonly alarm: { id: number; work_order: string; code: number } | null;
  readonly device: {
    id: number;
    number: string;
    name: string;
    type: DeviceType;
    model: string;
    firmware: string;
    address: string;
    image_id: string | null;
  } | null;
  readonly project: { id: number; name: string; address: string } | null;
  readonly zone: string;
  readonly lines: readonly IncidentLine[];
  /** The period in which the device belonged to the owner of the pack. */
  readonly owned: Period;
  /** The period of the incident. */
  readonly period: Period;
  /** The period of the readings. */
  readonly readings: Period;
  /** The period of commands, moves, tags, settings and operation log entries. */
  readonly acts: Period;
  /** Alarms of the pack, oldest first. */
  readonly alarms: readonly JoinedAlarm[];
}

const minuteMs = 60_000;
const aroundMs = 10 * minuteMs;
const actsAroundMs = 60 * minuteMs;
const mostOfAlarmMs = 60 * minuteMs;
const mostAlarms = 1000;
/** Maximum number of raw readings in one pack; a line with an interval of 1 s reports this many in 5 days. */
const mostReadings = 500_000;

const within = ({ from, to }: Period, owned: Period): Period => ({
  from: new Date(Math.max(from.getTime(), owned.from.getTime())),
  to: new Date(Math.min(to.getTime(), owned.to.getTime())),
});
const widened = ({ from, to }: Period, ms: number, owned: Period): Period =>
  within({ from: new Date(from.getTime() - ms), to: new Date(to.getTime() + ms) }, owned);

/** Deleted alarms too: a pack hides nothing that its reader could see earlier. */
const alarmsWhere = async (
  db: Db,
  scope: Scope,
  condition: RawBuilder<SqlBool>,
): Promise<readonly JoinedAlarm[]> => {
  const { rows } = await joinedAlarms(
    sql`select a.line_id, a.id from alarms a where ${condition} and ${alarmsInScope(scope)}
      order by a.raised_at, a.id limit ${mostAlarms + 1}`,
  ).execute(db);
  if (rows.length > mostAlarms) fault('evidence.tooMuch');
  return rows.sort((a, b) => a.raised_at.getTime() - b.raised_at.getTime() || a.id - b.id);
};
const ofDevice = (deviceId: number, { from, to }: Period) =>
  sql<SqlBool>`(a.device_id = ${deviceId} and a.device_id > 0 and a.raised_at < ${to}
    and coalesce(a.cleared_at, 'infinity') >= ${from})`;
/** The previous and next work orders, and the alarms that it suppresses. */
const ofAlarm = (id: number) => sql<SqlBool>`(a.suppressed_by = ${id} or a.id in (
  with recursive earlier (id, previous_id, n) as (
    select id, previous_id, 0 from alarms where id = ${id}
    union all select b.id, b.previous_id, n + 1 from alarms b join earlier on b.id = earlier.previous_id where n < 20
  ), later (id, n) as (
    select ${id}::bigint, 0
    union all select b.id, n + 1 from alarms b join later on b.previous_id = later.id where n < 20
  ) select id from earlier union select id from later))`;

const placeOf = async (db: Db, projectId: number | null) => {
  const project =
    projectId === null
      ? undefined
      : await db
          .selectFrom('projects')
          .select(['id', 'name', 'address', 'time_zone'])
          .where('id', '=', projectId)
          .executeTakeFirst();
  const { time_zone: zone = defaultZone, ...place } = project ?? {};
  return { zone, project: project ? (place as NonNullable<Incident['project']>) : null };
};

const deviceRow = (db: Db, deviceId: number) =>
  db
    .selectFrom('devices')
    .select([
      'id',
      'number',
      'name',
      'type',
      'model',
      'firmware',
      'address',
      'image_id',
      'project_id',
      'part_id',
    ])
    .where('id', '=', deviceId);
type DeviceRow = NonNullable<Awaited<ReturnType<ReturnType<typeof deviceRow>['executeTakeFirst']>>>;
/** A device that moved to another project or part keeps its present names there private. */
const deviceOf = (row: DeviceRow, isTheirs: boolean): NonNullable<Incident['device']> => ({
  id: row.id,
  number: row.number,
  type: deviceTypes.find((known) => known === row.type) ?? 3,
  model: row.model,
  firmware: row.firmware,
  name: isTheirs ? row.name : '',
  address: isTheirs ? row.address : '',
  image_id: isTheirs ? row.image_id : null,
});
const linesOf = async (db: Db, deviceId: number, isTheirs: boolean): Promise<IncidentLine[]> => {
  const rows = await db
    .selectFrom('lines')
    .select(['id', 'n', 'name'])
    .where('device_id', '=', deviceId)
    .orderBy('n')
    .execute();
  return rows.map((row) => ({ ...row, name: isTheirs ? row.name : '' }));
};

/** Throws `evidence.tooMuch` before the first byte is written: a pack is complete or is not made. */
const bounded = async (db: Db, incident: Incident): Promise<Incident> => {
  const { from, to } = incident.readings;
  const lines = incident.lines.map(({ id }) => id);
  const { rows } = await sql<{ n: number }>`select count(*) as n from (select 1 from readings
    where line_id = any(${lines}::int[]) and at >= ${from} and at < ${to} limit ${mostReadings + 1}) found`.execute(
    db,
  );
  return rows[0]!.n > mostReadings ? fault('evidence.tooMuch') : incident;
};

/** Throws `alarm.missing` outside the scope, as for an unknown id. */
export const incidentOfAlarm = async (db: Db, scope: Scope, id: number, now: number): Promise<Incident> => {
  const [alarm] = await alarmsWhere(
    db,
    scope,
    sql<SqlBool>`a.id = ${id} and (${notDeleted('a')} or a.deleted_by is null)`,
  );
  if (!alarm) return fault('alarm.missing');
  const row = await deviceRow(db, alarm.device_id).executeTakeFirst();
  const isTheirs =
    row !== undefined && row.project_id === alarm.project_id && holds(scope, row.project_id, row.part_id);
  const owned = await ownershipAround(db, alarm.device_id, alarm.raised_at);
  const from = alarm.raised_at;
  const end = alarm.cleared_at?.getTime() ?? now;
  const period = {
    from,
    to: new Date(Math.min(Math.max(end, from.getTime()), from.getTime() + mostOfAlarmMs)),
  };
  const acts = widened(period, actsAroundMs, owned);
  return bounded(db, {
    alarm: { id, work_order: alarm.work_order, code: alarm.code },
    device: row ? deviceOf(row, isTheirs) : null,
    ...(await placeOf(db, alarm.project_id)),
    lines: row ? await linesOf(db, row.id, isTheirs) : [],
    owned,
    period,
    readings: widened(period, aroundMs, owned),
    acts,
    alarms: await alarmsWhere(db, scope, sql`(${ofAlarm(id)} or ${ofDevice(alarm.device_id, acts)})`),
  });
};

/** Throws `device.missing` outside the scope. The time before the reader's ownership is not included. */
export const incidentOfDevice = async (
  db: Db,
  scope: Scope,
  given: { device_id: number; from: string; to: string },
): Promise<Incident> => {
  const asked = { from: new Date(given.from), to: new Date(given.to) };
  if (asked.to.getTime() - asked.from.getTime() > longestEvidenceDays * 24 * 60 * minuteMs)
    fault('request.invalid', { fields: { to: 'range.long' }, with: { days: longestEvidenceDays } });
  const row =
    (await deviceRow(db, given.device_id)
      .where(notDeleted('devices'))
      .where(inScope(scope, 'devices.project_id', 'devices.part_id'))
      .select(seenFrom(scope, 'devices.id').as('seen_from'))
      .executeTakeFirst()) ?? fault('device.missing');
  const owned = { from: row.seen_from, to: new Date('9999-01-01') };
  const period = within(asked, owned);
  const acts = widened(period, actsAroundMs, owned);
  return bounded(db, {
    alarm: null,
    device: deviceOf(row, true),
    ...(await placeOf(db, row.project_id)),
    lines: await linesOf(db, row.id, true),
    owned,
    period,
    readings: widened(period, aroundMs, owned),
    acts,
    alarms: await alarmsWhere(db, scope, ofDevice(row.id, acts)),
  });
};

/** The history of these alarms and who acted, oldest first. */
export const historyOf = async (db: Db, alarms: readonly JoinedAlarm[]) => {
  const { rows } = await sql<{
    alarm_id: number;
    at: Date;
    kind: string;
    operator: string | null;
    data: Record<string, unknown>;
  }>`
    select h.alarm_id, h.at, h.kind, h.data, ${displayNameOf('u')} as operator
    from unnest(${alarms.map(({ line_id }) => line_id)}::int[], ${alarms.map(({ id }) => id)}::bigint[])
        as wanted (line_id, alarm_id)
      join alarm_history h using (line_id, alarm_id)
      left join users u on u.id = h.user_id
    order by h.alarm_id, h.seq`.execute(db);
  return rows;
};
