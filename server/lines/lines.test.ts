import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { lineChannels } from '#contract/telemetry.ts';
import { provePassword } from '#server/session/sign-in.ts';
import { makeAlarm } from '#test/alarm-factory.ts';
import { makeDevice, makeProject, makeTag, makeUser } from '#test/factories.ts';
import { type Client, createWorld, type World } from '#test/world.ts';
import { lineRoutes } from './lines.routes.ts';

const minute = 60_000;
let world: World;
let client: Client;
let userId: number;
let project: Awaited<ReturnType<typeof makeProject>>;
beforeAll(async () => {
  world = await createWorld((serve) => lineRoutes(serve, { provePassword }));
  await world.pool.query('create table readings_all partition of readings default');
  await world.pool.query('create table rollup_minute_all partition of rollup_minute default');
  project = await makeProject(world.db);
  userId = (await makeUser(world.db, { role: 3, projects: [project] })).id;
  client = await world.as(userId);
});
afterAll(() => world.close());

const latest = (
  line: { id: number },
  type: 3 | 4,
  values: Record<string, number | null>,
  at = world.clock.now(),
) =>
  world.pool.query(
    `insert into line_latest (line_id, at, received_at, boot, seq, position, position_at, energy, channels, commanded, commanded_at)
     values ($1, $2, $2, 1, 1, 0, $2, 12.5, $3, 1, $2)`,
    [line.id, new Date(at), lineChannels[type].map((name) => values[name] ?? null)],
  );

describe('lines of a device', () => {
  test('lines of a device show what the device reports, with one summary for one phase and for three', async () => {
    const one = await makeDevice(world.db, { project_id: project.id, type: 3, lines: 2 });
    await latest(one.lines[0]!, 3, { 'U.a': 231, 'I.a': 4.5, 'P.t': 1000, IL: 12, 'T.m': 40, 'T.c': 30 });
    const { data } = await client.call('/device_line/get_list', { device_id: one.id });
    expect(data.list.map((row: { n: number }) => row.n)).toEqual([1, 2]);
    expect(data.list[0]).toMatchObject({
      state: 'open',
      commanded: 'closed',
      stale: false,
      voltage: 231,
      current: 4.5,
      power: 1000,
      leakage: 12,
      energy: 12.5,
      temperatures: { m: 40, c: 30 },
    });
    expect(data.list[1]).toMatchObject({
      state: 'unknown',
      observed_at: null,
      stale: true,
      voltage: null,
      values: {},
    });

    const three = await makeDevice(world.db, { project_id: project.id, type: 4 });
    await latest(three.lines[0]!, 4, {
      'U.a': 230,
      'U.b': 232,
      'U.c': 234,
      'I.a': 5,
      'I.b': 9,
      'I.c': 7,
      'P.t': 4000,
    });
    const detail = await client.call('/device_line/get_device_line_details', { line_id: three.lines[0]!.id });
    expect(detail.data).toMatchObject({ voltage: 232, current: 9, power: 4000, poles: 3 });
    expect(detail.data.values['I.b']).toBe(9);
  });

  test('lines of a device show when and how they were last switched', async () => {
    const { id, lines } = await makeDevice(world.db, { project_id: project.id, type: 3, lines: 2 });
    const [one, two] = [lines[0]!, lines[1]!];
    const moved = (line: { id: number }, position: 0 | 1, cause: string, minutesAgo: number) =>
      world.pool.query(
        `insert into position_events (line_id, at, boot, seq, position, cause) values ($1, $2, 1, $3, $4, $5)`,
        [line.id, new Date(world.clock.now() - minutesAgo * minute), 100 - minutesAgo, position, cause],
      );
    for (const line of [one, two]) await latest(line, 3, { 'U.a': 231 });
    await moved(one, 1, 'cmd', 30);
    await moved(one, 0, 'trip', 20);
    // The last event has a different position than the readings: the time of that change is unknown.
    await moved(two, 1, 'timer', 5);
    const { data } = await client.call('/device_line/get_list', { device_id: id });
    expect(data.list).toMatchObject([
      {
        state: 'open',
        switched_at: new Date(world.clock.now() - 20 * minute).toISOString(),
        switched_by: 'trip',
      },
      { state: 'open', switched_at: null, switched_by: null },
    ]);
  });

  test('lines of a device show a server timer as the cause of a move that the device reports as commanded', async () => {
    const { id, lines } = await makeDevice(world.db, { project_id: project.id, type: 3, lines: 2 });
    for (const [index, cause] of ['timer', 'button'].entries()) {
      const line = lines[index]!;
      await latest(line, 3, { 'U.a': 231 });
      await world.pool.query(
        `with asked as (
           insert into commands (id, device_id, line_id, number, verb, state, cause, operator, address, created_at, expires_at, deadline_at)
           values (gen_random_uuid(), $1, $2, $3, 'open', 'verified', $4, 'user', '', now(), now(), now()) returning id)
         insert into position_events (line_id, at, boot, seq, position, cause, command_id)
         select $2, $5, 1, 50, 0, 'cmd', id from asked`,
        [id, line.id, index + 1, cause, new Date(world.clock.now())],
      );
    }
    const { data } = await client.call('/device_line/get_list', { device_id: id });
    expect(data.list.map((row: { switched_by: string }) => row.switched_by)).toEqual(['timer', 'cmd']);
  });

  test('lines of a device are stale when older than twice the upload interval', async () => {
    const device = await makeDevice(world.db, { project_id: project.id });
    await latest(device.lines[0]!, 3, {}, world.clock.now() - 121_000);
    const { data } = await client.call('/device_line/get_list', { device_id: device.id });
    expect(data.list[0].stale).toBe(true);
  });

  test('lines of a device show a state that becomes stale while readings without a position continue', async () => {
    const device = await makeDevice(world.db, { project_id: project.id, lines: 2 });
    const [line, moved] = device.lines;
    const now = world.clock.now();
    await latest(line!, 3, { 'U.a': 231 }, now);
    await latest(moved!, 3, { 'U.a': 231 }, now - 600_000);
    const setPosition = (id: number, at: number) =>
      world.db
        .updateTable('line_latest')
        .set({ position: 1, position_at: new Date(at) })
        .where('line_id', '=', id)
        .execute();
    await setPosition(line!.id, now - 600_000);
    await setPosition(moved!.id, now);
    const { data } = await client.call('/device_line/get_list', { device_id: device.id });
    const iso = (at: number) => new Date(at).toISOString();
    expect(data.list).toMatchObject([
      {
        state: 'closed',
        observed_at: iso(now - 600_000),
        stale: true,
        values_at: iso(now),
        values_stale: false,
      },
      {
        state: 'closed',
        observed_at: iso(now),
        stale: false,
        values_at: iso(now - 600_000),
        values_stale: true,
      },
    ]);
  });

  test('lines of a device carry tags of line, device and project, active alarms and the command in flight', async () => {
    const device = await makeDevice(world.db, { project_id: project.id, lines: 2 });
    const [first, second] = device.lines;
    for (const place of [{ line_id: first!.id }, { device_id: device.id }])
      await makeTag(world.db, place, { owner: userId, at: world.clock.now(), reason: 'work' });
    const alarm = await makeAlarm(world.pool, device, { at: world.clock.now(), code: 301 });
    await makeAlarm(world.pool, device, { at: world.clock.now(), code: 201, cleared: true });
    await world.pool.query(
      `insert into commands (id, device_id, line_id, number, verb, state, cause, operator, address, created_at, expires_at, deadline_at)
       values (gen_random_uuid(), $1, $2, 1, 'close', 'sent', 'button', 'user', '', now(), now(), now())`,
      [device.id, second!.id],
    );
    const { data } = await client.call('/device_line/get_list', { device_id: device.id });
    expect(data.list[0].tags.map((tag: { on: string }) => tag.on)).toEqual(['line', 'device']);
    expect(data.list[1].tags.map((tag: { on: string }) => tag.on)).toEqual(['device']);
    expect(data.list[0].alarms).toEqual([{ id: alarm, typeNumber: 301, level: 2 }]);
    expect(data.list[0].pending).toBeNull();
    expect(data.list[1].pending).toMatchObject({ action: 'close', state: 'sent' });
  });

  test('gives the same fault for an unknown line, a foreign line and the device itself', async () => {
    const foreign = await makeDevice(world.db, { project_id: (await makeProject(world.db)).id });
    const own = await makeDevice(world.db, { project_id: project.id });
    const range = { from: '2026-11-20T00:00:00Z', to: '2026-11-21T00:00:00Z' };
    for (const line_id of [foreign.lines[0]!.id, 999_999, own.deviceLine.id])
      for (const [path, body] of [
        ['/device_line/get_device_line_details', {}],
        ['/device_line/get_line_log', range],
        ['/device_line/get_series', range],
      ] as const)
        expect(await client.call(path, { line_id, ...body })).toMatchObject({ status: 404, data: null });
    expect((await client.call('/device_line/get_list', { device_id: foreign.id })).status).toBe(404);
  });
});

describe('limits of a line', () => {
  const limitsOf = async (deviceId: number) => {
    const { data } = await client.call('/device_line/get_list', { device_id: deviceId });
    return data.list[0].limits;
  };

  test('limits of a line are those of the catalogue for its ratings, by quantity', async () => {
    const device = await makeDevice(world.db, { project_id: project.id, type: 3, rated_current: 40 });
    const limits = await limitsOf(device.id);
    expect(limits['U.a']).toEqual({ early: 235.4, alarm: 264, low_early: 198, low_alarm: 176 });
    expect(limits['IL']).toEqual({ early: 15, alarm: 30, low_early: null, low_alarm: null });
    expect(Object.keys(limits).sort()).toEqual(['I.a', 'IL', 'P.t', 'T.c', 'T.l', 'T.m', 'U.a']);
  });

  test('limits of a line follow the values set for the line; one that is switched off is left out', async () => {
    const device = await makeDevice(world.db, { project_id: project.id, type: 3, rated_current: 40 });
    await world.db
      .updateTable('lines')
      .set({ thresholds: JSON.stringify({ il_a: 100, ov_a: 0 }) })
      .where('id', '=', device.lines[0]!.id)
      .execute();
    const limits = await limitsOf(device.id);
    expect(limits['IL'].alarm).toBe(100);
    expect(limits['U.a']).toMatchObject({ alarm: null });
  });
});

describe('readings of a line', () => {
  const fill = async (lineId: number, count: number, stepMs: number) => {
    const end = world.clock.now();
    await world.pool.query(
      `insert into readings (line_id, at, boot, seq, rx_ms, position, flags, energy, channels)
       select $1, $2::timestamptz - i * $4 * interval '1 ms', 1, $3 - i, 250, i % 2, case when i = 0 then 1 end, $3 - i, array[230 + i % 5]::real[]
       from generate_series(0, $3 - 1) i`,
      [lineId, new Date(end), count, stepMs],
    );
    return { from: new Date(end - count * stepMs).toISOString(), to: new Date(end + 1).toISOString() };
  };

  test('readings of a line are paged newest first by cursor, each exactly once', async () => {
    const device = await makeDevice(world.db, { project_id: project.id });
    const range = await fill(device.lines[0]!.id, 25, minute);
    const times: string[] = [];
    let cursor: string | undefined;
    do {
      const body = { line_id: device.lines[0]!.id, ...range, limit: 10, cursor };
      const { data } = await client.call('/device_line/get_line_log', body);
      times.push(...data.list.map((row: { at: string }) => row.at));
      cursor = data.next_cursor ?? undefined;
    } while (cursor);
    expect(times).toHaveLength(25);
    expect(times).toEqual([...new Set(times)].sort().reverse());
    const { data } = await client.call('/device_line/get_line_log', {
      line_id: device.lines[0]!.id,
      ...range,
      limit: 1,
    });
    expect(data.list[0]).toMatchObject({ late: true, state: 'open', values: { 'U.a': 230 } });
    expect(Date.parse(data.list[0].received_at) - Date.parse(data.list[0].at)).toBe(250);
  });

  test('a range that ends before it begins is marked', async () => {
    const device = await makeDevice(world.db, { project_id: project.id });
    const body = { line_id: device.lines[0]!.id, from: '2026-11-21T00:00:00Z', to: '2026-11-20T00:00:00Z' };
    for (const path of ['/device_line/get_line_log', '/device_line/get_series'])
      expect(await client.call(path, body)).toMatchObject({ status: 422, data: { to: expect.any(String) } });
  });

  test('the readings of the last hour of a device come by the minute, for all its lines, with gaps kept as gaps', async () => {
    const device = await makeDevice(world.db, { project_id: project.id, lines: 2 });
    const [load, leakage] = device.lines;
    const thisMinute = Math.floor(world.clock.now() / minute) * minute;
    const insert = (line: { id: number }, ago: number, figure: string, value: number) =>
      world.pool.query(
        `insert into rollup_minute (line_id, bucket, samples, covered_s, energy_kwh, ${figure}) values ($1, $2, 1, 60, 0, $3)`,
        [line.id, new Date(thisMinute - ago * minute), value],
      );
    await insert(load!, 60, 'power_avg', 100);
    await insert(load!, 58, 'power_avg', 300);
    await insert(load!, 1, 'power_avg', 200);
    await insert(load!, 61, 'power_avg', 900);
    await insert(load!, 0, 'power_avg', 900);
    await insert(leakage!, 2, 'leakage_max', 12);
    const { data } = await client.call('/device_line/get_sparks', { device_id: device.id });
    expect(data.from).toBe(new Date(thisMinute - 60 * minute).toISOString());
    const [first, second] = data.lines;
    expect(first).toMatchObject({ line_id: load!.id, quantity: 'P' });
    expect(first.values).toEqual([100, null, 300, ...Array(56).fill(null), 200]);
    expect(second).toMatchObject({ line_id: leakage!.id, quantity: 'IL' });
    expect(second.values[58]).toBe(12);
    expect(await client.call('/device_line/get_sparks', { device_id: 999_999 })).toMatchObject({
      status: 404,
    });
  });

  test('readings of a line as a series come raw, or as minutes, hours or days, with at most 2,000 points', async () => {
    const device = await makeDevice(world.db, { project_id: project.id });
    const line_id = device.lines[0]!.id;
    const range = await fill(line_id, 3000, 5000);
    for (const [table, step] of [
      ['rollup_minute', 'minute'],
      ['rollup_hour', 'hour'],
      ['rollup_day', 'day'],
    ])
      await world.pool.query(
        `insert into ${table} (line_id, bucket, samples, covered_s, energy_kwh, power_max)
         select $1, date_trunc($2, $3::timestamptz) - i * ('1 ' || $2)::interval, 1, 60, 1, 500 from generate_series(0, 9) i`,
        [line_id, step, new Date(world.clock.now())],
      );
    const series = async (from: number, channels?: string) =>
      (
        await client.call('/device_line/get_series', {
          line_id,
          from: new Date(world.clock.now() - from).toISOString(),
          to: range.to,
          channels,
        })
      ).data;
    expect(await series(60 * minute, 'U.a,E')).toMatchObject({ resolution: 'raw', channels: ['U.a', 'E'] });
    const dense = await series(240 * minute, 'P.t');
    expect(dense).toMatchObject({ resolution: 'minute', channels: ['power_min', 'power_avg', 'power_max'] });
    expect(dense.values.power_max).toEqual(Array(10).fill(500));
    expect((await series(40 * 60 * minute)).resolution).toBe('hour');
    expect((await series(200 * 24 * 60 * minute)).resolution).toBe('day');
    const tooLong = await client.call('/device_line/get_series', {
      line_id,
      from: '2016-01-01T00:00:00Z',
      to: range.to,
    });
    expect(tooLong).toMatchObject({ status: 422, data: { to: expect.stringContaining('2000') } });
  });
});
