import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makeDevice, makeProject } from '#test/factories.ts';
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
/** A device that reports every 15 minutes. */
const meterIn = async (project: { id: number }, given: { lines?: number } = {}) => {
  const device = await makeDevice(world.db, { project_id: project.id, rated_current: 63, ...given });
  await world.pool.query('update devices set upload_seconds = 900 where id = $1', [device.id]);
  return device;
};

describe('load', () => {
  test('the energy of a long gap is no load of a line without measured power', async () => {
    const project = await makeProject(world.db);
    const device = await meterIn(project);
    // The first reading is in the middle of a quarter of an hour, and so is the first one after the gap.
    const steady = { watts: 2000, noPower: true, every: 5 };
    await world.measure(device, {
      ...steady,
      from: '2026-11-02T06:05+08:00',
      to: '2026-11-02T09:00+08:00',
      kWh: 10,
    });
    // 3 kW during the gap.
    await world.measure(device, {
      ...steady,
      from: '2026-11-02T12:05+08:00',
      to: '2026-11-02T18:00+08:00',
      kWh: 10 + 5.8333 + 9.25,
    });
    await rollUp('2026-11-02T18:00+08:00');
    for (const about of [
      { project_id: project.id },
      { device_id: device.id },
      { line_id: device.lines[0]!.id },
    ]) {
      const { figures } = await ask('load', { ...about, period: 'day', date: '2026-11-02' });
      expect(figures).toMatchObject({
        max_w: expect.closeTo(2000, 0),
        min_w: expect.closeTo(2000, 0),
        avg_w: expect.closeTo(2000, 0),
        energy_kwh: expect.closeTo(5.8333 + 9.25 + 11.8333, 2),
      });
    }
  });

  test('the load of a project contains lines that measure energy alone', async () => {
    const project = await makeProject(world.db);
    const when = { from: '2026-11-03T00:00+08:00', to: '2026-11-04T00:00+08:00' };
    await world.measure(await meterIn(project), { ...when, watts: 1000, kWh: 10 });
    await world.measure(await meterIn(project), { ...when, watts: 3000, kWh: 10, noPower: true });
    await rollUp(when.to);
    const { figures } = await ask('load', { project_id: project.id, period: 'day', date: '2026-11-03' });
    expect(figures).toMatchObject({ max_w: 4000, min_w: 4000, avg_w: 4000, load_factor: 1, energy_kwh: 96 });
  });

  test('a mean counts each quarter of an hour alike, however many lines it has', async () => {
    const project = await makeProject(world.db);
    const day = { from: '2026-11-05T00:00+08:00', to: '2026-11-06T00:00+08:00' };
    const evening = { ...day, from: '2026-11-05T18:00+08:00' };
    await world.measure(await meterIn(project), { ...day, watts: 1000, kWh: 10 });
    // Devices that begin in the evening: 24 kWh and 6 hours of 9 kW are 78 kWh, a mean of 3.25 kW.
    for (const _ of [1, 2, 3])
      await world.measure(await meterIn(project), { ...evening, watts: 3000, kWh: 10 });
    await rollUp(day.to);
    const { figures } = await ask('load', { project_id: project.id, period: 'day', date: '2026-11-05' });
    expect(figures).toMatchObject({ max_w: 10_000, min_w: 1000, avg_w: 3250, energy_kwh: 78 });
  });
});

describe('the figures of a line', () => {
  test('a line without a register is recorded from its first reading on', async () => {
    const project = await makeProject(world.db);
    const device = await meterIn(project);
    await world.measure(device, {
      from: '2026-11-06T18:00+08:00',
      to: '2026-11-08T00:00+08:00',
      watts: 1000,
    });
    await rollUp('2026-11-08T00:00+08:00');
    const line_id = device.lines[0]!.id;
    const first = await ask('energy_detail', { line_id, period: 'day', date: '2026-11-06' });
    expect(first.head.data_from).toBe('2026-11-06T10:00:00.000Z');
    expect(first.total).toMatchObject({ kwh: 6, coverage: 1 });
    // A day that was recorded in part compares with nothing.
    const next = await ask('electricity', { line_id, period: 'day', date: '2026-11-07' });
    expect(next.previous).toMatchObject({ begins: '2026-11-06T10:00:00.000Z', growth: null });
  });

  test('a late reading between two register values keeps their energy', async () => {
    const project = await makeProject(world.db);
    const device = await meterIn(project);
    await world.pool.query('update devices set upload_seconds = 60 where id = $1', [device.id]);
    const minute = { every: 1, watts: 1200 };
    // The register is reported at both ends of the hour, the power each minute but one.
    await world.measure(device, {
      ...minute,
      from: '2026-11-09T08:00+08:00',
      to: '2026-11-09T08:00+08:00',
      kWh: 10,
    });
    await world.measure(device, { ...minute, from: '2026-11-09T08:01+08:00', to: '2026-11-09T08:04+08:00' });
    await world.measure(device, { ...minute, from: '2026-11-09T08:06+08:00', to: '2026-11-09T08:59+08:00' });
    await world.measure(device, {
      ...minute,
      from: '2026-11-09T09:00+08:00',
      to: '2026-11-09T09:00+08:00',
      kWh: 11.2,
    });
    await rollUp('2026-11-09T09:05+08:00');
    await world.measure(device, { ...minute, from: '2026-11-09T08:05+08:00', to: '2026-11-09T08:05+08:00' });
    await rollUp('2026-11-09T09:10+08:00');
    const { total } = await ask('energy_detail', {
      line_id: device.lines[0]!.id,
      period: 'day',
      date: '2026-11-09',
    });
    expect(cents(total.kwh)).toBe(1.2);
  });

  test('a late register value divides the energy of a long gap again, up to the end of the gap', async () => {
    const project = await makeProject(world.db);
    const device = await meterIn(project);
    await world.pool.query('update devices set upload_seconds = 60 where id = $1', [device.id]);
    const minute = { every: 1, watts: 1200 };
    const at = (time: string) => ({ from: `2026-11-09T${time}+08:00`, to: `2026-11-09T${time}+08:00` });
    // 1.2 kWh in 110 minutes, of which 1 kWh were used in the first ten.
    await world.measure(device, { ...minute, ...at('12:00'), kWh: 10 });
    await world.measure(device, { ...minute, from: '2026-11-09T12:01+08:00', to: '2026-11-09T12:09+08:00' });
    await world.measure(device, { ...minute, from: '2026-11-09T12:11+08:00', to: '2026-11-09T13:49+08:00' });
    await world.measure(device, { ...minute, ...at('13:50'), kWh: 11.2 });
    await rollUp('2026-11-09T13:55+08:00');
    await world.measure(device, { ...minute, ...at('12:10'), kWh: 11 });
    await rollUp('2026-11-09T13:57+08:00');
    const { buckets, total } = await ask('energy_detail', {
      line_id: device.lines[0]!.id,
      period: 'day',
      date: '2026-11-09',
    });
    expect(cents(total.kwh)).toBe(1.2);
    expect([buckets[12].kwh, buckets[13].kwh].map(cents)).toEqual([1.1, 0.1]);
  });
});

describe('a day that has begun', () => {
  test('today compares with yesterday up to the same minute', async () => {
    const project = await makeProject(world.db);
    const device = await meterIn(project);
    await world.measure(device, {
      from: '2026-11-10T00:00+08:00',
      to: '2026-11-11T00:25+08:00',
      every: 5,
      watts: 6000,
      kWh: 10,
    });
    await rollUp('2026-11-11T00:25+08:00');
    const { total, previous } = await ask('electricity', { project_id: project.id, period: 'day' });
    expect(cents(total.kwh)).toBe(2.5);
    expect(previous).toMatchObject({
      from: '2026-11-09T16:00:00.000Z',
      to: '2026-11-09T16:25:00.000Z',
      kwh: expect.closeTo(2.5, 2),
      growth: expect.closeTo(0, 2),
    });
  });
});

describe('tariffs', () => {
  test('a band whose time is skipped begins with the first instant after the gap', async () => {
    const project = await makeProject(world.db, { time_zone: 'Europe/Berlin' });
    const device = await meterIn(project);
    const period = (from: string, to: string, band: string) => ({ from, to, band });
    const periods = [period('00:00', '02:30', 'valley'), period('02:30', '24:00', 'peak')];
    await world.measure(device, {
      from: '2027-03-28T00:00+01:00',
      to: '2027-03-29T00:00+02:00',
      watts: 1000,
      kWh: 10,
    });
    await rollUp('2027-03-29T00:00+02:00');
    await ask('save_tariff', {
      project_id: project.id,
      valid_from: '2027-01-01',
      content: {
        currency: 'EUR',
        co2_kg_per_kwh: null,
        holidays: [],
        seasons: [
          {
            name: 'Year',
            from: '01-01',
            to: '12-31',
            prices: { sharp: null, peak: 0.4, flat: null, valley: 0.2 },
            days: [{ weekdays: [1, 2, 3, 4, 5, 6, 7], holidays: true, periods }],
          },
        ],
      },
    });
    const { bands } = await ask('electricity', { project_id: project.id, period: 'day', date: '2027-03-28' });
    expect(bands).toMatchObject([
      { band: 'peak', kwh: 21 },
      { band: 'valley', kwh: 2 },
    ]);
  });
});
