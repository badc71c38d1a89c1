import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { bindAll } from './all-features.ts';
import { makeDevice, makeProject, makeTag, makeUser } from './factories.ts';
import { type Client, createWorld, testPassword, type World } from './world.ts';

let world: World;
let admin: Client;
let project: { id: number };
let device: Awaited<ReturnType<typeof makeDevice>>;
const english = { 'accept-language': 'en-US' };

beforeAll(async () => {
  world = await createWorld(bindAll);
  admin = await world.as((await makeUser(world.db, { role: 1 })).id);
});
afterAll(() => world.close());
beforeEach(async () => {
  for (const table of ['default_thresholds', 'lockout_tags', 'alarm_types'] as const)
    await world.db.deleteFrom(table).execute();
  project = await makeProject(world.db);
  device = await makeDevice(world.db, { project_id: project.id });
  await authenticated(16);
});

/** The password was given this many minutes ago. */
const authenticated = (minutes: number) =>
  world.db
    .updateTable('sessions')
    .set({ authenticated_at: new Date(world.clock.now() - minutes * 60_000) })
    .where('user_id', '=', admin.userId)
    .execute();
const tag = (on: Parameters<typeof makeTag>[1]) =>
  makeTag(world.db, on, { owner: admin.userId, at: world.clock.now(), reason: 'people at the busbar' });

const line = (body: object, client = admin) =>
  client.call('/device/change_device_line', { line_id: device.lines[0]!.id, ...body }, english);
const defaults = (body: object) => admin.call('/device_warning_type/set_defaults', body, english);
const ofProject = (body: object) => defaults({ project_id: project.id, device_type: 3, ...body });
const everywhere = (body: object) => defaults({ device_type: 3, ...body });
const type = (typeNumber: number, enabled: boolean, more: object = {}) =>
  admin.call('/device_warning_type/set_status', { typeNumber, enabled, ...more }, english);

/** Acts that weaken the protection of line 1 by values that the server keeps. */
const weakening: readonly { name: string; act: (more?: object) => ReturnType<typeof line> }[] = [
  { name: 'a higher limit of a line', act: (more) => line({ thresholds: { il_a: 100 }, ...more }) },
  { name: 'a longer delay of a line', act: (more) => line({ thresholds: { il_t: 20 }, ...more }) },
  {
    name: 'a lower limit that is a lower bound',
    act: (more) => line({ thresholds: { uv_a: 150 }, ...more }),
  },
  { name: 'a higher rating of a line', act: (more) => line({ thresholds: { in: 63 }, ...more }) },
  { name: 'a limit of a line switched off', act: (more) => line({ thresholds: { op_a: 0 }, ...more }) },
  { name: 'a higher limit of a project', act: (more) => ofProject({ thresholds: { tm_a: 100 }, ...more }) },
  {
    name: 'a higher limit of every project',
    act: (more) => everywhere({ thresholds: { tm_a: 100 }, ...more }),
  },
  {
    name: 'another nominal voltage of a project',
    act: async (more) => {
      const { revision, nominal_voltage } = await world.db
        .selectFrom('projects')
        .select(['revision', 'nominal_voltage'])
        .where('id', '=', project.id)
        .executeTakeFirstOrThrow();
      const other = nominal_voltage === 220 ? 240 : 220;
      return admin.call(
        '/Project/edit_project',
        { project_id: project.id, revision, nominal_voltage: other, ...more },
        english,
      );
    },
  },
  { name: 'an alarm type switched off', act: (more) => type(301, false, more) },
];

describe('an act that weakens protection on the server', () => {
  it.each(weakening)(
    'an act that weakens protection on the server needs a recent password: $name',
    async ({ act }) => {
      expect(await act()).toMatchObject({ status: 409, data: { reason: 'password_needed' } });
      expect(await act({ password: 'wrong123' })).toMatchObject({ status: 422 });
      expect(await act({ password: testPassword })).toMatchObject({ status: 200 });
      // The password check counts for some minutes.
      expect(await act()).toMatchObject({ status: 200 });
      const log = await world.db.selectFrom('operation_log').select('parameters').execute();
      expect(JSON.stringify(log)).not.toContain(testPassword);
    },
  );
  it.each(weakening)(
    'an act that weakens protection on the server is refused under a lock-out tag: $name',
    async ({ act }) => {
      await authenticated(1);
      await tag({ line_id: device.lines[0]!.id });
      const answer = await act();
      expect(answer).toMatchObject({ status: 409, data: { reason: 'tagged' } });
      expect(answer.msg).toContain('people at the busbar');
      await world.db.deleteFrom('lockout_tags').execute();
      expect(await act()).toMatchObject({ status: 200 });
    },
  );
  it('counts tags on the device and on the project, and names the devices', async () => {
    await authenticated(1);
    for (const on of [{ device_id: device.id }, { project_id: project.id }]) {
      await tag(on);
      for (const { act } of weakening)
        expect(await act()).toMatchObject({ status: 409, data: { reason: 'tagged' } });
      expect((await ofProject({ thresholds: { tm_a: 100 } })).msg).toContain(device.number);
      await world.db.deleteFrom('lockout_tags').execute();
    }
  });
  it('tags on unaffected lines do not refuse an act that weakens protection on the server', async () => {
    await authenticated(1);
    const elsewhere = await makeDevice(world.db, { project_id: (await makeProject(world.db)).id });
    await tag({ device_id: elsewhere.id });
    expect(await ofProject({ thresholds: { tm_a: 100 } })).toMatchObject({ status: 200 });
    expect(await line({ thresholds: { il_a: 100 } })).toMatchObject({ status: 200 });
    // The lines of the tagged device have limits of their own, or its type differs.
    await world.db
      .updateTable('lines')
      .set({ thresholds: JSON.stringify({ tm_a: 75 }) })
      .where('device_id', '=', elsewhere.id)
      .execute();
    expect(await everywhere({ thresholds: { tm_a: 110 } })).toMatchObject({ status: 200 });
    expect(await everywhere({ device_type: 4, thresholds: { tm_a: 110 } })).toMatchObject({ status: 200 });
    expect(await type(110, false)).toMatchObject({ status: 200 });
    expect(await everywhere({ thresholds: { tl_a: 110 } })).toMatchObject({ status: 409 });
    expect(await type(801, false)).toMatchObject({ status: 409 });
  });
});

describe('an act that strengthens protection on the server', () => {
  it('an act that strengthens protection on the server needs no password and is allowed under a tag', async () => {
    await tag({ project_id: project.id });
    expect(await line({ thresholds: { il_a: 25, tm_a: 78, il_t: 2 }, alias: 'Pump' })).toMatchObject({
      status: 200,
    });
    expect(await line({ critical: true })).toMatchObject({ status: 200 });
    expect(await ofProject({ thresholds: { tm_a: 75, unb_i: 40 } })).toMatchObject({ status: 422 });
    expect(await ofProject({ thresholds: { tm_a: 75 } })).toMatchObject({ status: 200 });
    expect(await everywhere({ thresholds: { tl_a: 65 } })).toMatchObject({ status: 200 });
    expect(await type(301, true)).toMatchObject({ status: 200 });
  });
  it('removing a stricter value counts as weakening', async () => {
    expect(await ofProject({ thresholds: { tm_a: 75 } })).toMatchObject({ status: 200 });
    expect(await ofProject({ thresholds: { tm_a: null } })).toMatchObject({ status: 409 });
    expect(await line({ thresholds: { tm_a: 72 } })).toMatchObject({ status: 200 });
    expect(await line({ thresholds: { tm_a: 74 } })).toMatchObject({ status: 409 });
    expect(await line({ thresholds: { tm_a: null } })).toMatchObject({ status: 409 });
    expect(await line({ critical: true })).toMatchObject({ status: 200 });
    expect(await line({ critical: false })).toMatchObject({ status: 409 });
  });
  it('compares a line’s own value with the value that applies without it', async () => {
    await authenticated(1);
    expect(await ofProject({ thresholds: { tm_a: 95 } })).toMatchObject({ status: 200 });
    expect(await line({ thresholds: { tm_a: 85 } })).toMatchObject({ status: 200 });
    await authenticated(16);
    // The catalogue's limit is 80, but the project’s 95 would apply again.
    expect(await line({ thresholds: { tm_a: null } })).toMatchObject({ status: 409 });
  });
});
