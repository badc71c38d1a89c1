import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import type { Db } from '#database/connect.ts';
import { hashToken } from '#server/core/session.ts';
import { testPasswordHash } from './world.ts';

let serial = 0;
/** Test files that share a database count separately. */
const mark = randomBytes(4).toString('hex');
const at = new Date('2026-01-01T00:00:00Z');

/** A region path: 440000 Guangdong / 440300 Shenzhen / 440305 Nanshan; and 310000 Shanghai. */
const makeRegions = (db: Db) =>
  db
    .insertInto('regions')
    .values(
      [
        { id: 440000, pid: null, name: '广东省', latin: 'Guangdong', level: 1, path: '/440000/' },
        { id: 440300, pid: 440000, name: '深圳市', latin: 'Shenzhen', level: 2, path: '/440000/440300/' },
        {
          id: 440305,
          pid: 440300,
          name: '南山区',
          latin: 'Nanshan',
          level: 3,
          path: '/440000/440300/440305/',
        },
        { id: 310000, pid: null, name: '上海市', latin: 'Shanghai', level: 1, path: '/310000/' },
      ].map((region) => ({
        ...region,
        code: String(region.id),
        first: region.latin[0]!,
        lat: 22,
        lng: 113,
        merger_name: region.name,
        pinyin: region.latin.toLowerCase(),
        region_code: String(region.id),
        shortname: region.name,
      })),
    )
    .onConflict((conflict) => conflict.doNothing())
    .execute();

export const makeProject = async (
  db: Db,
  given: {
    name?: string;
    region_id?: number;
    lat?: number;
    lng?: number;
    time_zone?: string;
    nominal_voltage?: number;
    contract_kw?: number;
  } = {},
) => {
  await makeRegions(db);
  const n = ++serial;
  return db
    .insertInto('projects')
    .values({
      code: `P${n}`,
      name: `Project ${n}`,
      region_id: 440305,
      lat: 22.5,
      lng: 113.9,
      joined_at: at,
      contact_name: 'Li Wei',
      contact_phone: '13800000000',
      ...given,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
};

export const makePart = (db: Db, project_id: number, name = `Part ${++serial}`) =>
  db.insertInto('project_parts').values({ project_id, name }).returningAll().executeTakeFirstOrThrow();

/** A user of a role code; `letters` matter for codes other than 1, 2, 3 and 32. */
export const makeUser = async (
  db: Db,
  given: {
    role: number;
    letters?: string;
    username?: string;
    nickname?: string;
    region_id?: number;
    projects?: readonly { id: number; parts?: number[] }[];
    auto_sign_in?: boolean;
    enabled?: boolean;
  },
) => {
  const n = ++serial;
  const role = await db
    .insertInto('roles')
    .values({ code: given.role, name: `Role ${given.role}`, letters: given.letters ?? '' })
    .onConflict((conflict) => conflict.column('code').doUpdateSet({ letters: given.letters ?? '' }))
    .returning('id')
    .executeTakeFirstOrThrow();
  const user = await db
    .insertInto('users')
    .values({
      username: given.username ?? `user${n}${mark}`,
      nickname: given.nickname ?? `User ${n}`,
      password_hash: await testPasswordHash,
      password_changed_at: at,
      role_id: role.id,
      region_id: given.region_id ?? null,
      auto_sign_in: given.auto_sign_in ?? false,
      enabled: given.enabled ?? true,
      created_at: at,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
  for (const project of given.projects ?? [])
    await db
      .insertInto('user_projects')
      .values({ user_id: user.id, project_id: project.id, part_ids: project.parts ?? [] })
      .execute();
  return user;
};

/** An active lock-out tag on a line, a device or a project; no event announces it. */
export const makeTag = (
  db: Db,
  on: { line_id: number } | { device_id: number } | { project_id: number },
  given: { owner: number; at: number; reason?: string; review_at?: Date },
) => {
  const { owner, at, reason = 'People at work', ...others } = given;
  return db
    .insertInto('lockout_tags')
    .values({ ...on, ...others, reason, owner_id: owner, set_at: new Date(at) })
    .returning('id')
    .executeTakeFirstOrThrow();
};

/** A device with its line 0 and `lines` more; `secret` is its MQTT password. */
export const makeDevice = async (
  db: Db,
  given: {
    type?: number;
    number?: string;
    project_id?: number | null;
    part_id?: number | null;
    lines?: number;
    switchable?: boolean;
    online?: boolean;
    rated_current?: number;
    last_seen?: Date;
  } = {},
) => {
  const n = ++serial;
  const secret = `secret-${n}-abcdefghijklmnopqrstuvwxyz`;
  const type = given.type ?? 3;
  const device = await db
    .insertInto('devices')
    .values({
      number: given.number ?? `TEST${String(n).padStart(6, '0')}`,
      name: `Device ${n}`,
      type,
      secret_hash: hashToken(secret),
      registered_at: at,
      project_id: given.project_id ?? null,
      part_id: given.part_id ?? null,
      bound_at: given.project_id ? at : null,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
  const switchable = given.switchable ?? [3, 4, 7].includes(type);
  const lines = await db
    .insertInto('lines')
    .values(
      Array.from({ length: (given.lines ?? 1) + 1 }, (_, index) => ({
        device_id: device.id,
        n: index,
        name: index === 0 ? '' : `Line ${index}`,
        rated_current: given.rated_current ?? (type === 3 ? 40 : 63),
        poles: [2, 4, 6, 7].includes(type) ? 3 : 1,
        switchable: index > 0 && switchable,
        created_at: at,
      })),
    )
    .returningAll()
    .execute();
  await db
    .insertInto('device_state')
    .values({ device_id: device.id, online: given.online ?? false, last_seen: given.last_seen ?? null })
    .execute();
  return {
    ...device,
    secret,
    lines: lines.filter((line) => line.n > 0),
    deviceLine: lines.find((line) => line.n === 0)!,
  };
};

/** The MQTT password of devices made by `makeDevices`. */
export const secretOfMany = 'secret-of-many-abcdefghijklmnopqrstuvwxyz';
/** Many devices with one line each, in one statement; returns their ids in order. */
export const makeDevices = async (db: Db, count: number, project_id: number | null, type = 3) => {
  const first = serial + 1;
  serial += count;
  const { rows } = await sql<{ id: number }>`
    with made as (
      insert into devices (number, name, type, secret_hash, registered_at, project_id, bound_at)
      select 'MANY' || lpad(n::text, 6, '0'), 'Device ' || n, ${type}, ${hashToken(secretOfMany)}, ${at}::timestamptz,
        ${project_id}::int, case when ${project_id}::int is not null then ${at}::timestamptz end
      from generate_series(${first}::int, ${serial}::int) n order by n
      returning id
    ), state as (insert into device_state (device_id) select id from made
    ), own as (
      insert into lines (device_id, n, name, rated_current, switchable, created_at)
      select id, n, case when n = 0 then '' else 'Line ' || n end, 40, n > 0, ${at}::timestamptz
      from made, generate_series(0, 1) n)
    select id from made order by id`.execute(db);
  return rows.map((row) => row.id);
};
