import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { type AlarmWorld, createAlarmWorld } from '../alarms.world.ts';

let server: AlarmWorld;
beforeAll(async () => {
  server = await createAlarmWorld();
});
afterAll(() => server.close());
beforeEach(() => server.renew());

/**
 * Value, threshold, peak and unit of an alarm that a device raises and ends with these fields. Rated 40 A,
 * 220 V.
 */
const shown = async (code: number, given: { val: number; thr: number; unit?: string; peak: number }) => {
  await server.event(0, { st: 'raise', code, eid: '1-1', ...given });
  await server.event(60, { st: 'clear', code, eid: '1-1', peak: given.peak });
  const [row] = await server.list();
  return [row?.value, row?.threshold, row?.peak, row?.unit];
};

it('stores an overload in A that the device gives in per cent of the rating', async () => {
  expect(await shown(201, { val: 115, thr: 110, unit: '%', peak: 150 })).toEqual([46, 44, 60, 'A']);
});
it('stores a sag in V that the device gives in per cent of the nominal voltage', async () => {
  expect(await shown(107, { val: 55, thr: 90, unit: '%', peak: 50 })).toEqual([121, 198, 110, 'V']);
});
it('stores a power in W that the device gives in kW', async () => {
  expect(await shown(202, { val: 9.5, thr: 8.8, unit: 'kW', peak: 10 })).toEqual([9500, 8800, 10_000, 'W']);
});
it('keeps a value in an unknown unit until a reading replaces value and unit together', async () => {
  await server.event(0, { st: 'raise', code: 402, lvl: 2, eid: '1-1', val: 4, thr: 3, unit: 'gas mark' });
  expect((await server.list())[0]).toMatchObject({ value: 4, threshold: 3, peak: 4, unit: 'gas mark' });
  for (const seconds of [30, 60]) await server.read(seconds, { 'T.m': 95 });
  expect((await server.list())[0]).toMatchObject({ value: 95, threshold: 80, peak: 95, unit: '°C' });
});
it('stores the lowest value of a voltage, and the frequency with the largest deviation, as the peak', async () => {
  for (const [seconds, F] of [
    [0, 49.4],
    [60, 49.2],
    [120, 49.4],
    [180, 50.55],
  ] as const)
    await server.read(seconds, { F });
  expect((await server.list())[0]).toMatchObject({ typeNumber: 106, value: 50.55, peak: 49.2, unit: 'Hz' });
});
it('accepts the frequency of a 60 Hz grid', async () => {
  for (const seconds of [0, 60, 120]) await server.read(seconds, { F: 60.05 });
  expect(await server.list()).toEqual([]);
});
it('shows the threshold of alarms that the server finds: weak signal, clock skew, expiry', async () => {
  for (const code of [802, 803, 806]) await server.find(0, code, true, server.deviceLine);
  expect((await server.list()).map((row) => [row.typeNumber, row.threshold, row.unit])).toEqual([
    [802, -110, 'dBm'],
    [803, 60, 's'],
    [806, 7, 'd'],
  ]);
});
