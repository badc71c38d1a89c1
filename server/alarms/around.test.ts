import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type AlarmWorld, createAlarmWorld } from './alarms.world.ts';

const quarterMs = 900_000;
let alarms: AlarmWorld;
beforeAll(async () => {
  alarms = await createAlarmWorld();
});
beforeEach(() => alarms.renew());
afterAll(() => alarms.close());

/** Quarters of an hour around the alarm, with their extremes. */
const keep = async (raised: number) => {
  const first = Math.floor(raised / quarterMs) * quarterMs - 12 * quarterMs;
  for (let index = 0; index <= 24; index += 1)
    await alarms.world.pool.query(
      `insert into rollup_quarter (line_id, bucket, samples, covered_s, energy_kwh, voltage_min, voltage_max, leakage_max)
       values ($1, $2, 15, 900, 0, 170, 240, $3)`,
      [alarms.line.lineId, new Date(first + index * quarterMs), index],
    );
};
const around = async () => {
  const [alarm] = await alarms.list();
  return (await alarms.operator.call('/device_warning/getDetatil', { id: alarm!.id })).data.around;
};

test('an alarm whose readings are no longer kept is shown with the highest value of each quarter of an hour', async () => {
  await alarms.read(0);
  await alarms.read(60, { IL: 31 });
  expect(await around()).toMatchObject({ channel: 'IL', at: [], bucket_s: null });
  const { time } = (await alarms.list())[0]!;
  await keep(Date.parse(time));
  const found = await around();
  expect(found).toMatchObject({ channel: 'IL', unit: 'mA', bucket_s: 900 });
  for (const at of found.at) expect(Math.abs(at - Date.parse(time))).toBeLessThanOrEqual(2 * 3_600_000);
  expect(found.at.length).toBeGreaterThanOrEqual(16);
  expect(found.values).toEqual(found.values.toSorted((one: number, other: number) => one - other));
});

test('shows the lowest value of an undervoltage, from the stored readings first', async () => {
  await alarms.read(0);
  await alarms.read(60, { 'U.a': 171 });
  await alarms.read(120, { 'U.a': 171 });
  const { time } = (await alarms.list())[0]!;
  await keep(Date.parse(time));
  expect(new Set((await around()).values)).toEqual(new Set([170]));
  await alarms.world.pool.query('create table if not exists readings_all partition of readings default');
  await alarms.world.pool.query(
    'insert into readings (line_id, at, boot, seq, rx_ms, channels) values ($1, $2, 1, 1, 0, $3)',
    [alarms.line.lineId, new Date(time), [171.5]],
  );
  expect(await around()).toMatchObject({ bucket_s: null, values: [171.5] });
});
