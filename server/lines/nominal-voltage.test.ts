import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { provePassword } from '#server/session/sign-in.ts';
import { makeDevice, makeProject, makeUser } from '#test/factories.ts';
import { type Client, createWorld, testPassword, type World } from '#test/world.ts';
import { lineRoutes } from './lines.routes.ts';
import { proposedVoltage } from './nominal-voltage.rules.ts';
import { nominalVoltageWork } from './nominal-voltage.ts';

const hour = 3_600_000;
const minute = 60_000;
let world: World;
let admin: Client;
let project: { id: number };
let device: Awaited<ReturnType<typeof makeDevice>>;

beforeAll(async () => {
  world = await createWorld((serve) => lineRoutes(serve, { provePassword }));
  await world.pool.query('create table rollup_minute_all partition of rollup_minute default');
  admin = await world.as((await makeUser(world.db, { role: 1 })).id);
});
afterAll(() => world.close());
beforeEach(async () => {
  project = await makeProject(world.db);
  device = await makeDevice(world.db, { project_id: project.id });
});

/** A voltage alarm of a device, which makes it a candidate. */
const alarm = (of = device) =>
  world.pool.query(
    `insert into alarms (line_id, id, device_id, project_id, code, level, severity, source, work_order, raised_at,
       received_at, last_at, value_type)
     values ($1, nextval('alarm_ids'), $2, $3, 102, 2, 2, 'server', 'W1', $4, $4, $4, 1)`,
    [of.lines[0]!.id, of.id, of.project_id, new Date(world.clock.now() - minute)],
  );
const rolled = (
  table: 'rollup_minute' | 'rollup_hour',
  step: number,
  volts: readonly number[],
  of = device,
) =>
  world.pool.query(
    `insert into ${table} (line_id, bucket, samples, covered_s, energy_kwh, voltage_min, voltage_max)
     select $1, date_trunc('hour', $2::timestamptz) - n * make_interval(secs => $3::float), 60, 60, 0, v - 1, v + 1
     from unnest($4::real[]) with ordinality as u (v, n) on conflict do nothing`,
    [of.lines[0]!.id, new Date(world.clock.now()), step / 1000, volts],
  );
const look = () =>
  nominalVoltageWork(world.db).run({ now: world.clock.now(), signal: new AbortController().signal });
const shown = async (client = admin, of = device) =>
  (await client.call('/device_line/nominal_voltage', { device_id: of.id })).data;
const set = (body: object, client = admin, of = device) =>
  client.call('/device_line/set_nominal_voltage', { device_id: of.id, ...body });
const limitOf = async (of = device) => {
  const { rows } = await world.pool.query<{ thresholds: Record<string, number> }>(
    'select thresholds from effective_thresholds where line_id = $1',
    [of.lines[0]!.id],
  );
  return rows[0]!.thresholds;
};

describe('the nominal voltage that readings fit', () => {
  const of = (given: Partial<Parameters<typeof proposedVoltage>[0]>) =>
    proposedVoltage({
      nominal: 220,
      recent: { median: Number.NaN, n: 0 },
      week: { median: Number.NaN, n: 0 },
      fitting: 0,
      ...given,
    });
  it.each([
    [118, 120],
    [112, 110],
    [127.5, 127],
    [384, 380],
    [402, 400],
    [278, 277],
    [60, null],
    [160, null],
    [225, null],
  ])('readings of %d V for ten minutes fit the nominal voltage %s', (median, volts) => {
    expect(of({ recent: { median, n: 10 } })).toBe(volts);
    expect(of({ recent: { median, n: 9 } })).toBeNull();
    // It was near the nominal voltage before: this is a fault.
    expect(of({ recent: { median, n: 60 }, fitting: 1 })).toBeNull();
  });
  it.each([
    [220, 241, 240],
    [220, 229, 230],
    [220, 225, null],
    [230, 240, 240],
    [230, 233, null],
    [240, 241, null],
  ])('with the nominal voltage %d V, readings of %d V for a day fit %s', (nominal, median, volts) => {
    expect(of({ nominal, week: { median, n: 24 }, fitting: 24 })).toBe(volts);
    expect(of({ nominal, week: { median, n: 23 }, fitting: 23 })).toBeNull();
  });
});

describe('a nominal voltage that fits the readings better', () => {
  it('a nominal voltage that fits better is proposed, changes nothing by itself, and is accepted for the device with the password', async () => {
    await alarm();
    await rolled('rollup_minute', minute, Array(20).fill(119));
    await look();
    expect(await shown()).toMatchObject({ nominal_voltage: 220, proposed_voltage: 120, project_devices: 1 });
    expect(await limitOf()).toEqual({});
    await world.db
      .updateTable('sessions')
      .set({ authenticated_at: new Date(world.clock.now() - 16 * minute) })
      .execute();
    expect(await set({ volts: 110, take: 'device' })).toMatchObject({ status: 409, data: { current: 120 } });
    expect(await set({ volts: 120, take: 'device' })).toMatchObject({
      status: 409,
      data: { reason: 'password_needed' },
    });
    expect(await set({ volts: 120, take: 'device', password: testPassword })).toMatchObject({
      data: { nominal_voltage: 120 },
    });
    expect(await limitOf()).toEqual({ un: 120 });
    await look();
    expect(await shown()).toMatchObject({ nominal_voltage: 120, proposed_voltage: null });
  });
  it('a nominal voltage that fits better is accepted for the whole project at once, by users who manage the whole project', async () => {
    const others = [
      await makeDevice(world.db, { project_id: project.id }),
      await makeDevice(world.db, { project_id: project.id }),
    ];
    for (const each of [device, ...others]) {
      await alarm(each);
      await rolled('rollup_minute', minute, Array(20).fill(111), each);
    }
    await look();
    const reader = await world.as(
      (await makeUser(world.db, { role: 100, letters: 'C', projects: [project] })).id,
    );
    expect(await shown(reader)).toMatchObject({ proposed_voltage: 110, project_devices: null });
    expect((await set({ volts: 110, take: 'project' }, reader)).status).toBe(403);
    expect(await shown()).toMatchObject({ proposed_voltage: 110, project_devices: 3 });
    expect(await set({ volts: 110, take: 'project' })).toMatchObject({ status: 200 });
    for (const each of [device, ...others])
      expect(await shown(admin, each)).toMatchObject({ nominal_voltage: 110, proposed_voltage: null });
  });
  it('another standard voltage is proposed after it fitted better for a day, and is not proposed again once declined', async () => {
    await alarm();
    await rolled('rollup_hour', hour, Array(30).fill(240));
    await look();
    expect(await shown()).toMatchObject({ proposed_voltage: 240 });
    expect(await set({ volts: 240, take: 'neither' })).toMatchObject({ data: { nominal_voltage: 220 } });
    await look();
    expect(await shown()).toMatchObject({ nominal_voltage: 220, proposed_voltage: null });
  });
  it('no nominal voltage is proposed for a brown-out: if the voltage was right before, the change is a fault', async () => {
    await alarm();
    await rolled('rollup_hour', hour, [...Array(5).fill(120), ...Array(20).fill(221)]);
    await rolled('rollup_minute', minute, Array(59).fill(120));
    await look();
    expect(await shown()).toMatchObject({ proposed_voltage: null });
  });
  it('a phase-to-phase voltage cannot be accepted for a whole project, and no voltage can be accepted under a tag', async () => {
    await alarm();
    await rolled('rollup_minute', minute, Array(20).fill(401));
    await look();
    expect(await shown()).toMatchObject({ proposed_voltage: 400, project_devices: null });
    expect((await set({ volts: 400, take: 'project' })).status).toBe(403);
    await world.pool.query(
      `insert into lockout_tags (device_id, reason, owner_id, set_at) values ($1, 'people', $2, $3)`,
      [device.id, admin.userId, new Date(world.clock.now())],
    );
    expect(await set({ volts: 400, take: 'device' })).toMatchObject({
      status: 409,
      data: { reason: 'tagged' },
    });
    const stranger = await world.as(
      (await makeUser(world.db, { role: 3, projects: [await makeProject(world.db)] })).id,
    );
    expect((await set({ volts: 400, take: 'device' }, stranger)).status).toBe(404);
  });
});
