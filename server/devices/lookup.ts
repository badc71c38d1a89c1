import { type RawBuilder, sql } from 'kysely';
import type * as z from 'zod';
import type { deviceEndpoints, patrolReasons } from '#contract/devices.ts';
import type { BodyOf, ReplyOf } from '#contract/endpoint.ts';
import type { Db } from '#database/connect.ts';
import { containing } from '#server/core/containing.ts';
import { fault } from '#server/core/fault.ts';
import { lastContact } from '#server/core/last-contact.ts';
import { notDeleted } from '#server/core/not-deleted.ts';
import { inScope, type Scope } from '#server/core/scope.ts';
import { dayOf, defaultZone } from '#server/core/zone.ts';

type Brief = ReplyOf<typeof deviceEndpoints.info>;
type Reason = (typeof patrolReasons)[number];
type Patrolled = z.output<typeof deviceEndpoints.patrol.reply>['list'][number];

const mine = (scope: Scope) =>
  sql`${notDeleted('devices')} and ${inScope(scope, 'devices.project_id', 'devices.part_id')}`;
const briefColumns = sql`devices.id as device_id, devices.number, devices.name, devices.type,
  case when coalesce(s.online, false) then 'online' else 'offline' end as status, devices.project_id,
  coalesce(projects.name, '') as project_name, devices.imei, devices.imsi, devices.iccid`;
const joined = sql`devices left join device_state s on s.device_id = devices.id
  left join projects on projects.id = devices.project_id`;
const all = (conditions: readonly RawBuilder<unknown>[]) => sql`${sql.join(conditions, sql` and `)}`;

/** Devices by the text printed on them or on their SIM. */
export const searchDevices = async (db: Db, scope: Scope, body: BodyOf<typeof deviceEndpoints.search>) => {
  const { page, limit, sort, keyword, number, imei, iccid, type } = body;
  const conditions = [mine(scope)];
  if (keyword !== undefined) {
    const like = containing(keyword);
    conditions.push(sql`(devices.number ilike ${like} or devices.name ilike ${like}
      or devices.imei like ${like} or devices.iccid ilike ${like})`);
  }
  if (number !== undefined) conditions.push(sql`devices.number ilike ${containing(number)}`);
  if (imei !== undefined) conditions.push(sql`devices.imei like ${containing(imei)}`);
  if (iccid !== undefined) conditions.push(sql`devices.iccid ilike ${containing(iccid)}`);
  if (type !== undefined) conditions.push(sql`devices.type = ${type}`);
  const where = all(conditions);
  const order = sort === '-number' ? sql`devices.number desc` : sql`devices.number`;
  const [counted, rows] = await Promise.all([
    sql<{ total: number }>`select count(*) as total from devices where ${where}`.execute(db),
    sql<Brief>`select ${briefColumns} from ${joined} where ${where}
      order by ${order} limit ${limit} offset ${(page - 1) * limit}`.execute(db),
  ]);
  return { list: rows.rows, total: counted.rows[0]!.total, page, limit };
};

/** The one device of an exact number, IMEI, ICCID or id. */
export const lookUpDevice = async (
  db: Db,
  scope: Scope,
  body: BodyOf<typeof deviceEndpoints.info>,
): Promise<Brief> => {
  const asked = [
    ...(body.device_id === undefined ? [] : [sql`devices.id = ${body.device_id}`]),
    ...(body.number === undefined ? [] : [sql`devices.number = ${body.number}`]),
    ...(body.imei === undefined ? [] : [sql`devices.imei = ${body.imei} and devices.imei <> ''`]),
    ...(body.iccid === undefined ? [] : [sql`devices.iccid = ${body.iccid} and devices.iccid <> ''`]),
  ];
  if (asked.length === 0) return fault('request.invalid', { fields: { number: 'setting.devices' } });
  const { rows } = await sql<Brief>`select ${briefColumns} from ${joined}
    where ${all([mine(scope), ...asked])} order by devices.id limit 1`.execute(db);
  return rows[0] ?? fault('device.missing');
};

const offlineHours = 24;
const weakSignalDbm = -105;
const clockErrorMs = 60_000;
const expiringDays = 30;
const refusedDays = 7;

/** Each problem with its condition and its figure. Bounds: domain reference §1.1, §2.2 (802, 803, 806). */
const matters = (
  now: Date,
  today: string,
): Record<Reason, { when: RawBuilder<unknown>; value: RawBuilder<unknown> }> => ({
  offline_long: {
    when: sql`(not s.online and s.last_seen < ${now}::timestamptz - make_interval(hours => ${offlineHours}))`,
    value: sql`floor(extract(epoch from ${now}::timestamptz - s.last_seen) / 3600)`,
  },
  never_seen: { when: sql`(s.last_seen is null)`, value: sql`null::numeric` },
  weak_signal: { when: sql`(s.rssi < ${weakSignalDbm})`, value: sql`s.rssi` },
  clock_wrong: { when: sql`(abs(s.skew_ms) > ${clockErrorMs})`, value: sql`round(s.skew_ms / 1000.0)` },
  refused: {
    when: sql`((s.refused_last ->> 'at')::timestamptz > ${now}::timestamptz - make_interval(days => ${refusedDays}))`,
    value: sql`(select sum(value::numeric) from jsonb_each_text(s.refused))`,
  },
  expiring: {
    when: sql`(devices.expires_on between ${today}::date and ${today}::date + ${expiringDays}::int)`,
    value: sql`devices.expires_on - ${today}::date`,
  },
  expired: {
    when: sql`(devices.expires_on < ${today}::date)`,
    value: sql`devices.expires_on - ${today}::date`,
  },
});

/** Devices that need a visit: longest offline first, then by number, so that the order is stable. */
export const patrolDevices = async (
  db: Db,
  scope: Scope,
  body: BodyOf<typeof deviceEndpoints.patrol>,
  now: number,
) => {
  const { page, limit, sort, project_id, number, type, reason } = body;
  const known = Object.entries(matters(new Date(now), dayOf(now, defaultZone))) as [
    Reason,
    { when: RawBuilder<unknown>; value: RawBuilder<unknown> },
  ][];
  const conditions = [mine(scope)];
  if (project_id !== undefined) conditions.push(sql`devices.project_id = ${project_id}`);
  if (number !== undefined) conditions.push(sql`devices.number ilike ${containing(number)}`);
  if (type !== undefined) conditions.push(sql`devices.type = ${type}`);
  const base = all(conditions);
  const any = sql`(${sql.join(
    known.filter(([name]) => reason === undefined || name === reason).map(([, matter]) => matter.when),
    sql` or `,
  )})`;
  const order = sort === '-number' ? sql`devices.number desc` : sql`devices.number`;
  const [counted, rows] = await Promise.all([
    sql<Record<string, number>>`
      select ${sql.join(known.map(([name, { when }]) => sql`count(*) filter (where ${when}) as ${sql.ref(name)}`))},
        count(*) filter (where ${any}) as total
      from devices left join device_state s on s.device_id = devices.id where ${base}`.execute(db),
    sql<Omit<Patrolled, 'last_seen' | 'reasons'> & { last_seen: Date | null } & Record<string, unknown>>`
      select devices.id as device_id, devices.number, devices.name, devices.type,
        case when coalesce(s.online, false) then 'online' else 'offline' end as status, devices.project_id,
        coalesce(projects.name, '') as project_name, devices.address, ${lastContact('s')} as last_seen,
        ${sql.join(
          known.flatMap(([name, { when, value }]) => [
            sql`coalesce(${when}, false) as ${sql.ref(`is_${name}`)}`,
            sql`(${value})::float8 as ${sql.ref(name)}`,
          ]),
        )}
      from ${joined} where ${base} and ${any}
      order by ${order} limit ${limit} offset ${(page - 1) * limit}`.execute(db),
  ]);
  const { total = 0, ...counts } = counted.rows[0] ?? {};
  return {
    list: rows.rows.map(
      (row): Patrolled => ({
        device_id: row.device_id,
        number: row.number,
        name: row.name,
        type: row.type,
        status: row.status,
        project_id: row.project_id,
        project_name: row.project_name,
        address: row.address,
        last_seen: row.last_seen?.toISOString() ?? null,
        reasons: known.flatMap(([name]) =>
          row[`is_${name}`] === true ? [{ reason: name, value: row[name] as number | null }] : [],
        ),
      }),
    ),
    total,
    page,
    limit,
    counts,
  };
};
