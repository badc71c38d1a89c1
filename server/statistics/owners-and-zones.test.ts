import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { restore } from '#server/alarms/engine/load.ts';
import { AlarmMemory } from '#server/alarms/engine/memory.ts';
import { sumKnown } from '#server/core/sum-known.ts';
import { makeDevice, makePart, makeProject, makeUser } from '#test/factories.ts';
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

test('after a restart a quota goes on with the energy that the statistics show of the month', async () => {
  const project = await makeProject(world.db, { time_zone: 'America/St_Johns' });
  const device = await meterIn(project);
  const lineId = device.lines[0]!.id;
  const when = { from: '2026-11-01T00:00-02:30', to: '2026-11-03T00:00-03:30' };
  await world.measure(device, { ...when, watts: 1000, kWh: 10, live: true });
  await rollUp('2026-11-18T00:04+08:00');
  await world.pool.query(`update lines set thresholds = '{"quota_kwh": 1000}' where id = $1`, [lineId]);
  const { total } = await ask('energy_detail', { line_id: lineId, period: 'month', date: '2026-11-01' });
  const memory = new AlarmMemory();
  await restore(world.pool, memory, { disabled: new Set(), zones: new Map() });
  expect(cents(memory.line(lineId, device.id).memory.energyUsed)).toBe(cents(total.kwh));
  expect(cents(total.kwh)).toBe(49);
});

/** The sites and the totals of the overview that a caller sees. */
const overviewOf = async (caller: Client) => {
  const [census, sites] = await Promise.all([
    caller.call('/index/census'),
    caller.call('/index/get_site_ranking', { limit: 50 }),
  ]);
  expect([census.status, sites.status], sites.msg).toEqual([200, 200]);
  return {
    whole: census.data,
    load_w: sumKnown(sites.data.list.map((row: { load_w: number | null }) => row.load_w)),
    site: (project: { id: number }) =>
      sites.data.list.find((row: { project_id: number }) => row.project_id === project.id),
  };
};

describe('the overview', () => {
  test('the overview counts an incoming line in place of the lines that it supplies', async () => {
    const project = await makeProject(world.db);
    const [feeder, socket] = [await meterIn(project), await meterIn(project)];
    const when = { from: '2026-11-20T00:00+08:00', to: '2026-11-20T12:00+08:00' };
    await world.measure(feeder, { ...when, watts: 5000, kWh: 10, live: true });
    await world.measure(socket, { ...when, watts: 3000, kWh: 10, live: true });
    await rollUp(when.to);
    const overview = async () => {
      const { whole, site } = await overviewOf(admin);
      return { whole, site: site(project) };
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

  test.each([
    // Days begin at half past an hour of UTC.
    [
      'America/St_Johns',
      '2026-11-20T00:00-03:30',
      '2026-11-21T00:00-03:30',
      '2026-11-21T22:00-03:30',
      24,
      22,
    ],
    // At a quarter to.
    [
      'Asia/Kathmandu',
      '2026-11-21T00:00+05:45',
      '2026-11-22T00:00+05:45',
      '2026-11-22T22:10+05:45',
      24,
      22 + 1 / 6,
    ],
  ])(
    'in %s the overview has the energy of today and yesterday that the statistics have',
    async (time_zone, from, midnight, to, yesterday, today) => {
      const project = await makeProject(world.db, { time_zone });
      const device = await meterIn(project);
      await world.measure(device, { from, to, every: 5, watts: 1000, kWh: 10 });
      await rollUp(to);
      const manager = await world.as((await makeUser(world.db, { role: 3, projects: [project] })).id);
      const { whole, site } = await overviewOf(manager);
      const first_day = from.slice(0, 10);
      await agrees({ project_id: project.id }, { period: 'day', date: first_day }, yesterday);
      const bill = await ask('electricity', {
        project_id: project.id,
        period: 'day',
        date: midnight.slice(0, 10),
      });
      expect([bill.total.kwh, bill.previous.kwh].map(cents)).toEqual([today, today].map(cents));
      expect(
        [
          whole.energy_today_kwh,
          whole.energy_yesterday_kwh,
          site(project).energy_today_kwh,
          site(project).energy_same_time_kwh,
        ].map(cents),
      ).toEqual([today, yesterday, today, today].map(cents));
    },
  );

  test('the overview counts the energy of a device for the project that owned it at that time', async () => {
    const [own, other] = [await makeProject(world.db), await makeProject(world.db)];
    const device = await meterIn(own);
    const [morning, noon, afternoon, evening] = [
      '2026-11-24T00:00+08:00',
      '2026-11-24T12:00+08:00',
      '2026-11-24T14:00+08:00',
      '2026-11-24T20:00+08:00',
    ] as const;
    let kWh = await world.measure(device, { from: morning, to: noon, watts: 1000, kWh: 10 });
    await rollUp(noon);
    await moveTo(device, null);
    kWh = await world.measure(device, { from: noon, to: afternoon, watts: 1000, kWh, live: true });
    await rollUp(afternoon);
    const unbound = await overviewOf(admin);
    expect(unbound.whole.load_w).toBe(unbound.load_w);
    await moveTo(device, other);
    await world.measure(device, { from: afternoon, to: evening, watts: 1000, kWh });
    await rollUp(evening);
    const { site } = await overviewOf(admin);
    expect([own, other].map((project) => cents(site(project).energy_today_kwh))).toEqual([12, 6]);
    for (const [project, kwh] of [
      [own, 12],
      [other, 6],
    ] as const) {
      const manager = await world.as((await makeUser(world.db, { role: 3, projects: [project] })).id);
      expect(cents((await overviewOf(manager)).whole.energy_today_kwh)).toBe(kwh);
      await agrees({ project_id: project.id }, { period: 'day', date: '2026-11-24' }, kwh);
    }
  });
});

describe('an incoming line whose device leaves', () => {
  test('an incoming line leaves its mark with its project: there it counts for its time, in the next one as any line', async () => {
    const [own, other] = [await makeProject(world.db), await makeProject(world.db)];
    const [feeder, socket, lamp] = [await meterIn(own), await meterIn(own), await meterIn(other)];
    const first = { from: '2026-12-05T00:00+08:00', to: '2026-12-06T00:00+08:00' };
    const second = { from: '2026-12-06T00:00+08:00', to: '2026-12-07T00:00+08:00' };
    await rollUp(first.from);
    await ask('set_incoming', { line_id: feeder.lines[0]!.id, supplies: 'project' });
    await world.measure(feeder, { ...first, watts: 5000, kWh: 10 });
    await world.measure(socket, { ...first, watts: 3000, kWh: 10 });
    await world.measure(lamp, { ...first, watts: 1000, kWh: 10 });
    await rollUp(first.to);
    await moveTo(feeder, other);
    await world.measure(feeder, { ...second, watts: 5000, kWh: 130 });
    await world.measure(socket, { ...second, watts: 3000, kWh: 82 });
    await world.measure(lamp, { ...second, watts: 1000, kWh: 34 });
    await rollUp(second.to);
    const [one, two] = [
      { period: 'day', date: '2026-12-05' },
      { period: 'day', date: '2026-12-06' },
    ];
    await agrees({ project_id: own.id }, one, 120);
    await agrees({ project_id: own.id }, two, 72);
    await agrees({ project_id: other.id }, one, 24);
    await agrees({ project_id: other.id }, two, 144);
    await agrees({ project_id: own.id }, days('2026-12-05', '2026-12-06'), 192);
    const { data } = await admin.call('/statistics/energy_source', { line_id: feeder.lines[0]!.id, ...two });
    expect(data.supplies).toBe('none');
  });

  test('before the device of an incoming line came, the lines of the project count', async () => {
    const [own, other] = [await makeProject(world.db), await makeProject(world.db)];
    const [feeder, socket] = [await meterIn(other), await meterIn(own)];
    const when = { from: '2026-12-07T00:00+08:00', to: '2026-12-08T00:00+08:00' };
    await world.measure(socket, { ...when, watts: 3000, kWh: 10 });
    await rollUp(when.to);
    await moveTo(feeder, own);
    await ask('set_incoming', { line_id: feeder.lines[0]!.id, supplies: 'project' });
    await rollUp('2026-12-08T00:02+08:00');
    await agrees({ project_id: own.id }, { period: 'day', date: '2026-12-07' }, 72);
  });
});

test('a device that is moved in its own form has its days cut in the zone of its new project', async () => {
  const berlin = await makeProject(world.db, { time_zone: 'Europe/Berlin' });
  const stJohns = await makeProject(world.db, { time_zone: 'America/St_Johns' });
  const device = await meterIn(berlin);
  await world.measure(device, { from: '2026-12-08T00:00Z', to: '2026-12-10T00:00Z', watts: 1000, kWh: 10 });
  await rollUp('2026-12-10T00:01Z');
  const { revision } = await world.db
    .selectFrom('devices')
    .select('revision')
    .where('id', '=', device.id)
    .executeTakeFirstOrThrow();
  const moved = await admin.call('/Device/change_device', {
    device_id: device.id,
    revision,
    project_id: stJohns.id,
  });
  expect(moved.status, moved.msg).toBe(200);
  await rollUp('2026-12-10T00:02Z');
  const { buckets } = await ask('energy_detail', {
    line_id: device.lines[0]!.id,
    ...days('2026-12-07', '2026-12-10'),
  });
  expect(kwhOf(buckets)).toEqual([3.5, 24, 20.5, 0]);
});

describe('a device that belongs to no project for a time', () => {
  const day = (n: number) => `2026-12-${n}T00:00+08:00`;
  const all = days('2026-12-10', '2026-12-30');
  /** What each caller is shown of a device that took 1 kW all the time. */
  const divided = async (
    device: { id: number; lines: { id: number }[] },
    [former, next]: readonly [{ id: number }, { id: number }],
    [ofFormer, ofNobody, ofNext]: readonly [number, number, number],
  ) => {
    await agrees({ project_id: former.id }, all, ofFormer);
    await agrees({ project_id: next.id }, all, ofNext);
    await agrees({ line_id: device.lines[0]!.id }, all, cents(ofFormer + ofNobody + ofNext));
    const manager = await world.as((await makeUser(world.db, { role: 3, projects: [former, next] })).id);
    for (const about of [{ line_id: device.lines[0]!.id }, { device_id: device.id }]) {
      const seen = await manager.call('/statistics/energy_detail', { ...about, ...all });
      expect([seen.status, cents(seen.data.total.kwh), sumOf(seen.data.buckets)], seen.msg).toEqual([
        200,
        cents(ofFormer + ofNext),
        cents(ofFormer + ofNext),
      ]);
      const load = await manager.call('/statistics/load', { ...about, ...all });
      expect(cents(load.data.figures.energy_kwh), load.msg).toBe(cents(ofFormer + ofNext));
    }
    const source = await manager.call('/statistics/energy_source', { line_id: device.lines[0]!.id, ...all });
    expect(cents(source.data.total.kwh), source.msg).toBe(cents(ofFormer + ofNext));
  };

  test('the energy of a time without a project belongs to no project', async () => {
    const owners = [await makeProject(world.db), await makeProject(world.db)] as const;
    const device = await meterIn(owners[0]);
    let kWh = 10;
    await rollUp(day(11));
    for (const [index, next] of ([null, owners[1], undefined] as const).entries()) {
      kWh = await world.measure(device, { from: day(index + 11), to: day(index + 12), watts: 1000, kWh });
      await rollUp(day(index + 12));
      if (next !== undefined) await moveTo(device, next);
    }
    await divided(device, owners, [24, 24, 24]);
  });

  test('a quarter of an hour belongs to the project that has the device at its beginning', async () => {
    const owners = [await makeProject(world.db), await makeProject(world.db)] as const;
    const device = await meterIn(owners[0]);
    await rollUp('2026-12-16T10:07+08:00');
    await moveTo(device, null);
    await rollUp('2026-12-16T11:08+08:00');
    await moveTo(device, owners[1]);
    // Its readings arrive after both moves.
    await world.measure(device, { from: day(16), to: day(17), watts: 1000, kWh: 10 });
    await rollUp(day(17));
    await divided(device, owners, [10.25, 1, 12.75]);
  });

  test('the energy of a time without readings is divided among its owners by time', async () => {
    const owners = [await makeProject(world.db), await makeProject(world.db)] as const;
    const device = await meterIn(owners[0]);
    const kWh = await world.measure(device, {
      from: day(19),
      to: '2026-12-19T06:00+08:00',
      watts: 1000,
      kWh: 10,
    });
    await rollUp('2026-12-19T12:00+08:00');
    await moveTo(device, null);
    await rollUp('2026-12-19T18:00+08:00');
    await moveTo(device, owners[1]);
    // The first reading after an outage of a day: 24 kWh more.
    await world.measure(device, { from: '2026-12-20T06:00+08:00', to: day(21), watts: 1000, kWh: kWh + 24 });
    await rollUp(day(21));
    await divided(device, owners, [12, 6, 30]);
  });

  test('what a device measured before it was bound for the first time belongs to no project', async () => {
    const project = await makeProject(world.db);
    const device = await makeDevice(world.db, { rated_current: 63 });
    await world.pool.query('update devices set upload_seconds = 900 where id = $1', [device.id]);
    const kWh = await world.measure(device, { from: day(23), to: day(24), watts: 1000, kWh: 10 });
    await rollUp(day(24));
    await moveTo(device, project);
    await world.measure(device, { from: day(24), to: day(25), watts: 1000, kWh });
    await rollUp(day(25));
    await agrees({ project_id: project.id }, all, 24);
  });

  test('the energy of a time without readings is divided among the days of its owner, also after a move', async () => {
    const stJohns = await makeProject(world.db, { time_zone: 'America/St_Johns' });
    const device = await meterIn(stJohns);
    const [noon, evening, morning] = [
      '2026-12-27T12:00-03:30',
      '2026-12-27T18:00-03:30',
      '2026-12-28T06:00-03:30',
    ] as const;
    const kWh = await world.measure(device, { from: noon, to: evening, watts: 1000, kWh: 10 });
    await world.measure(device, { from: morning, to: morning, watts: 1000, kWh: kWh + 12 });
    await rollUp('2026-12-28T06:01-03:30');
    const byDay = async () =>
      kwhOf(
        (await ask('energy_detail', { project_id: stJohns.id, ...days('2026-12-27', '2026-12-28') })).buckets,
      );
    expect(await byDay()).toEqual([12, 6]);
    await moveTo(device, await makeProject(world.db));
    // A late reading of the gap: the rest of it is calculated again.
    await world.send(device, [{ at: Date.parse(evening) + 3_600_000, watts: 1000, kWh: kWh + 1 }]);
    await rollUp('2026-12-28T06:03-03:30');
    expect(await byDay()).toEqual([12, 6]);
  });
});
