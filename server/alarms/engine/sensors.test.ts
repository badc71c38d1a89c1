import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { lineChannels } from '#contract/telemetry.ts';
import { readingOf } from '#test/alarm-feeder.ts';
import { type AlarmWorld, createAlarmWorld, normal } from '../alarms.world.ts';

let server: AlarmWorld;
beforeAll(async () => {
  server = await createAlarmWorld();
});
afterAll(() => server.close());
beforeEach(() => server.renew());

const channelsOf = lineChannels[3];
/** A reading in which these channels report a sensor fault. */
const faulty = (seconds: number, names: readonly string[], values: Record<string, number> = {}) => {
  const reading = readingOf(server.line, seconds, { ...normal, ...values });
  const faults = names.map((name) => channelsOf.indexOf(name)).sort((a, b) => a - b);
  const channels = reading.channels.map((value, index) => (faults.includes(index) ? null : value));
  return server.group({ readings: [{ ...reading, channels, faults }] });
};
const shown = async () =>
  (await server.list()).map((row) => `${row.typeNumber} ${row.channel} ${row.active ? 'active' : 'ended'}`);

it('raises an alarm for a sensor that reports its own fault twice, and ends it when it is back', async () => {
  await faulty(0, ['IL']);
  expect(await shown()).toEqual([]);
  await faulty(60, ['IL']);
  expect(await shown()).toEqual(['805 IL active']);
  await server.restart();
  await faulty(120, ['IL']);
  for (const seconds of [180, 240]) await server.read(seconds);
  expect(await shown()).toEqual(['805 IL ended']);
});
it('a sensor alarm is neither raised nor ended by a missing channel', async () => {
  for (const seconds of [0, 60]) await faulty(seconds, ['IL']);
  for (const seconds of [120, 180, 240]) await server.read(seconds, { IL: Number.NaN });
  expect(await shown()).toEqual(['805 IL active']);
});
it('sensors that fail together raise one alarm, and a sensor that fails later a second one', async () => {
  for (const seconds of [0, 60]) await faulty(seconds, ['U.a', 'I.a', 'P.t']);
  expect(await shown()).toEqual(['805 U.a active']);
  for (const seconds of [300, 360]) await faulty(seconds, ['U.a', 'I.a', 'P.t', 'T.m']);
  expect(await shown()).toEqual(['805 U.a active', '805 T.m active']);
});
it('shows the value of an active alarm as unknown while its sensor fails, and keeps the alarm', async () => {
  for (const seconds of [0, 60]) await server.read(seconds, { 'T.m': 85 });
  expect((await server.list())[0]).toMatchObject({ typeNumber: 402, value: 85, active: true });
  await faulty(120, ['T.m']);
  expect((await server.list())[0]).toMatchObject({ value: null, peak: 85, active: true });
  await server.read(180, { 'T.m': 86 });
  expect((await server.list())[0]).toMatchObject({ value: 86, active: true });
});
