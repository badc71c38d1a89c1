import { readXlsx } from 'hucre/xlsx';
import { DateTime } from 'luxon';
import mqtt from 'mqtt';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { topicOf } from '#contract/telemetry.ts';
import { dropOld, makeAhead } from '#database/partitions.ts';
import type { Clock } from '#server/core/clock.ts';
import type { Link } from '#server/link/link.ts';
import { linkOn, noJudge } from '#server/link/link.world.ts';
import { createRollups } from '#server/rollups/worker.ts';
import { statisticsRoutes } from '#server/statistics/statistics.routes.ts';
import { makeDevice, makeProject, makeUser } from './factories.ts';
import { type Client, createWorld, type World } from './world.ts';

/**
 * A year of 15-minute values of a factory, modelled on the public steel industry data set of the UCI
 * repository: shifts on weekdays, little energy at night and on Sundays. The time zone has days of 23 and 25
 * hours.
 */
const zone = 'Europe/Berlin';
const quarterMs = 900_000;
const weekMs = 7 * 86_400_000;
const start = DateTime.fromISO('2026-01-01', { zone });
const end = start.plus({ years: 1 });
const quarters = (end.toMillis() - start.toMillis()) / quarterMs;
const registerEnd = 100_000_000; // hundredths of a kilowatt-hour
const randomOf = (seed: number) => () => {
  seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
  return seed / 2 ** 32;
};
const random = randomOf(7);
/** Energy of each quarter of an hour, in hundredths of a kilowatt-hour. */
const energy = Array.from({ length: quarters }, (_, index) => {
  const at = DateTime.fromMillis(start.toMillis() + index * quarterMs, { zone });
  const shift = at.weekday <= 5 && at.hour >= 8 && at.hour < 21 ? 1 : at.weekday === 6 ? 0.4 : 0.05;
  return Math.round(100 * shift * (3 + 5 * random()) + 60 * random());
});
/** The quarter after which the register is reset, and a gap of six hours within one day. */
const resetAfter = 24_000;
const gap = { from: 12_000 - (12_000 % 96) + 40, to: 12_000 - (12_000 % 96) + 64 };

let register = registerEnd - energy.slice(0, 5000).reduce((sum, each) => sum + each, 0);
const messages = Array.from({ length: quarters + 1 }, (_, index) => {
  if (index > 0) register += energy[index - 1]!;
  if (index - 1 === resetAfter) register = energy[index - 1]!;
  register %= registerEnd;
  const watts = (energy[Math.min(index, quarters - 1)]! / 100) * 4000;
  return {
    v: 1,
    boot: 1,
    seq: index + 1,
    t: start.toMillis() + index * quarterMs,
    bf: 1,
    ln: [{ n: 1, sw: 1, U: { a: 230, b: 230, c: 230 }, P: { t: watts }, E: register / 100 }],
  };
}).filter((_, index) => index <= gap.from || index >= gap.to);

let world: World;
let admin: Client;
let device: Awaited<ReturnType<typeof makeDevice>>;
let link: Link;
let now = start.toMillis();
/** Only the test advances this clock, and no timer waits for it. */
const clock: Clock = { now: () => now, steady: () => now, after: () => () => {} };

/** Messages are delivered out of order in groups of this size. */
const disorder = 24;
const retentionDays = 10;
const twice = <Item extends { seq: number }>(items: readonly Item[]): Item[] => [
  ...items,
  ...items.filter(({ seq }) => seq % 20 === 0),
];
const shuffled = <Item>(items: readonly Item[]): Item[] => {
  const mixed = [...items];
  for (let index = mixed.length - 1; index > 0; index--) {
    const other = Math.floor(random() * (index + 1));
    [mixed[index], mixed[other]] = [mixed[other]!, mixed[index]!];
  }
  return mixed;
};

beforeAll(async () => {
  world = await createWorld((serve) => statisticsRoutes(serve));
  const project = await makeProject(world.db, { time_zone: zone });
  device = await makeDevice(world.db, { project_id: project.id, type: 4, rated_current: 63, lines: 1 });
  await world.pool.query('update devices set upload_seconds = 900; update lines set poles = 3');
  await makeAhead(world.pool, now);
  link = await linkOn(world.pool, world.bus, clock, noJudge());
  const client = await mqtt.connectAsync(`mqtt://127.0.0.1:${link.port}`, {
    clientId: device.number,
    username: device.number,
    password: device.secret,
    reconnectPeriod: 0,
    keepalive: 0,
  });
  const rollups = createRollups({ ...world, clock, retentionDays: async () => retentionDays });
  const topic = topicOf(device.number, 'tele');
  for (let from = 0; from < messages.length; from += weekMs / quarterMs) {
    const week = messages.slice(from, from + weekMs / quarterMs);
    now = week.at(-1)!.t + 60_000;
    // The messages of each six hours come in random order, and each twentieth message twice.
    const sent = week.flatMap((_, index) =>
      index % disorder === 0 ? shuffled(twice(week.slice(index, index + disorder))) : [],
    );
    await Promise.all(sent.map((message) => client.publishAsync(topic, JSON.stringify(message), { qos: 1 })));
    await rollups.round();
    // Readings and minutes are deleted, as in production; quarters of an hour stay.
    await dropOld(world.pool, retentionDays, now);
  }
  await rollups.round();
  await rollups.stop();
  client.end(true);
  world.clock.set(end.toMillis() + 86_400_000);
  admin = await world.as((await makeUser(world.db, { role: 1 })).id);
});
afterAll(async () => {
  await link.stop();
  await world.close();
});

/** The true energy by local day and month, kWh. */
const truth = (format: string) => {
  const sums = new Map<string, number>();
  for (const [index, hundredths] of energy.entries()) {
    const label = DateTime.fromMillis(start.toMillis() + index * quarterMs, { zone }).toFormat(format);
    sums.set(label, (sums.get(label) ?? 0) + hundredths);
  }
  return new Map([...sums].map(([label, hundredths]) => [label, hundredths / 100]));
};
const cents = (kwh: number) => Math.round(kwh * 100) / 100;
const lineId = () => device.lines[0]!.id;
const asked = (period: string, date: string) => ({ line_id: lineId(), period, date });
const kwhOf = (rows: readonly { kwh: number }[]) => rows.map(({ kwh }) => cents(kwh));
/** Energy of the rows of a sheet; the last row is their total. */
const sheetKwh = async (path: string, body: object): Promise<number[]> => {
  const { response } = await admin.call(path, body);
  const [header, ...rows] = (await readXlsx(response.rawPayload)).sheets[0]!.rows;
  const column = header!.findIndex((cell) => String(cell).includes('kWh'));
  return rows.map((row) => cents(Number(row[column])));
};

test('the energy of a year and of each month is exact in spite of reset, rollover, duplicates, disorder and a gap', async () => {
  const months = truth('yyyy-MM');
  const whole = cents([...months.values()].reduce((sum, kwh) => sum + kwh, 0));
  const { data } = await admin.call('/statistics/energy_detail', asked('year', '2026-06-01'));
  expect(cents(data.total.kwh)).toBe(whole);
  const monthly = [...months.values()].map(cents);
  expect(kwhOf(data.buckets)).toEqual(monthly);
  expect(data.total.resets).toBe(1);
  expect(data.total.marks).toEqual(['reset', 'unallocated']);
  const { data: bill } = await admin.call('/statistics/electricity', asked('year', '2026-06-01'));
  expect(cents(bill.total.kwh)).toBe(whole);
  expect(kwhOf(bill.buckets)).toEqual(monthly);
  for (const path of ['/statistics/energy_export', '/statistics/electricity_export'])
    expect(await sheetKwh(path, asked('year', '2026-06-01')), path).toEqual([...monthly, whole]);
  const fromSql = await world.pool.query<{ kwh: number }>(
    `select sum(energy_kwh) as kwh from rollup_quarter where line_id = $1
     group by date_trunc('month', bucket, $2) having sum(energy_kwh) > 0 order by date_trunc('month', bucket, $2)`,
    [lineId(), zone],
  );
  expect(kwhOf(fromSql.rows)).toEqual(monthly);
  const { data: load } = await admin.call('/statistics/load', asked('year', '2026-06-01'));
  expect(cents(load.figures.energy_kwh)).toBe(whole);
});

test('each local day has its exact energy: on the screen, in the sheet and by SQL', async () => {
  const days = truth('yyyy-MM-dd');
  expect(days.size).toBe(365);
  const fromSql = await world.pool.query<{ day: string; kwh: number }>(
    `select to_char(bucket at time zone $2, 'YYYY-MM-DD') as day, sum(energy_kwh) as kwh
     from rollup_quarter where line_id = $1 group by 1 having sum(energy_kwh) > 0 order by 1`,
    [lineId(), zone],
  );
  expect(Object.fromEntries(fromSql.rows.map(({ day, kwh }) => [day, cents(kwh)]))).toEqual(
    Object.fromEntries([...days].map(([day, kwh]) => [day, cents(kwh)])),
  );
  for (let month = start; month < end; month = month.plus({ months: 1 })) {
    const wanted = [...days]
      .filter(([day]) => day.startsWith(month.toFormat('yyyy-MM')))
      .map(([, kwh]) => cents(kwh));
    const body = asked('month', month.toISODate()!);
    const { data } = await admin.call('/statistics/energy_detail', body);
    expect(kwhOf(data.buckets)).toEqual(wanted);
    expect((await sheetKwh('/statistics/energy_export', body)).slice(0, -1)).toEqual(wanted);
    const { data: bill } = await admin.call('/statistics/electricity', body);
    expect(kwhOf(bill.buckets)).toEqual(wanted);
    expect((await sheetKwh('/statistics/electricity_export', body)).slice(0, -1)).toEqual(wanted);
  }
});

test('days of 23 and 25 hours are shown hour by hour, and a quarter of an hour holds its own energy', async () => {
  for (const [day, hours] of [
    ['2026-03-29', 23],
    ['2026-10-25', 25],
  ] as const) {
    const { data } = await admin.call('/statistics/energy_detail', asked('day', day));
    expect(data.buckets).toHaveLength(hours);
    const first = (DateTime.fromISO(day, { zone }).toMillis() - start.toMillis()) / quarterMs;
    expect(data.buckets.map(({ kwh }: { kwh: number }) => cents(kwh))).toEqual(
      Array.from({ length: hours }, (_, hour) =>
        cents(
          energy.slice(first + hour * 4, first + hour * 4 + 4).reduce((sum, each) => sum + each, 0) / 100,
        ),
      ),
    );
  }
});
