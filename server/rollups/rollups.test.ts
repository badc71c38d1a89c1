import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { lineChannels } from '#contract/telemetry.ts';
import { markSql } from '#server/core/rollup-marks.ts';
import { lineRoutes } from '#server/lines/lines.routes.ts';
import { provePassword } from '#server/session/sign-in.ts';
import { makeDevice, makePart, makeProject, makeUser } from '#test/factories.ts';
import { createWorld, type World } from '#test/world.ts';
import { energyFlags } from './energy.ts';
import { rebuildDays, rebuildLoad } from './rebuild.ts';
import { createRollups, type Rollups } from './worker.ts';

const minute = 60_000;
const rollupNames = ['rollup_minute', 'rollup_quarter', 'rollup_hour', 'rollup_day', 'rollup_month'] as const;
type RollupName = (typeof rollupNames)[number];
let world: World;
let rollups: Rollups;
beforeAll(async () => {
  world = await createWorld((serve) => lineRoutes(serve, { provePassword }));
  await world.pool.query(`create table readings_all partition of readings default`);
  rollups = createRollups(world);
});
afterAll(async () => {
  await rollups.stop();
  await world.close();
});

const newLine = async (given: { time_zone?: string; rated_current?: number } = {}) => {
  const project = await makeProject(world.db, { time_zone: given.time_zone ?? 'Asia/Shanghai' });
  const device = await makeDevice(world.db, {
    project_id: project.id,
    rated_current: given.rated_current ?? 40,
  });
  return device.lines[0]!;
};
let seq = 0;
/** Stores a reading as the link does: the row, the latest of the line, and the mark if the rounds would miss it. */
const store = async (
  line: { id: number; device_id: number; n: number },
  at: number,
  energy: number | null,
  watts = 1000,
  receivedAt = at,
  channels = [230, watts / 230, watts, 1, 0, 12, 30],
) => {
  const late = receivedAt - at > 2 * minute;
  await world.db
    .insertInto('readings')
    .values({
      line_id: line.id,
      at: new Date(at),
      boot: 1,
      seq: ++seq,
      sent_ms: null,
      rx_ms: receivedAt - at,
      position: 1,
      trip: 0,
      lock: 0,
      flags: late ? 1 : 0,
      energy,
      channels,
    })
    .execute();
  const { rowCount } = await world.pool.query(
    `insert into line_latest (line_id, at, received_at, boot, seq, position, energy, channels)
     values ($1, $2, $3, 1, $4, 1, $5, $6) on conflict (line_id) do update
     set at = excluded.at, received_at = excluded.received_at where excluded.at > line_latest.at`,
    [line.id, new Date(at), new Date(receivedAt), seq, energy, channels],
  );
  await world.pool.query(markSql('select $1::int, $2::timestamptz, $3::boolean'), [
    line.id,
    new Date(at),
    rowCount === 0,
  ]);
};
const rows = (table: RollupName, lineId: number) =>
  world.db.selectFrom(table).selectAll().where('line_id', '=', lineId).orderBy('bucket').execute();
const energyOf = async (table: RollupName, lineId: number) =>
  (await rows(table, lineId)).reduce((sum, row) => sum + row.energy_kwh, 0);

describe('rollups', () => {
  test('readings become minutes, hours and days with energy and extremes', async () => {
    const line = await newLine();
    const from = world.clock.now();
    for (let i = 0; i <= 90; i++) {
      await store(line, from + i * minute, 100 + i * 0.02, 1000 + i);
      world.clock.set(from + i * minute);
      if (i % 10 === 0) await rollups.round();
    }
    await rollups.round();
    const minutes = await rows('rollup_minute', line.id);
    expect(minutes).toHaveLength(91);
    expect(minutes[5]).toMatchObject({ samples: 1, covered_s: 60, energy_flags: 0, power_max: 1005 });
    expect(minutes[5]!.energy_kwh).toBeCloseTo(0.02, 6);
    const hours = await rows('rollup_hour', line.id);
    expect(hours.map((row) => row.samples)).toEqual([60, 31]);
    expect(hours[0]).toMatchObject({
      power_min: 1000,
      power_max: 1059,
      leakage_max: 12,
      temperature_max: 30,
    });
    for (const table of rollupNames) expect(await energyOf(table, line.id)).toBeCloseTo(1.8, 6);
  });

  test('late readings in any order give the same rollups as timely ones', async () => {
    const timely = await newLine();
    const late = await newLine();
    const from = world.clock.now() + 60 * minute;
    const values = Array.from({ length: 60 }, (_, i) => ({
      at: from + i * 5 * minute,
      energy: i === 20 ? 9000 : 50 + i * 0.05,
    }));
    const order = values.map((_, i) => (i * 23) % 60);
    for (const { at, energy } of values) {
      await store(timely, at, energy);
      world.clock.set(at);
      await rollups.round();
    }
    const end = world.clock.now();
    for (const [count, index] of order.entries()) {
      await store(late, values[index]!.at, values[index]!.energy, 1000, end + 3 * minute);
      if (count % 7 === 0) await rollups.round();
    }
    world.clock.advance(4 * minute);
    await rollups.round();
    const plain = (all: Awaited<ReturnType<typeof rows>>) =>
      all.map(({ line_id: _, energy_kwh, ...row }) => ({ ...row, energy_kwh: energy_kwh.toFixed(9) }));
    for (const table of rollupNames)
      expect(plain(await rows(table, late.id))).toEqual(plain(await rows(table, timely.id)));
    expect(await energyOf('rollup_day', late.id)).toBeCloseTo(59 * 0.05, 6);
  });

  test('a gap of days loses no energy: each local day gets one unallocated part', async () => {
    const line = await newLine();
    const from = world.clock.now() + 60 * minute;
    await store(line, from, 10);
    world.clock.set(from + minute);
    await rollups.round();
    const to = from + 48 * 60 * minute;
    await store(line, to, 34);
    world.clock.set(to + minute);
    await rollups.round();
    const days = await rows('rollup_day', line.id);
    expect(days).toHaveLength(3);
    expect(await energyOf('rollup_day', line.id)).toBeCloseTo(24, 6);
    expect(days.every((day) => (day.energy_flags & energyFlags.unallocated) !== 0)).toBe(true);
  });

  test('a reading that fills a gap replaces the estimate', async () => {
    const line = await newLine();
    const from = world.clock.now() + 60 * minute;
    await store(line, from, 10);
    await store(line, from + 60 * minute, 12);
    world.clock.set(from + 60 * minute);
    await rollups.round();
    expect((await rows('rollup_minute', line.id))[30]).toMatchObject({ energy_flags: energyFlags.estimated });
    await store(line, from + 59 * minute, 11.9, 1000, from + 60 * minute);
    await rollups.round();
    expect(await energyOf('rollup_minute', line.id)).toBeCloseTo(2, 6);
    expect((await rows('rollup_minute', line.id)).at(-2)!.energy_kwh).toBeCloseTo(0.1, 6);
  });

  test('days are divided in the zone of the project, half-hour zones too', async () => {
    const line = await newLine({ time_zone: 'Asia/Kolkata' });
    const midnight = Date.parse('2026-12-10T00:00:00+05:30');
    for (let i = -10; i < 10; i++) await store(line, midnight + i * minute, 10 + i * 0.1);
    world.clock.set(midnight + 10 * minute);
    await rollups.round();
    const days = await rows('rollup_day', line.id);
    expect(days.map((day) => day.bucket.getTime())).toEqual([midnight - 86_400_000, midnight]);
    expect(days.map((day) => Math.round(day.energy_kwh * 1000) / 1000)).toEqual([1, 0.9]);
  });

  test('a line without a register is integrated from its power', async () => {
    const line = await newLine();
    const from = world.clock.now() + 60 * minute;
    for (let i = 0; i <= 60; i++) await store(line, from + i * minute, null, 3000);
    world.clock.set(from + 61 * minute);
    await rollups.round();
    expect(await energyOf('rollup_day', line.id)).toBeCloseTo(3, 6);
    expect((await rows('rollup_hour', line.id))[0]!.energy_flags).toBe(energyFlags.integrated);
  });

  test('readings stored before a crash are processed by the next process', async () => {
    const line = await newLine();
    const from = world.clock.now() + 60 * minute;
    await store(line, from, 10);
    await store(line, from + minute, 10.1);
    world.clock.set(from + 2 * minute);
    const next = createRollups(world);
    await next.round();
    await next.stop();
    expect(await energyOf('rollup_day', line.id)).toBeCloseTo(0.1, 6);
  });

  test('a line with a far too low rating is counted in full and proposes a rating, for readings in any order', async () => {
    const timely = await newLine({ rated_current: 40 });
    const late = await newLine({ rated_current: 40 });
    const from = world.clock.now() + 60 * minute;
    // 40 A at 220 V are 8.8 kW; this line carries 14 to 38 kW.
    const values = Array.from({ length: 48 }, (_, i) => ({
      at: from + i * 15 * minute,
      energy: 500 + i * 7.5 + (i % 3) * 2,
    }));
    for (const { at, energy } of values) {
      await store(timely, at, energy);
      world.clock.set(at);
      await rollups.round();
    }
    const end = world.clock.now();
    for (let i = 0; i < values.length; i++) {
      const { at, energy } = values[(i * 13) % values.length]!;
      await store(late, at, energy, 1000, end + 3 * minute);
      if (i % 5 === 0) await rollups.round();
    }
    world.clock.advance(4 * minute);
    await rollups.round();
    const through = values.at(-1)!.energy - values[0]!.energy;
    for (const line of [timely, late])
      for (const table of rollupNames) expect(await energyOf(table, line.id)).toBeCloseTo(through, 6);
    expect((await rows('rollup_day', timely.id))[0]!.energy_flags & energyFlags.aboveRating).not.toBe(0);
    const admin = await world.as((await makeUser(world.db, { role: 1 })).id);
    const { data } = await admin.call('/device_line/get_device_line_details', { line_id: timely.id });
    expect(data.proposed_rated_current).toBe(160);
  });

  test('days of 23 and 25 hours add up, and are computed again when the zone of the project changes', async () => {
    const project = await makeProject(world.db, { time_zone: 'Asia/Shanghai' });
    const device = await makeDevice(world.db, { project_id: project.id });
    const line = device.lines[0]!;
    // Summer time in Berlin begins on 2027-03-28 and ends on 2027-10-31.
    for (const [from, hours] of [
      ['2027-03-27T00:00:00+01:00', 95],
      ['2027-10-30T00:00:00+02:00', 97],
    ] as const) {
      const start = Date.parse(from);
      for (let i = 0; i <= hours * 4; i++) await store(line, start + i * 15 * minute, 100 + i * 0.25);
      world.clock.set(start + hours * 60 * minute + minute);
      await rollups.round();
    }
    await world.db.transaction().execute(async (trx) => {
      await trx
        .updateTable('projects')
        .set({ time_zone: 'Europe/Berlin' })
        .where('id', '=', project.id)
        .execute();
      await rebuildDays(trx, project.id);
    });
    await rollups.round();
    const days = (await rows('rollup_day', line.id)).filter((day) => day.energy_kwh > 0.001);
    const kwh = new Map(
      days.map((day) => [day.bucket.toISOString(), Math.round(day.energy_kwh * 1e6) / 1e6]),
    );
    expect(kwh.get('2027-03-27T23:00:00.000Z')).toBe(23);
    expect(kwh.get('2027-03-28T22:00:00.000Z')).toBe(24);
    expect(kwh.get('2027-10-30T22:00:00.000Z')).toBe(25);
    expect(await energyOf('rollup_month', line.id)).toBeCloseTo(await energyOf('rollup_quarter', line.id), 6);
    expect(await energyOf('rollup_day', line.id)).toBeCloseTo(await energyOf('rollup_quarter', line.id), 6);
  });

  test('projects and parts are summed up, with an incoming line in place of the lines that it supplies', async () => {
    const project = await makeProject(world.db);
    const part = await makePart(world.db, project.id);
    const device = await makeDevice(world.db, { project_id: project.id, part_id: part.id, lines: 3 });
    const other = await makeDevice(world.db, { project_id: project.id });
    const from = Math.ceil((world.clock.now() + 60 * minute) / (60 * minute)) * 60 * minute;
    const [incoming, first, second] = device.lines;
    for (let i = 0; i <= 60; i++) {
      await store(incoming!, from + i * minute, i * 0.05, 3000);
      await store(first!, from + i * minute, i * 0.02, 1200);
      await store(second!, from + i * minute, i * 0.02, 1200);
      await store(other.lines[0]!, from + i * minute, i * 0.01, 600);
    }
    world.clock.set(from + 61 * minute);
    await rollups.round();
    const load = async () => {
      const found = await world.db
        .selectFrom('load_quarter')
        .selectAll()
        .where('project_id', '=', project.id)
        .where('bucket', '>=', new Date(from))
        .where('bucket', '<', new Date(from + 60 * minute))
        .orderBy('bucket')
        .execute();
      const of = (id: number) => found.filter((row) => row.part_id === id);
      const total = (id: number) =>
        Math.round(of(id).reduce((sum, row) => sum + row.energy_kwh, 0) * 1e6) / 1e6;
      return { whole: total(0), part: total(part.id), row: of(0)[1]! };
    };
    const before = await load();
    expect(before).toMatchObject({ whole: 6, part: 5.4 });
    expect(before.row).toMatchObject({ lines: 4, power_w: 6000, covered_s: 3600 });
    const feed = async (supplies: 'device' | 'project') => {
      await world.db.transaction().execute(async (trx) => {
        await trx.updateTable('lines').set({ supplies }).where('id', '=', incoming!.id).execute();
        await rebuildLoad(trx, device.id);
      });
      await rollups.round();
      const { row: _, ...totals } = await load();
      return totals;
    };
    expect(await feed('device')).toEqual({ whole: 3.6, part: 3 });
    expect(await feed('project')).toEqual({ whole: 3, part: 2.4 });
  });

  test('a filter shows its losses, and a line shows its mean current by phase', async () => {
    const project = await makeProject(world.db);
    const device = await makeDevice(world.db, { project_id: project.id, type: 1 });
    const line = device.lines[0]!;
    const names = lineChannels[1];
    const channels = names.map((name) =>
      name === 'in.P.t'
        ? 1050
        : name === 'out.P.t'
          ? 1000
          : name === 'out.I.a'
            ? 4.5
            : name === 'in.I.a'
              ? 5
              : 0,
    );
    const from = world.clock.now() + 60 * minute;
    for (let i = 0; i <= 60; i++) await store(line, from + i * minute, 10 + i / 60, 0, undefined, channels);
    world.clock.set(from + 61 * minute);
    await rollups.round();
    const days = await rows('rollup_day', line.id);
    expect(days.reduce((sum, day) => sum + (day.loss_kwh ?? 0), 0)).toBeCloseTo(0.05, 6);
    expect(days.at(-1)).toMatchObject({ current_a: 4.5, current_b: null });
  });

  test('each bucket stores whether it contains resets or estimates', async () => {
    const line = await newLine();
    const from = Math.ceil((world.clock.now() + 60 * minute) / (60 * minute)) * 60 * minute;
    await store(line, from, 900);
    await store(line, from + minute, 900.1);
    await store(line, from + 2 * minute, 0.05);
    await store(line, from + 40 * minute, 2);
    world.clock.set(from + 41 * minute);
    await rollups.round();
    const [hour] = await rows('rollup_hour', line.id);
    expect(hour).toMatchObject({ resets: 1, energy_first: 900, energy_last: 2 });
    expect(hour!.energy_kwh).toBeCloseTo(0.1 + 0.05 + 1.95, 6);
    expect(hour!.estimated_kwh).toBeCloseTo(1.95, 6);
  });
});
