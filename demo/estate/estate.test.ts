import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { alarmCatalogue, severityOf } from '#contract/alarm-catalogue.ts';
import { languages } from '#contract/languages.ts';
import { messageText } from '#contract/message-words.ts';
import type { SettingGroup, SettingName } from '#contract/settings.ts';
import { firmwareStatement, lineChannels } from '#contract/telemetry.ts';
import { connect, connectPool, type Db } from '#database/connect.ts';
import { furnishBase } from '#database/seed/base.ts';
import { accountOf } from '#server/core/account.ts';
import { readSettings } from '#server/core/installation-settings.ts';
import { checkOperations } from '#server/core/operation-log.ts';
import { holds } from '#server/core/scope.ts';
import { isSignedBy } from '#server/firmware/files.ts';
import { freshDatabase, type TestDatabase } from '#test/database.ts';
import { furnishDemo } from './estate.ts';
import { demoFleet } from './fleet.ts';

const now = Date.parse('2026-06-10T06:34:56Z');
interface House {
  database: TestDatabase;
  pool: pg.Pool;
  db: Db;
  progress: string[];
}
const furnish = async (): Promise<House> => {
  const database = await freshDatabase();
  const pool = connectPool(database.url, 4);
  const db = connect(pool);
  const progress: string[] = [];
  await furnishBase(db, new Date(now), 'first-password');
  await furnishDemo(db, pool, {
    now,
    seed: 7,
    secretOf: (number) => `secret of ${number}`,
    passwordHash: 'hash',
    onProgress: (sentence) => progress.push(sentence),
  });
  return { database, pool, db, progress };
};
let house: House;
beforeAll(async () => {
  house = await furnish();
});
afterAll(async () => {
  await house.db.destroy();
  await house.database.drop();
});
const rows = async <Row extends pg.QueryResultRow>(sql: string): Promise<Row[]> =>
  (await house.pool.query<Row>(sql)).rows;
const count = async (from: string): Promise<number> =>
  (await rows<{ n: number }>(`select count(*) as n from ${from}`))[0]!.n;

describe('the demo estate', () => {
  it('the demo estate has projects of twelve kinds, devices of all seven types, one of them unbound, and people of every role', async () => {
    expect(await count('projects')).toBe(12);
    expect(await count('(select distinct kind from projects) k')).toBe(12);
    expect(await count('devices')).toBe(121);
    expect(await count('(select distinct type from devices) t')).toBe(7);
    expect(await count('devices where project_id is null')).toBe(1);
    expect(await count('lines where critical')).toBeGreaterThan(30);
    const roles = await rows<{ code: number; n: number }>(
      'select code, count(users.id) as n from roles left join users on users.role_id = roles.id group by code order by code',
    );
    expect(roles.map(({ code, n }) => [code, n])).toEqual([
      [1, 1],
      [2, 2],
      [3, 3],
      [32, 2],
      [101, 1],
      [102, 1],
    ]);
    expect(await count(`user_projects where cardinality(part_ids) > 0`)).toBe(2);
    expect(house.progress.length).toBeGreaterThan(12);
  });

  it('the demo estate has consistent energy: days are sums of hours, hours are sums of minutes, and the sums equal the registers', async () => {
    expect(
      await rows(`
        select h.line_id from (
          select line_id, date_trunc('hour', bucket) as hour, sum(energy_kwh) as kwh, sum(samples) as samples
          from rollup_minute group by 1, 2) m
        join rollup_hour h on h.line_id = m.line_id and h.bucket = m.hour
        where abs(h.energy_kwh - m.kwh) > 1e-6 or h.samples <> m.samples`),
    ).toEqual([]);
    expect(
      await rows(`
        select d.line_id from (
          select line_id, date_trunc('day', bucket, 'Asia/Shanghai') as day, sum(energy_kwh) as kwh, count(*) as hours
          from rollup_hour group by 1, 2) h
        join rollup_day d on d.line_id = h.line_id and d.bucket = h.day
        where h.hours = 24 and abs(d.energy_kwh - h.kwh) > 1e-6`),
    ).toEqual([]);
    // A register has hundredths, and its last sample of a day is up to one upload before midnight.
    expect(
      await rows(`
        select * from (
          select line_id, energy_kwh, power_max, energy_last - lag(energy_last) over w as grown
          from rollup_day window w as (partition by line_id order by bucket)) d
        where abs(energy_kwh - grown) > 0.021 + power_max / 1000 * 30 / 3600`),
    ).toEqual([]);
    expect(
      await rows(`
        select line_id from (
          select d.line_id, sum(energy_kwh) as kwh, max(energy_last) - min(energy_first) as grown
          from rollup_day d group by 1) whole
        where abs(kwh - grown) > 0.05 + kwh * 0.0002`),
    ).toEqual([]);
    expect(
      await rows(`select line_id from rollup_day where date_trunc('day', bucket, 'Asia/Shanghai') <> bucket`),
    ).toEqual([]);
    expect(await count('rollup_day')).toBeGreaterThan(13_000);
    expect(
      await rows(`
        select q.line_id from (
          select line_id, date_trunc('hour', bucket) as hour, sum(energy_kwh) as kwh, count(*) as quarters
          from rollup_quarter group by 1, 2) q
        join rollup_hour h on h.line_id = q.line_id and h.bucket = q.hour
        where q.quarters = 4 and abs(h.energy_kwh - q.kwh) > 1e-6`),
    ).toEqual([]);
    expect(
      await rows(`
        select project_id from (
          select project_id, sum(energy_kwh) as kwh from rollup_day r join lines l on l.id = r.line_id
          join devices d on d.id = l.device_id where project_id is not null group by 1) lines
        join (select project_id, sum(energy_kwh) as kwh from load_quarter where part_id = 0 group by 1) load using (project_id)
        where abs(lines.kwh - load.kwh) > 1e-3`),
    ).toEqual([]);
    expect(
      await rows(`
        select line_id from (select line_id, sum(energy_kwh) as kwh from rollup_month group by 1) m
        join (select line_id, sum(energy_kwh) as kwh from rollup_day group by 1) d using (line_id)
        where abs(m.kwh - d.kwh) > 1e-6`),
    ).toEqual([]);
  });

  it('the demo estate has readings that agree with the minutes, and the latest state equals the last reading', async () => {
    expect(
      await rows(`
        select m.line_id from rollup_minute m join (
          select line_id, date_trunc('minute', at) as minute, max(energy) as last, min(energy) as first, count(*) as samples
          from readings group by 1, 2) r on r.line_id = m.line_id and r.minute = m.bucket
        where m.energy_last <> r.last or m.energy_first <> r.first or m.samples <> r.samples`),
    ).toEqual([]);
    expect(
      await rows(`
        select l.line_id from line_latest l
        left join readings r on r.line_id = l.line_id and r.at = l.at and r.energy = l.energy and r.channels = l.channels
        where r.line_id is null`),
    ).toEqual([]);
    expect(await count(`line_latest where at > '${new Date(now).toISOString()}'`)).toBe(0);
    expect(await count('line_latest')).toBe(await count('lines where n > 0'));
    // The age of a device's last reported position equals the age of its last report.
    expect(await count('line_latest where position is not null and position_at <> at')).toBe(0);
  });

  it('the demo estate has readings around the critical arc alarm that waits for an operator, with its value', async () => {
    const [alarm] = await rows<{ value: number; peak: number; line_id: number; at: string }>(
      `select value, peak, line_id, raised_at::text as at from alarms where code = 501 and cleared_at is null`,
    );
    const arcs = lineChannels[5].indexOf('arcH') + 1;
    const around = await rows<{ before: number; least: number; most: number; n: number }>(`
      select max(channels[${arcs}]) filter (where at < '${alarm!.at}'::timestamptz - interval '5 min') as before,
        min(channels[${arcs}]) filter (where at between '${alarm!.at}' and '${alarm!.at}'::timestamptz + interval '2 min') as least,
        max(channels[${arcs}]) as most, count(*)::int as n
      from readings where line_id = ${alarm!.line_id}
        and at between '${alarm!.at}'::timestamptz - interval '10 min' and '${alarm!.at}'::timestamptz + interval '10 min'`);
    expect(around[0]).toMatchObject({ before: 0, n: 40 });
    expect(around[0]!.least).toBeGreaterThanOrEqual(alarm!.value);
    expect(around[0]!.most).toBeLessThanOrEqual(alarm!.peak);
  });

  it('an open line of the demo estate has no energy and no power', async () => {
    expect(await count('line_latest where position = 0')).toBeGreaterThan(5);
    expect(
      await rows(`
        select m.line_id from rollup_minute m join line_latest l on l.line_id = m.line_id
        where l.position = 0 and m.bucket >
          coalesce((select max(p.at) from position_events p where p.line_id = l.line_id), '-infinity')
          and (m.energy_kwh > 0 or m.power_max > 0)`),
    ).toEqual([]);
  });

  it('the demo estate has alarms of all core codes in every state, each consistent with its history', async () => {
    const codes = await rows<{ code: number }>('select distinct code from alarms order by code');
    expect(codes.map(({ code }) => code)).toEqual(
      alarmCatalogue.filter(({ core }) => core).map(({ code }) => code),
    );
    for (const state of [
      'cleared_at is null and handled_at is null',
      'cleared_at is null and handled_at is not null',
      'cleared_at is not null and handled_at is null',
      'cleared_at is not null and handled_at is not null',
      'latched and normal_at is not null and cleared_at is null',
      'level = 1 and cleared_at is null',
      'suppressed_by is not null',
      'urged > 0',
    ])
      expect(await count(`alarms where ${state}`), state).toBeGreaterThan(0);
    expect(await count('alarms where cleared_at is null')).toBeLessThan(15);
    expect(
      await rows(`
        select id from alarms where cleared_at <= raised_at or handled_at <= raised_at or received_at < raised_at
          or greatest(raised_at, cleared_at, handled_at, urged_at, normal_at) > '${new Date(now).toISOString()}'
          or (handled_at is null) <> (handled_by is null) or (level = 1 and latched)`),
    ).toEqual([]);
    expect(
      await rows(`
        select a.id from alarms a join (
          select line_id, alarm_id, count(*) as steps, max(seq) as last, bool_or(kind in ('cleared', 'reset')) as over,
            bool_or(kind = 'handled') as handled, min(kind) filter (where seq = 1) as first
          from alarm_history group by 1, 2) h on h.line_id = a.line_id and h.alarm_id = a.id
        where h.steps <> a.revision or h.last <> a.revision or h.over <> (a.cleared_at is not null)
          or h.handled <> (a.handled_at is not null) or h.first <> 'raised'`),
    ).toEqual([]);
    expect(await count('alarms')).toBe(
      await count('(select distinct line_id, alarm_id from alarm_history) h'),
    );
    expect(
      await rows(`
        select w.day from work_orders w left join (
          select substr(work_order, 2, 8)::date as day, max(substr(work_order, 10)::int) as last, count(*) as n,
            count(distinct work_order) as numbers from alarms group by 1) a on a.day = w.day
        where a.last is distinct from w.last or a.n <> w.last or a.numbers <> w.last`),
    ).toEqual([]);
  });

  it('the demo estate has commands in every end state, and each verified command has its position event', async () => {
    const states = await rows<{ state: string }>('select distinct state from commands order by state');
    expect(states.map(({ state }) => state)).toEqual([
      'answered',
      'expired',
      'failed',
      'mismatch',
      'unknown',
      'verified',
    ]);
    expect(
      await rows(`
        select c.id from commands c left join position_events p on p.command_id = c.id
        where (c.state = 'verified' and c.verb in ('open', 'close')) <> (p.line_id is not null)
          or c.sent_at < c.created_at or c.acknowledged_at < c.sent_at or c.ended_at < c.sent_at`),
    ).toEqual([]);
  });

  it('the demo estate has timers of several users, each within their permissions, without unexpected switching', async () => {
    const timers = await rows<{
      author_id: number;
      project_id: number;
      part_id: number;
      next_at: Date | null;
      enabled: boolean;
      run_by: string;
      slot: number | null;
      type: string;
      action: string;
    }>(`
      select t.*, d.project_id, d.part_id from timers t join devices d on d.id = t.device_id`);
    expect(timers.length).toBeGreaterThan(10);
    expect(new Set(timers.map((timer) => timer.author_id)).size).toBeGreaterThan(4);
    for (const timer of timers) {
      const author = await accountOf(house.db, timer.author_id);
      expect(author!.permissions.has('timer.write') && author!.permissions.has('line.switch')).toBe(true);
      expect(holds(author!.scope, timer.project_id, timer.part_id)).toBe(true);
      expect(timer.next_at !== null && timer.next_at.getTime() > now).toBe(timer.enabled);
      expect(timer.run_by === 'device').toBe(timer.slot !== null);
    }
    expect(timers.filter(({ enabled }) => !enabled)).toHaveLength(1);
    expect(timers.some(({ type }) => type === 'once')).toBe(true);
    expect(await count(`timer_copies where state = 'pending'`)).toBe(1);
    expect(
      await rows(`
        select l.name from timers t join lines l on l.id = t.line_id left join line_latest latest on latest.line_id = l.id
        where l.critical or not l.switchable or (t.action = 'close' and latest.position is distinct from 1)
          or exists (select from lockout_tags tag where tag.removed_at is null)`),
    ).toEqual([]);
    const opposite = await rows(
      `select line_id, time from timers where type = 'weekly' group by 1, 2 having count(distinct action) > 1`,
    );
    expect(opposite).toEqual([]);
  });

  it('the demo estate has an operation log whose chain holds', async () => {
    expect(await checkOperations(house.db)).toMatchObject({ done: true, broken: null });
    expect(await count('operation_log')).toBeGreaterThan(80);
    expect(
      await rows(
        `select id from (select id, at < lag(at) over (order by id) as back from operation_log) l where back`,
      ),
    ).toEqual([]);
  });

  it('the demo estate has two lines whose power factor is low, and compensates all others', async () => {
    const factors = (await demoFleet(house.db)).flatMap(({ lines }) => lines.map((line) => line.powerFactor));
    const { warn, alarm } = alarmCatalogue.find(({ code }) => code === 206)!;
    const low = factors.filter((factor) => factor < warn!.factor);
    expect(low).toHaveLength(2);
    for (const factor of low) expect(factor).toBeGreaterThan(alarm!.factor);
    expect(factors.filter((factor) => factor < 0.92)).toEqual(low);
  });

  it('the demo estate has signed firmware of every type, a finished rollout and a paused one, and its devices report matching versions', async () => {
    const versions = await rows<{
      mac_type: number;
      app_version: string;
      size: number;
      sha256: string;
      signature: Buffer;
      public_key: Buffer;
    }>('select v.*, k.public_key from firmware_versions v join firmware_keys k on k.id = v.key_id');
    expect(new Set(versions.map(({ mac_type }) => mac_type)).size).toBe(7);
    for (const { mac_type: type, app_version: to, size, sha256, signature, public_key } of versions)
      expect(isSignedBy(public_key, firmwareStatement({ type, to, size, sha256 }), signature)).toBe(true);
    const found = await rows<{ state: string; of: string; n: number; fits: boolean }>(`
      select r.state, rd.state as of, count(*)::int as n,
        bool_and((rd.state = 'updated') = (d.firmware = v.app_version)
          and (rd.state = 'updated' or d.firmware = rd.from_version)) as fits
      from rollouts r join rollout_devices rd on rd.rollout_id = r.id join firmware_versions v on v.id = r.version_id
      join devices d on d.id = rd.device_id group by 1, 2 order by 1, 2`);
    expect(found.map((each) => `${each.state} ${each.of}`)).toEqual([
      'done rolled_back',
      'done updated',
      'paused failed',
      'paused rolled_back',
      'paused skipped',
      'paused updated',
      'paused waiting',
    ]);
    expect(found.every(({ fits }) => fits)).toBe(true);
  });

  it('the demo estate has settings that agree with their changes and with how far each change got', async () => {
    const changes = await rows<{ name: SettingName; after: unknown }>(
      'select distinct on (name) name, after from setting_edits order by name, id desc',
    );
    for (const { name, after } of changes) {
      const [group, own] = name.split('.') as [SettingGroup, string];
      const values: Record<string, unknown> = await readSettings(house.db, group);
      expect(values[own]).toBe(after);
    }
    expect(await count(`maintenance_jobs where state = 'done' and ended_at > started_at`)).toBe(3);
    const [waiting] = await rows<{ kind: string; tables: string[] }>(
      `select kind, tables from maintenance_jobs where state = 'queued'`,
    );
    expect(waiting!.kind).toBe('backup');
    const known = await rows<{ relname: string }>(`select relname from pg_class where relkind in ('r', 'p')`);
    expect(known.map(({ relname }) => relname)).toEqual(expect.arrayContaining(waiting!.tables));
  });

  it('the demo estate has notification rules for every channel, within their owner’s scope and with recipients', async () => {
    const rules = await rows<{
      channel: string;
      owner_id: number;
      project_ids: number[];
      user_ids: number[];
    }>('select * from notices');
    expect(new Set(rules.map(({ channel }) => channel))).toEqual(new Set(['app', 'wechat', 'webhook']));
    for (const { owner_id, project_ids, user_ids } of rules) {
      const owner = (await accountOf(house.db, owner_id))!;
      expect(owner.permissions.has('notice.write')).toBe(true);
      expect(project_ids.length > 0 || owner.scope.all).toBe(true);
      for (const id of project_ids) expect(holds(owner.scope, id, null)).toBe(true);
      for (const id of user_ids) {
        const { scope } = (await accountOf(house.db, id))!;
        expect(scope.all || [...scope.projectIds, ...scope.partProjectIds].length > 0).toBe(true);
      }
    }
    expect(await count('notices where not enabled')).toBe(1);
    const critical = alarmCatalogue.flatMap(({ code }) => (severityOf(code, 2) === 1 ? [code] : []));
    for (const { codes } of await rows<{ codes: number[] }>(
      'select codes from notices where cardinality(codes) > 1',
    ))
      expect(codes).toEqual(expect.arrayContaining(critical));
  });

  it('the demo estate has deliveries that agree with its alarms, and a message for each delivery that was sent', async () => {
    for (const state of ['accepted', 'failed', 'suppressed'])
      expect(await count(`deliveries where state = '${state}'`), state).toBeGreaterThan(0);
    for (const kind of ['raised', 'escalated', 'urged', 'reminder', 'digest'])
      expect(await count(`deliveries where kind = '${kind}'`), kind).toBeGreaterThan(0);
    expect(
      await rows(`
        select d.id from deliveries d left join alarms a on a.line_id = d.line_id and a.id = d.alarm_id
          left join deliveries lead on lead.id = d.lead_id
        where a.id is null or a.deleted_at is not null or a.device_id <> d.device_id or a.code <> d.code
          or d.created_at < a.received_at or d.created_at >= coalesce(a.handled_at, 'infinity')
          or d.sent_at < d.due_at or d.ended_at < d.sent_at or (d.state = 'queued') <> (d.ended_at is null)
          or (d.reason = 'grouped') <> (d.lead_id is not null)
          or lead.id is not null and (lead.target <> d.target or lead.state = 'suppressed')
          or d.state <> 'queued' and greatest(d.created_at, d.due_at) > '${new Date(now).toISOString()}'`),
    ).toEqual([]);
    expect(
      await rows(`
        select d.id from deliveries d left join messages m on m.user_id = d.user_id and m.alarm_id = d.alarm_id
          and m.key = 'alarm.' || d.kind and m.at = d.due_at
        where d.user_id is not null and d.state in ('accepted', 'failed') and m.id is null`),
    ).toEqual([]);
    expect(
      await rows(`select id from (select id, at < lag(at) over (order by id) as back from messages) m where back
        or exists (select from messages n where n.id = m.id and (n.read_at <= n.at or n.at > '${new Date(now).toISOString()}'))`),
    ).toEqual([]);
    const next = await house.db
      .insertInto('deliveries')
      .values({
        line_id: 1,
        alarm_id: 1,
        notice_id: null,
        kind: 'test',
        channel: 'app',
        recipient: '',
        user_id: null,
        target: 'u0',
        device_id: 1,
        code: 101,
        severity: 1,
        state: 'failed',
        reason: null,
        lead_id: null,
        created_at: new Date(now),
        due_at: new Date(now),
        sent_at: null,
        ended_at: null,
      })
      .returning('id')
      .executeTakeFirstOrThrow();
    expect(next.id).toBe(await count('deliveries'));
    await house.db.deleteFrom('deliveries').where('id', '=', next.id).execute();
  });

  it('the demo estate has news for everybody, some of it unread', async () => {
    expect(
      await rows(`select u.id from users u where not exists (select from messages m where m.user_id = u.id)`),
    ).toEqual([]);
    expect(await count(`messages where read_at is null`)).toBeGreaterThan(5);
    const types = await rows<{ type: string }>('select distinct type from messages order by 1');
    expect(types.map(({ type }) => type)).toEqual(['alarm', 'system', 'timer', 'urge']);
    const progress = await rows<{ key: string; data: Record<string, unknown> }>(
      'select key, data from messages',
    );
    for (const { key, data } of progress)
      for (const language of languages) {
        const { title, text } = messageText(language, key, data);
        expect([title, /\{|undefined|null/.test(title + text)]).toEqual([expect.stringMatching(/./), false]);
      }
  });

  it('each unprocessed alarm has a plan of notices, and no plan has a step in the past', async () => {
    expect(
      await rows(`
        select a.id from alarms a left join alarm_notices n on n.alarm_id = a.id and n.line_id = a.line_id
        where a.deleted_at is null and a.suppressed_by is null and (n.alarm_id is null) <> a.processed
          or n.next_at <= '${new Date(now).toISOString()}' or n.level <> a.level or n.urged <> a.urged`),
    ).toEqual([]);
  });

  it('the demo estate keeps alarms of less than two seconds in the log, together with their alarm rows', async () => {
    expect(await count(`alarm_events where kind = 'raised'`)).toBeGreaterThan(10);
    expect(
      await rows(`
        select e.at from alarm_events e left join alarms a on a.line_id = e.line_id and a.event_id = e.event_id
          and a.code = e.code and case e.kind when 'raised' then a.raised_at else a.cleared_at end = e.at
        where a.deleted_at is distinct from a.cleared_at or a.cleared_at - a.raised_at >= interval '2 s'
          or a.processed or a.id is null`),
    ).toEqual([]);
    expect(await count('alarms where deleted_at is not null')).toBe(
      await count(`alarm_events where kind = 'raised'`),
    );
  });

  it('starts the simulated fleet in the state in which history ended', async () => {
    const fleet = await demoFleet(house.db);
    expect(fleet).toHaveLength(117);
    expect(new Set(fleet.map(({ type }) => type)).size).toBe(7);
    const known = await rows<{ number: string; n: number; energy: number; position: number | null }>(`
      select number, n, energy, position from devices d join lines l on l.device_id = d.id
      join line_latest t on t.line_id = l.id`);
    const latest = new Map(known.map((row) => [`${row.number}/${row.n}`, row]));
    for (const device of fleet)
      for (const line of device.lines) {
        const row = latest.get(`${device.number}/${line.n}`)!;
        expect([line.energy, line.position]).toEqual([row.energy, row.position ?? 1]);
        expect(line.load).toBeGreaterThan(0);
      }
  });

  it('the demo estate is identical for the same seed and instant', async () => {
    const other = await furnish();
    const tables = [
      'projects',
      'users',
      'user_projects',
      'devices',
      'lines',
      'device_state',
      'line_latest',
      'readings',
      'rollup_minute',
      'rollup_quarter',
      'rollup_hour',
      'rollup_day',
      'rollup_month',
      'load_quarter',
      'alarms',
      'alarm_history',
      'alarm_events',
      'alarm_notices',
      'notices',
      'deliveries',
      'messages',
      'commands',
      'position_events',
      'timers',
      'operation_log',
    ];
    for (const table of tables) {
      const digest = `select md5(string_agg(row::text, '|' order by row::text)) as digest from (
        select ${table}::text as row from ${table}${table === 'users' ? ` where username <> 'admin'` : ''}) r`;
      const [one, two] = await Promise.all([house.pool.query(digest), other.pool.query(digest)]);
      expect(two.rows, table).toEqual(one.rows);
    }
    await other.db.destroy();
    await other.database.drop();
  });
});
