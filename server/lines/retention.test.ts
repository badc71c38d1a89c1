/** What is shown of a time whose readings and minutes were dropped. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { dropOld, makeAhead } from '#database/partitions.ts';
import { createRollups } from '#server/rollups/worker.ts';
import { statisticsRoutes } from '#server/statistics/statistics.routes.ts';
import { makeDevice, makeProject, makeUser } from '#test/factories.ts';
import { type Client, createWorld, type World } from '#test/world.ts';
import { lineRoutes } from './lines.routes.ts';

const minuteMs = 60_000;
const hourMs = 3_600_000;
const dayMs = 86_400_000;
const day = '2026-06-10';
const start = Date.parse(`${day}T00:00:00+08:00`);
let world: World;
let admin: Client;
let project: Awaited<ReturnType<typeof makeProject>>;
let line_id: number;

beforeAll(async () => {
  world = await createWorld((serve) => {
    lineRoutes(serve, { provePassword: () => Promise.resolve(true) } as never);
    statisticsRoutes(serve);
  });
  project = await makeProject(world.db);
  const device = await makeDevice(world.db, { project_id: project.id, rated_current: 40 });
  line_id = device.lines[0]!.id;
  await makeAhead(world.pool, start);
  const readings = Array.from({ length: (24 * hourMs) / (5 * minuteMs) }, (_, n) => ({
    at: new Date(start + n * 5 * minuteMs),
    kwh: 100 + n / 12,
  }));
  await world.pool.query(
    `insert into readings (line_id, at, boot, seq, rx_ms, energy, channels)
     select $1, u.at, 1, row_number() over (), 0, u.kwh, array[230, 4.3, 1000, 1, 0, 12, 30]::real[]
     from unnest($2::timestamptz[], $3::double precision[]) as u (at, kwh)`,
    [line_id, readings.map(({ at }) => at), readings.map(({ kwh }) => kwh)],
  );
  await world.pool.query(
    `insert into rollup_dirty select $1::int, hour from generate_series($2::timestamptz, $3, interval '1 hour') hour`,
    [line_id, new Date(start), new Date(start + 24 * hourMs)],
  );
  world.clock.set(start + 2 * dayMs);
  const rollups = createRollups(world);
  await rollups.round();
  await rollups.stop();
  admin = await world.as((await makeUser(world.db, { role: 1 })).id);
});
afterAll(() => world.close());

const evening = {
  from: new Date(start + 18 * hourMs).toISOString(),
  to: new Date(start + 22 * hourMs).toISOString(),
};
const series = async () =>
  (await admin.call('/device_line/get_series', { line_id, ...evening, channels: ['P'] })).data;
const figures = async () => {
  const asked = { line_id, period: 'day', date: day };
  const of = async (way: string) => (await admin.call(`/statistics/${way}`, asked)).data;
  const [energy, load, source] = await Promise.all([of('energy_detail'), of('load'), of('energy_source')]);
  return { energy: energy.buckets, load: load.figures, source: source.rows };
};

it('charts of a time beyond the retention show hourly values and the reason; the statistics of that time stay the same', async () => {
  expect(await series()).toMatchObject({ resolution: 'raw', kept_from: null });
  const before = await figures();
  expect(before.energy).toHaveLength(24);

  const now = start + 100 * dayMs;
  world.clock.set(now);
  admin = await world.as(admin.userId);
  expect(await dropOld(world.pool, 90, now)).toBeGreaterThan(0);
  expect(await figures()).toEqual(before);
  const kept_from = new Date((Math.floor(now / dayMs) - 90) * dayMs).toISOString();
  const found = await series();
  expect(found).toMatchObject({ resolution: 'hour', step_s: 3600, kept_from });
  expect(found.at).toHaveLength(4);
  expect(found.values.power_avg).toEqual([1000, 1000, 1000, 1000].map((watts) => expect.closeTo(watts, 0)));
});

it('energy beyond the retention can still be corrected', async () => {
  const span = { from: evening.from, to: evening.to, expected_kwh: 4, kwh: 3, reason: 'Meter was tested' };
  const { status, data } = await admin.call('/statistics/correct', { line_id, ...span });
  expect({ status, data }).toMatchObject({ status: 200 });
  const { energy } = await figures();
  const kwh = energy.slice(18, 22).reduce((sum: number, bucket: { kwh: number }) => sum + bucket.kwh, 0);
  expect(kwh).toBeCloseTo(3, 6);
});
