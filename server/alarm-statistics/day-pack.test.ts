import * as fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type AlarmWorld, createAlarmWorld } from '#server/alarms/alarms.world.ts';
import { makeAlarm } from '#test/alarm-factory.ts';
import { start } from '#test/alarm-feeder.ts';
import { makeDevice, makeProject } from '#test/factories.ts';
import { alarmStatistics } from './alarm-statistics.store.ts';
import { countedBySql } from './alarm-statistics.world.ts';
import { packDays } from './day-pack.ts';

const minuteMs = 60_000;
const dayMs = 86_400_000;
const zones = ['Asia/Shanghai', 'America/New_York', 'Asia/Kathmandu', 'UTC'];
const codes = [101, 201, 301, 402];
/** How far in the past a packed day is, as negative seconds. */
const past = (days: number) => -days * 86_400;
let alarms: AlarmWorld;
let devices: Awaited<ReturnType<typeof makeDevice>>[];

const db = () => alarms.world.db;
const first_day = '2026-10-01';
type Filter = { level?: number; severity?: number; typeNumber?: number[]; project_id?: number };

/** Every figure twice: from the screen and from the database. */
const bothWays = async (filter: Filter = {}, zone = zones[0]!, days: object = { first_day }) => {
  const asked = { range: 'month' as const, ...days, ...filter };
  const given = { asked, zone, now: start, most: 3 };
  const {
    total,
    types,
    severities,
    days: ofDays,
    week,
    projects,
    devices,
  } = await alarmStatistics(db(), { all: true }, given);
  const { before, active: _, growth: __, handling_rate: ___, ...sum } = total;
  const rows = devices.map(({ project_name: _, ...row }) => row);
  const found = { total: sum, before, types, severities, days: ofDays, week, projects, devices: rows };
  return { found, counted: await countedBySql(db(), { all: true }, given) };
};
const agree = async (...given: Parameters<typeof bothWays>) => {
  const { found, counted } = await bothWays(...given);
  expect(found).toEqual(counted);
  return found.total;
};
/** The first round closes days; a later one packs them. */
const pack = async () => {
  await packDays(db(), start);
  return packDays(db(), start + 5 * minuteMs);
};
const changedDays = async () =>
  (await alarms.world.pool.query('select distinct day from alarm_days_changed order by 1')).rows.map(
    ({ day }) => day,
  );
const handle = (ids: number[]) =>
  alarms.operator.call('/device_warning/batchHandle', { ids, content: 'seen to' });

beforeAll(async () => {
  alarms = await createAlarmWorld();
});
afterAll(() => alarms.close());
beforeEach(async () => {
  await alarms.renew();
  await alarms.world.pool.query('truncate alarm_days, alarm_days_changed, alarm_days_closed, shelved_alarms');
  const projects = [await makeProject(db()), await makeProject(db())];
  devices = [
    await makeDevice(db(), { project_id: projects[0]!.id }),
    await makeDevice(db(), { project_id: projects[1]!.id }),
    await makeDevice(db(), {}),
  ];
  // Forty days, with an alarm in the last and the first instant of a day.
  for (let index = 0; index < 80; index += 1)
    await makeAlarm(alarms.world.pool, devices[index % 3]!, {
      at: start - index * 12.25 * 60 * minuteMs,
      code: codes[index % codes.length]!,
      level: index % 5 === 0 ? 1 : 2,
      severity: 1 + (index % 4),
      handled: index % 3 === 0,
      cleared: true,
      suppressed: index % 17 === 3,
      deleted: index % 13 === 5,
    });
  for (const at of ['2026-11-09T23:59:59.700Z', '2026-11-10T00:00:00.000Z'])
    await makeAlarm(alarms.world.pool, devices[0]!, { at: Date.parse(at), cleared: true });
});

describe('alarms packed by day', () => {
  it('alarms packed by day give the figures that the database counts, for every kind, zone and range', async () => {
    expect(await pack()).toBeGreaterThan(30);
    const filter: fc.Arbitrary<Filter> = fc.record(
      {
        level: fc.constantFrom(1, 2),
        severity: fc.integer({ min: 1, max: 4 }),
        typeNumber: fc.constantFrom([101], [201, 301], []),
        project_id: fc.constantFrom(devices[0]!.project_id!, devices[1]!.project_id!),
      },
      { requiredKeys: [] },
    );
    const days = fc
      .record({ first: fc.integer({ min: 0, max: 45 }), length: fc.integer({ min: 0, max: 45 }) })
      .map(({ first, length }) => ({
        first_day: new Date(start - (first + length) * dayMs).toISOString().slice(0, 10),
        last_day: new Date(start - first * dayMs).toISOString().slice(0, 10),
      }));
    await fc.assert(
      fc.asyncProperty(filter, fc.constantFrom(...zones), days, async (kinds, zone, asked) => {
        await agree(kinds, zone, asked);
      }),
      { numRuns: 60 },
    );
  });

  it('statistics read packed days, and count a changed alarm only after its day is marked as changed', async () => {
    const { raised } = await agree();
    await pack();
    await alarms.world.pool.query('update alarms set deleted_at = now()');
    const recent = (await bothWays()).found.total.raised;
    expect(recent).toBeGreaterThan(raised - 10);
    await alarms.world.pool.query('insert into alarm_days_changed select day from alarm_days');
    expect((await agree()).raised).toBe(0);
  });

  it('alarms packed by day leave out the last 48 hours, and wait for changes that began before the days were closed', async () => {
    expect(await packDays(db(), start)).toBe(0);
    expect(await packDays(db(), start + minuteMs)).toBe(0);
    expect(await packDays(db(), start + 5 * minuteMs)).toBeGreaterThan(30);
    const { rows } = await alarms.world.pool.query('select max(day) as day from alarm_days');
    expect(rows).toEqual([{ day: '2026-11-17' }]);
    expect(await packDays(db(), start + 10 * minuteMs)).toBe(0);
  });

  it('a packed day is packed again when one of its alarms is handled or deleted', async () => {
    await pack();
    const old = (await alarms.list()).filter(({ status }) => status === 'unprocessed').slice(0, 4);
    const before = await agree();
    await handle(old.slice(0, 2).map(({ id }) => id));
    expect((await agree()).processed).toBe(before.processed + 2);
    await alarms.operator.call('/device_warning/del_war', { ids: old.slice(0, 1).map(({ id }) => id) });
    expect((await agree()).raised).toBe(before.raised - 1);
    expect(await changedDays()).toHaveLength(2);
    expect(await pack()).toBe(2);
    expect(await changedDays()).toEqual([]);
    expect((await agree()).raised).toBe(before.raised - 1);
  });

  it('alarms packed by day count shelved alarms too, so that shelving cannot improve a rate', async () => {
    const [given] = devices;
    const id = await makeAlarm(alarms.world.pool, given!, { at: start - 9 * dayMs, code: 601 });
    await pack();
    const before = await agree();
    await alarms.operator.call('/device_warning/shelve', { ids: [id], minutes: 60, reason: 'works' });
    expect(await agree()).toEqual(before);
  });

  it('alarms packed by day include alarms that devices report late: raised, escalated, ended within two seconds, suppressed', async () => {
    await pack();
    const before = await agree();
    const event = (seconds: number, code: number, st: 'raise' | 'clear', lvl: 1 | 2, eid: string) =>
      alarms.event(seconds, { st, code, lvl, eid });
    await event(past(20), 301, 'raise', 1, 'late-1');
    expect((await agree()).early_warnings).toBe(before.early_warnings + 1);
    await pack();
    await event(past(20) + 60, 301, 'raise', 2, 'late-1');
    expect(await agree()).toMatchObject({
      early_warnings: before.early_warnings,
      alarms: before.alarms + 1,
    });
    await pack();
    await event(past(15), 102, 'raise', 2, 'late-2');
    await pack();
    expect((await agree()).raised).toBe(before.raised + 2);
    await event(past(15) + 1, 102, 'clear', 2, 'late-2');
    expect((await agree()).raised).toBe(before.raised + 1);
    await event(past(12), 102, 'raise', 2, 'late-3');
    await pack();
    await alarms.find(past(12) + 30, 801, true, alarms.deviceLine);
    await agree();
    await pack();
    await agree();
  });

  it('packed days do not count for an alarm table that was replaced', async () => {
    await pack();
    const before = await agree();
    await alarms.world.pool.query(
      'create table kept as table alarms; truncate alarms; alter table kept drop column processed',
    );
    expect((await agree()).raised).toBe(0);
    await alarms.world.pool.query('drop table kept');
    expect(before.raised).toBeGreaterThan(60);
  });
});
