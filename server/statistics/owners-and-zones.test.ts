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
