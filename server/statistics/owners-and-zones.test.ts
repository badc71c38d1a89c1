import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makeDevice, makePart, makeProject } from '#test/factories.ts';
import type { Client } from '#test/world.ts';
import { type MeteredWorld, meteredWorld } from './metered.world.ts';

let world: MeteredWorld;
let admin: Client;
beforeAll(async () => {
  world = await meteredWorld();
});
afterAll(() => world.close());

/** Sessions end while the clock moves. */
const rollUp = async (until: string) => {
  await world.rollUp(until);
  admin = await world.admin();
};
const ask = async (path: string, body: object) => {
  const { status, data, msg } = await admin.call(`/statistics/${path}`, body);
  expect(status, msg).toBe(200);
  return data;
};
const cents = (kwh: number) => Math.round(kwh * 100) / 100;
const kwhOf = (rows: readonly { kwh: number }[]) => rows.map(({ kwh }) => cents(kwh));
const days = (first_day: string, last_day: string) => ({ period: 'custom', first_day, last_day });
const sumOf = (rows: readonly { kwh: number }[]) => cents(rows.reduce((sum, { kwh }) => sum + kwh, 0));
/** A device that reports every 15 minutes. */
const meterIn = async (project: { id: number }, given: { part_id?: number; lines?: number } = {}) => {
  const device = await makeDevice(world.db, { project_id: project.id, rated_current: 63, ...given });
  await world.pool.query('update devices set upload_seconds = 900 where id = $1', [device.id]);
  return device;
};
const moveTo = async (device: { id: number }, project: { id: number } | null, part?: { id: number }) => {
  const { status, data, msg } =
    project === null
      ? await admin.call('/Device/remove_device', { device_ids: [device.id] })
      : await admin.call('/Project/bind_device', {
          project_id: project.id,
          ...(part ? { part_id: part.id } : {}),
          device_ids: [device.id],
        });
  expect(status, msg).toBe(200);
  expect(data.results?.[0]?.result ?? 'done').toBe('done');
};
/** The figures of a target add up: energy by time and by member, electricity by band, and the load's energy. */
const agrees = async (about: object, when: object, kwh: number) => {
  const energy = await ask('energy_detail', { ...about, ...when });
  expect(cents(energy.total.kwh)).toBe(kwh);
  expect(sumOf(energy.buckets)).toBe(kwh);
  if (energy.members.length > 0) expect(sumOf(energy.members)).toBe(kwh);
  const bill = await ask('electricity', { ...about, ...when });
  expect(cents(bill.total.kwh)).toBe(kwh);
  expect(cents(sumOf(bill.bands) + bill.untariffed_kwh)).toBe(kwh);
  expect(cents((await ask('load', { ...about, ...when })).figures.energy_kwh)).toBe(kwh);
};

describe('days in zones whose clocks change at midnight', () => {
  test.each([
    // The day begins at 01:00.
    ['America/Santiago', '2026-09-05T00:00-04:00', '2026-09-08T00:00-03:00', [24, 23, 24], '2026-09-05'],
    // The day has 00:00 twice.
    ['Atlantic/Azores', '2026-10-24T00:00+00:00', '2026-10-27T00:00-01:00', [24, 25, 24], '2026-10-24'],
  ])('each day in %s has the energy of its hours', async (zone, from, to, hours, first) => {
    const project = await makeProject(world.db, { time_zone: zone });
    const device = await meterIn(project);
    await world.measure(device, { from, to, watts: 1000, kWh: 10 });
    await rollUp(to);
    const last = new Date(Date.parse(first) + 2 * 86_400_000).toISOString().slice(0, 10);
    const { buckets, total } = await ask('energy_detail', { project_id: project.id, ...days(first, last) });
    expect(kwhOf(buckets)).toEqual(hours);
    expect(cents(total.kwh)).toBe(hours.reduce((sum, each) => sum + each, 0));
    for (const [index, each] of hours.entries()) {
      const date = new Date(Date.parse(first) + index * 86_400_000).toISOString().slice(0, 10);
      const day = await ask('energy_detail', { project_id: project.id, period: 'day', date });
      expect(kwhOf(day.buckets), date).toEqual(Array.from({ length: each }, () => 1));
    }
    await agrees({ project_id: project.id }, days(first, last), cents(total.kwh));
  });
});

describe('a device that moves between projects', () => {
  test('a device that moves to a project in another time zone counts each hour once, in the days of either zone', async () => {
    const berlin = await makeProject(world.db, { time_zone: 'Europe/Berlin' });
    const stJohns = await makeProject(world.db, { time_zone: 'America/St_Johns' });
    const device = await meterIn(berlin);
    // 1 kW for two days in Berlin and then for two days in St John's.
    const kWh = await world.measure(device, {
      from: '2026-11-01T00:00+01:00',
      to: '2026-11-03T00:00+01:00',
      watts: 1000,
      kWh: 10,
    });
    await rollUp('2026-11-03T00:01+01:00');
    await moveTo(device, stJohns);
    await world.measure(device, {
      from: '2026-11-03T00:00+01:00',
      to: '2026-11-05T00:00-03:30',
      watts: 1000,
      kWh,
    });
    await rollUp('2026-11-05T00:01-03:30');
    const both = days('2026-10-31', '2026-11-05');
    const ofBerlin = await ask('energy_detail', { project_id: berlin.id, ...both });
    expect(kwhOf(ofBerlin.buckets)).toEqual([0, 24, 24, 0.25, 0, 0]);
    const ofStJohns = await ask('energy_detail', { project_id: stJohns.id, ...both });
    expect(kwhOf(ofStJohns.buckets)).toEqual([0, 0, 4.25, 24, 24, 0]);
    const ofLine = await ask('energy_detail', { line_id: device.lines[0]!.id, ...both });
    expect(kwhOf(ofLine.buckets)).toEqual([3.5, 25, 24, 24, 24, 0]);
    await agrees({ line_id: device.lines[0]!.id }, both, 100.5);
    await agrees({ project_id: berlin.id }, { period: 'month', date: '2026-11-01' }, 48.25);
    await agrees({ project_id: stJohns.id }, { period: 'year', date: '2026-11-01' }, 52.25);
    const month = await ask('energy_source', {
      line_id: device.lines[0]!.id,
      period: 'month',
      date: '2026-11-01',
    });
    expect(cents(month.total.kwh)).toBe(97);
  });

  test('a device that comes back to its project counts there for both of its times', async () => {
    const [own, other] = [await makeProject(world.db), await makeProject(world.db)];
    const device = await meterIn(own);
    let kWh = 10;
    for (const [from, to, next] of [
      ['2026-11-10T00:00+08:00', '2026-11-11T00:00+08:00', other],
      ['2026-11-11T00:00+08:00', '2026-11-12T00:00+08:00', own],
      ['2026-11-12T00:00+08:00', '2026-11-13T00:00+08:00', other],
      ['2026-11-13T00:00+08:00', '2026-11-14T00:00+08:00', null],
    ] as const) {
      kWh = await world.measure(device, { from, to, watts: 1000, kWh });
      await rollUp(to);
      if (next) await moveTo(device, next);
    }
    const all = days('2026-11-09', '2026-11-14');
    const { buckets } = await ask('energy_detail', { project_id: own.id, ...all });
    expect(kwhOf(buckets)).toEqual([0, 24, 0, 24, 0, 0]);
    await agrees({ project_id: own.id }, all, 48);
    await agrees({ project_id: other.id }, all, 48);
  });

  test('a device that moves to another part leaves its past energy in the first one', async () => {
    const project = await makeProject(world.db);
    const [hall, roof] = [
      await makePart(world.db, project.id, 'Hall'),
      await makePart(world.db, project.id, 'Roof'),
    ];
    const device = await meterIn(project, { part_id: hall.id });
    const kWh = await world.measure(device, {
      from: '2026-11-14T00:00+08:00',
      to: '2026-11-15T00:00+08:00',
      watts: 1000,
      kWh: 10,
    });
    await rollUp('2026-11-15T00:00+08:00');
    await moveTo(device, project, roof);
    await world.measure(device, {
      from: '2026-11-15T00:00+08:00',
      to: '2026-11-16T00:00+08:00',
      watts: 1000,
      kWh,
    });
    await rollUp('2026-11-16T00:00+08:00');
    const both = days('2026-11-14', '2026-11-15');
    await agrees({ part_id: hall.id }, both, 24);
    await agrees({ part_id: roof.id }, both, 24);
    await agrees({ project_id: project.id }, both, 48);
    const { members } = await ask('energy_detail', { project_id: project.id, ...both, split: 'part' });
    expect(members.map(({ name, kwh }: { name: string; kwh: number }) => [name, cents(kwh)])).toEqual([
      ['Hall', 24],
      ['Roof', 24],
    ]);
  });

  test('the past of a project does not depend on the incoming line of a later one', async () => {
    const [own, fed] = [await makeProject(world.db), await makeProject(world.db)];
    const [device, feeder] = [await meterIn(own), await meterIn(fed)];
    const when = { from: '2026-11-16T00:00+08:00', to: '2026-11-17T00:00+08:00' };
    await world.measure(device, { ...when, watts: 1000, kWh: 10 });
    await world.measure(feeder, { ...when, watts: 5000, kWh: 10 });
    await rollUp(when.to);
    await ask('set_incoming', { line_id: feeder.lines[0]!.id, supplies: 'project' });
    await moveTo(device, fed);
    await rollUp('2026-11-17T00:02+08:00');
    await agrees({ project_id: own.id }, { period: 'day', date: '2026-11-16' }, 24);
    await agrees({ project_id: fed.id }, { period: 'day', date: '2026-11-16' }, 120);
  });

  test('a deleted device leaves its energy in its project', async () => {
    const project = await makeProject(world.db);
    const device = await meterIn(project);
    const when = { from: '2026-11-17T00:00+08:00', to: '2026-11-18T00:00+08:00' };
    await world.measure(device, { ...when, watts: 1000, kWh: 10 });
    await rollUp(when.to);
    const { status, msg } = await admin.call('/device/del_device', { device_ids: [device.id] });
    expect(status, msg).toBe(200);
    await rollUp('2026-11-18T00:02+08:00');
    await agrees({ project_id: project.id }, { period: 'day', date: '2026-11-17' }, 24);
  });
});

describe('the overview', () => {
  test('the overview counts an incoming line in place of the lines that it supplies', async () => {
    const project = await makeProject(world.db);
    const [feeder, socket] = [await meterIn(project), await meterIn(project)];
    const when = { from: '2026-11-20T00:00+08:00', to: '2026-11-20T12:00+08:00' };
    await world.measure(feeder, { ...when, watts: 5000, kWh: 10, live: true });
    await world.measure(socket, { ...when, watts: 3000, kWh: 10, live: true });
    await rollUp(when.to);
    const overview = async () => {
      const [census, sites] = await Promise.all([
        admin.call('/index/census'),
        admin.call('/index/get_site_ranking', { limit: 50 }),
      ]);
      expect([census.status, sites.status], sites.msg).toEqual([200, 200]);
      const site = sites.data.list.find((row: { project_id: number }) => row.project_id === project.id);
      return { whole: census.data, site };
    };
    const before = await overview();
    expect(before.site).toMatchObject({ load_w: 8000, energy_today_kwh: expect.closeTo(96, 4) });
    await ask('set_incoming', { line_id: feeder.lines[0]!.id, supplies: 'project' });
    await rollUp('2026-11-20T12:02+08:00');
    const after = await overview();
    expect(after.site).toMatchObject({ load_w: 5000, energy_today_kwh: expect.closeTo(60, 4) });
    expect(after.whole.load_w).toBe(before.whole.load_w - 3000);
    expect(after.whole.energy_today_kwh).toBeCloseTo(before.whole.energy_today_kwh - 36, 4);
    await agrees({ project_id: project.id }, { period: 'day', date: '2026-11-20' }, 60);
  });
});
