import { afterAll, beforeAll, expect, test } from 'vitest';
import { lineChannels } from '#contract/telemetry.ts';
import { makeDevice, makeProject, makeUser } from '#test/factories.ts';
import { type Client, createWorld, type World } from '#test/world.ts';
import { trendRoutes } from './trends.routes.ts';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
let world: World;
let operator: Client;
let stranger: Client;
let project: { id: number };
let device: Awaited<ReturnType<typeof makeDevice>>;

beforeAll(async () => {
  world = await createWorld((serve) => trendRoutes(serve));
  await world.pool.query('create table readings_all partition of readings default');
  project = await makeProject(world.db);
  device = await makeDevice(world.db, { type: 5, project_id: project.id, lines: 2 });
  const now = world.clock.now();
  await world.db.updateTable('lines').set({ rated_current: 40 }).where('device_id', '=', device.id).execute();
  const [sick, sound] = device.lines.map(({ id }) => id);
  for (let day = 1; day <= 27; day += 1)
    for (const [line, leakage] of [
      [sick, 26 - day * 0.5],
      [sound, 8],
    ])
      await world.pool.query(
        `insert into rollup_day (line_id, bucket, samples, covered_s, energy_kwh, leakage_max, temperature_max)
         values ($1, $2, 1, 1, 0, $3, 50)`,
        [line, new Date(now - day * dayMs), leakage],
      );
  await world.pool.query(
    `insert into rollup_hour (line_id, bucket, samples, covered_s, energy_kwh, current_max, temperature_max)
     select line, $1::timestamptz - h * interval '1 hour', 1, 1, 0, amperes,
       20 + (case when line = $2 and h < 168 then 80 else 40 end) * (amperes / 40.0) ^ 2
     from generate_series(1, 660) h, unnest($3::int[]) line, lateral (select 5 + h % 24 as amperes) load`,
    [new Date(now), sick, [sick, sound]],
  );
  const arc = lineChannels[5].indexOf('arc');
  for (const [minutesAgo, count] of [
    [150, 10],
    [90, 12],
    [30, 19],
  ])
    await world.pool.query(
      `insert into readings (line_id, at, boot, seq, rx_ms, channels) values ($1, $2, 1, $3, 0, $4)`,
      [
        sick,
        new Date(now - minutesAgo! * 60_000),
        minutesAgo,
        lineChannels[5].map((_, index) => (index === arc ? count : null)),
      ],
    );
  operator = await world.as((await makeUser(world.db, { role: 3, projects: [project] })).id);
  stranger = await world.as(
    (await makeUser(world.db, { role: 3, projects: [await makeProject(world.db)] })).id,
  );
});
afterAll(() => world.close());

test('a line whose leakage drifts to its limit and whose joint loosens comes first, with the days left and the rise in kelvin', async () => {
  for (const body of [{ device_id: device.id }, { project_id: project.id }]) {
    const { data } = await operator.call('/trend/get_list', body);
    expect(data).toMatchObject({ lines: 2, warnings: 1 });
    const [first, second] = data.list;
    expect(first).toMatchObject({
      line_id: device.lines[0]!.id,
      warns: true,
      leakage: { rising: true, days: 27, limit: 30 },
      joint: { rising: true },
    });
    expect(first.leakage.slope).toBeCloseTo(0.5, 3);
    expect(first.leakage.days_to_limit).toBeCloseTo((30 - 25.5) / 0.5, 1);
    expect(first.joint.now).toBeCloseTo(80, 0);
    expect(first.joint.before).toBeCloseTo(40, 0);
    expect(second).toMatchObject({ warns: false, leakage: { rising: false, days_to_limit: null } });
  }
});

test('the trends of a line come with the data behind them, arcs by hour too', async () => {
  const { data } = await operator.call('/trend/get_detail', { line_id: device.lines[0]!.id });
  expect(data.leakage_days).toHaveLength(27);
  expect(data.leakage_days[0].fitted).toBeCloseTo(data.leakage_days[0].value, 3);
  expect(data.joint_weeks).toHaveLength(4);
  expect(data.joint_weeks.at(-1).rise).toBeCloseTo(80, 0);
  expect(data.arc_hours.map(({ arcs }: { arcs: number }) => arcs)).toEqual([2, 7]);
});

test('a line of another project gets the same answer as an unknown one', async () => {
  for (const line_id of [device.lines[0]!.id, 999_999])
    expect(await stranger.call('/trend/get_detail', { line_id })).toMatchObject({ status: 404 });
  expect((await stranger.call('/trend/get_list', { project_id: project.id })).data).toEqual({
    lines: 0,
    warnings: 0,
    list: [],
  });
  expect(await operator.call('/trend/get_list', {})).toMatchObject({ status: 422 });
});
