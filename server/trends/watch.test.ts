import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { lineChannels } from '#contract/telemetry.ts';
import { type AlarmWorld, createAlarmWorld } from '#test/alarm-world.ts';
import { makeDevice, makeProject, makeUser } from '#test/factories.ts';
import { type Client, testPassword } from '#test/world.ts';
import { trendWork } from './watch.ts';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
let world: AlarmWorld;
let admin: Client;
let project: { id: number };
beforeAll(async () => {
  world = await createAlarmWorld();
  await world.pool.query('create table readings_all partition of readings default');
  admin = await world.as((await makeUser(world.db, { role: 1 })).id);
});
afterAll(() => world.close());
beforeEach(async () => {
  await world.pool.query('update alarm_types set enabled = false where code in (304, 405, 504)');
  await world.pool.query('update devices set deleted_at = now()');
  project = await makeProject(world.db);
});

const device = async (type: number, given: object = {}) => {
  const made = await makeDevice(world.db, { type, project_id: project.id, lines: 1, ...given });
  await world.db.updateTable('lines').set({ rated_current: 40 }).where('device_id', '=', made.id).execute();
  return { ...made, line: made.lines[0]!.id };
};
/** Maximum leakage of each of the last 27 days; day 0 is today. */
const leaks = async (line: number, mA: (daysAgo: number) => number) => {
  await world.pool.query('delete from rollup_day where line_id = $1', [line]);
  const now = world.clock.now();
  for (let day = 1; day <= 27; day += 1)
    await world.pool.query(
      `insert into rollup_day (line_id, bucket, samples, covered_s, energy_kwh, leakage_max, temperature_max)
       values ($1, $2, 1, 1, 0, $3, 50)`,
      [line, new Date(now - day * dayMs), mA(day)],
    );
};
/** Hours with a terminal rise of 40 K at the rated current, and of `lastWeek` K in the last week. */
const warms = async (line: number, lastWeek: number) => {
  await world.pool.query('delete from rollup_hour where line_id = $1', [line]);
  await world.pool.query(
    `insert into rollup_hour (line_id, bucket, samples, covered_s, energy_kwh, current_max, temperature_max)
     select $2, $1::timestamptz - h * interval '1 hour', 1, 1, 0, amperes,
       20 + (case when h < 168 then $3 else 40 end) * (amperes / 40.0) ^ 2
     from generate_series(1, 660) h, lateral (select 5 + h % 24 as amperes) load`,
    [new Date(world.clock.now()), line, lastWeek],
  );
};
/** Arcs of each of the last seven days, today last. */
const sparks = async (line: number, counts: readonly number[]) => {
  await world.pool.query('delete from readings where line_id = $1', [line]);
  const index = lineChannels[5].indexOf('arc');
  let total = 0;
  for (const [day, count] of [0, ...counts].entries())
    for (const [part, gain] of [0, count].entries()) {
      total += gain;
      const at = world.clock.now() - (counts.length - day) * dayMs - (2 - part) * hourMs - 60_000;
      await world.pool.query(
        `insert into readings (line_id, at, boot, seq, rx_ms, channels) values ($1, $2, 1, $3, 0, $4)`,
        [
          line,
          new Date(at),
          day * 2 + part,
          lineChannels[5].map((_, channel) => (channel === index ? total : null)),
        ],
      );
    }
};
const work = () => trendWork({ db: world.db, record: (finding) => world.record(finding) });
const look = () => work().run({ now: world.clock.now(), signal: new AbortController().signal });
const switchOn = async (...codes: number[]) => {
  for (const typeNumber of codes)
    expect(await admin.call('/device_warning_type/set_status', { typeNumber, enabled: true })).toMatchObject({
      code: 200,
    });
};
const alarms = async () =>
  (await admin.call('/device_warning/WarningList', { limit: 50, sort: 'time', project_id: project.id })).data
    .list;

test('trend types are off until the installation switches them on, and nothing is calculated for them before', async () => {
  const { line } = await device(3);
  await leaks(line, (day) => 26 - day / 2);
  const { data } = await admin.call('/device_warning_type/get_list', {});
  const off = data.list.filter(({ status }: { status: string }) => status === 'disabled');
  expect(off.map(({ typeNumber }: { typeNumber: number }) => typeNumber)).toEqual([304, 405, 504]);
  expect(await work().next(null, world.clock.now())).toBeNull();
  await look();
  expect(await alarms()).toEqual([]);
});

test('a line whose leakage drifts to its limit gets one early warning, which ends with the drift', async () => {
  const { line, id } = await device(3);
  await leaks(line, (day) => 26 - day / 2);
  const calm = await device(3);
  await leaks(calm.line, () => 8);
  const before = world.clock.now() - 1000;
  await switchOn(304);
  expect(await work().next(before, world.clock.now())).toBe(world.clock.now());
  expect(await look()).toMatchObject({ changed: 1 });
  expect(await look()).toMatchObject({ changed: 0 });
  const [alarm, ...others] = await alarms();
  expect(others).toEqual([]);
  expect(alarm).toMatchObject({
    typeNumber: 304,
    level: 1,
    severity: 3,
    device_id: id,
    active: true,
    unit: 'd',
  });
  expect(alarm).toMatchObject({ value: 9, threshold: 30 });
  const detail = await admin.call('/device_warning/getDetatil', { id: alarm.id });
  expect(detail.data.around).toMatchObject({ channel: 'IL' });
  await leaks(line, () => 8);
  // An alarm that ends soon after its beginning waits for its hold time.
  world.clock.advance(20_000);
  expect(await look()).toMatchObject({ changed: 1 });
  expect(await alarms()).toMatchObject([{ id: alarm.id, active: false }]);
});

test('a project and a line can set how many days before the limit a warning comes', async () => {
  const [near, far] = [await device(3), await device(3)];
  for (const { line } of [near, far]) await leaks(line, (day) => 20 - day / 5);
  await switchOn(304);
  expect(await look()).toMatchObject({ changed: 0 });
  const set = { project_id: project.id, device_type: 3, thresholds: { ilt_w: 90 } };
  expect(await admin.call('/device_warning_type/set_defaults', set)).toMatchObject({ code: 200 });
  await world.db
    .updateTable('lines')
    .set({ thresholds: JSON.stringify({ ilt_w: 0 }) })
    .where('id', '=', near.line)
    .execute();
  expect(await look()).toMatchObject({ changed: 1 });
  expect(await alarms()).toMatchObject([{ device_id: far.id, threshold: 90 }]);
});

test('a joint that gets warmer at the same current, and arcs that become more frequent, give early warnings', async () => {
  const loose = await device(4);
  await warms(loose.line, 80);
  const firm = await device(4);
  await warms(firm.line, 41);
  const arcing = await device(5);
  await sparks(arcing.line, [1, 2, 4, 6, 9, 12, 16]);
  const even = await device(5);
  await sparks(even.line, [12, 9, 14, 10, 13, 11, 12]);
  await switchOn(405, 504);
  await look();
  const found = (await alarms()).map(({ typeNumber, device_id, level, value }: Record<string, unknown>) => [
    typeNumber,
    device_id,
    level,
    Math.round(Number(value)),
  ]);
  expect(new Set(found)).toEqual(
    new Set([
      [405, loose.id, 1, 100],
      [504, arcing.id, 1, 16],
    ]),
  );
});

test('a trend type that is switched off ends its active alarm when the trend ends, and raises no new one', async () => {
  const [one, other] = [await device(4), await device(4)];
  await warms(one.line, 80);
  await switchOn(405);
  await look();
  const off = { typeNumber: 405, enabled: false, password: testPassword };
  expect(await admin.call('/device_warning_type/set_status', off)).toMatchObject({ code: 200 });
  await warms(other.line, 80);
  expect(await work().next(world.clock.now(), world.clock.now())).toBe(world.clock.now() + 6 * hourMs);
  expect(await look()).toMatchObject({ changed: 0 });
  await warms(one.line, 41);
  world.clock.advance(20_000);
  expect(await look()).toMatchObject({ changed: 1 });
  expect(await alarms()).toMatchObject([{ device_id: one.id, active: false }]);
});
