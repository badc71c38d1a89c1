import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { type AlarmWorld, createAlarmWorld } from './alarm-world.ts';
import { makeDevice, makePart, makeProject, makeUser } from './factories.ts';
import { type StandIn, standIn } from './stand-in.ts';
import { becomes, eventually } from './wait.ts';
import type { Client } from './world.ts';

type Device = Awaited<ReturnType<typeof makeDevice>>;
const minute = 60_000;

let world: AlarmWorld;
let service: StandIn;
let admin: Client;
let operator: Client;
let partManager: Client;
let project: { id: number };
let devices: Device[];

beforeAll(async () => {
  service = await standIn();
  world = await createAlarmWorld();
});
afterAll(async () => {
  await world.close();
  await service.close();
});

beforeEach(async () => {
  world.leave();
  project = await makeProject(world.db, { name: 'Harbour' });
  const part = await makePart(world.db, project.id);
  devices = [];
  for (let n = 0; n < 5; n += 1)
    devices.push(await makeDevice(world.db, { project_id: project.id, part_id: n === 0 ? part.id : null }));
  admin = await world.as((await makeUser(world.db, { role: 1 })).id);
  operator = await world.as((await makeUser(world.db, { role: 3, projects: [project] })).id);
  partManager = await world.as(
    (await makeUser(world.db, { role: 32, projects: [{ id: project.id, parts: [part.id] }] })).id,
  );
  const languages = { 'accept-language': 'en-US' };
  const ways = {
    app_id: '',
    template_id: '',
    base_url: service.url,
    private_targets: true,
    language: 'en-US',
  };
  await admin.call('/device_warning/set_notice_settings', ways);
  const rule = {
    name: 'desk',
    channel: 'webhook',
    to_contacts: false,
    user_ids: [],
    project_ids: [project.id],
    typeNumbers: [],
    levels: [],
    silence_minutes: 0,
    window_from: null,
    window_to: null,
    enabled: true,
    webhook_url: service.url,
  };
  expect((await admin.call('/device_warning/add_warning_timing', rule, languages)).code).toBe(200);
  service.heard.length = 0;
  for (const device of devices) await connect(device);
});

const connect = async (device: Device) => {
  await world.connect(device);
  await report(device);
};
const report = (device: Device, volts = 220) => world.report(device, { U: { a: volts } });
/** Advances the clock by three minutes, while these devices report. */
const keepOn = async (which: readonly Device[]) => {
  for (let passed = 0; passed < 3; passed += 1) {
    world.clock.advance(minute);
    for (const device of which) await report(device);
  }
};
const leaves = async (device: Device) => {
  world.client(device).end(true);
  await world.hears('device.online', ({ deviceId, online, at }) => {
    return deviceId === device.id && !online && at === world.clock.now();
  });
};
const listed = async (who: Client, filter: object = {}) =>
  (await who.call('/device_warning/WarningList', { limit: 200, ...filter })).data.list as {
    id: number;
    device_id: number;
    typeNumber: number;
    active: boolean;
    value: number;
    suppressed_by: number | null;
  }[];
/** Advances the clock second by second, so that waiting work runs, until the list matches. */
const until = async (fits: (rows: Awaited<ReturnType<typeof listed>>) => boolean, who = operator) =>
  eventually(async () => {
    world.clock.advance(1000);
    const rows = await listed(who);
    return fits(rows) && rows;
  });

/** The outage of the project, which may come together with alarms of single devices. */
const outageSeen = async (who = operator) => {
  const isOutage = (row: { device_id: number }) => row.device_id === 0;
  const rows = await until((list) => list.some(isOutage), who);
  return rows.find(isOutage)!;
};
const pushes = () => service.heard.map(({ body }) => JSON.parse(body) as Record<string, unknown>);

it('devices of a project that all go offline are one alarm and one push, which ends when they are back', async () => {
  for (const device of devices) await leaves(device);
  world.clock.advance(3 * minute);
  const [outage] = await until((rows) => rows.length > 0);
  expect(outage).toMatchObject({ device_id: 0, typeNumber: 801, active: true, value: 100 });
  const members = await eventually(async () => {
    world.clock.advance(1000);
    const rows = await listed(operator, { suppressed: true });
    return rows.length === 5 && rows;
  });
  expect(new Set(members.map((row) => row.suppressed_by))).toEqual(new Set([outage!.id]));
  expect(await listed(operator)).toHaveLength(1);
  const { data: latest } = await operator.call('/index/getDeviceWarnList');
  expect(latest.list.map((row: { id: number }) => row.id)).toEqual([outage!.id]);
  const { data: detail } = await operator.call('/device_warning/getDetatil', { id: outage!.id });
  expect(detail.consequences.map((each: { device_number: string }) => each.device_number).sort()).toEqual(
    devices.map(({ number }) => number).sort(),
  );
  expect(detail.contacts).toEqual([{ name: 'Li Wei', phone: '13800000000' }]);

  world.clock.advance(30_000);
  await eventually(async () => {
    world.clock.advance(1000);
    await world.notices.idle();
    return pushes().length > 0;
  });
  expect(pushes()).toMatchObject([{ alarm_id: outage!.id, alarms: 1 }]);
  expect(pushes()[0]?.['text']).toBe('Harbour (whole project: 5 of 5 devices)');

  for (const device of devices.slice(0, 3)) await connect(device);
  await keepOn(devices.slice(0, 3));
  expect((await listed(operator)).map((row) => row.active)).toEqual([true]);
  await connect(devices[3]!);
  await keepOn(devices.slice(0, 4));
  // The devices keep reporting, so that they do not go offline again on a slow machine.
  const rows = await eventually(async () => {
    world.clock.advance(1000);
    for (const device of devices.slice(0, 4)) await report(device);
    const list = await listed(operator);
    return list.some((row) => row.id === outage!.id && !row.active) && list;
  });
  expect(rows.filter((row) => row.active).map((row) => [row.device_id, row.typeNumber])).toEqual([
    [devices[4]!.id, 801],
  ]);
});

it('an outage that is reviewed while it is being written goes on until its devices are back', async () => {
  for (const device of devices) await leaves(device);
  const blocker = await world.pool.connect();
  const writersBlocked = async () => {
    const { rows } = await blocker.query(
      `select from pg_locks where relation = 'work_orders'::regclass and not granted`,
    );
    return rows.length;
  };
  await blocker.query('begin');
  await blocker.query('lock table work_orders in share mode');
  world.clock.advance(3 * minute);
  await becomes(writersBlocked, 1);
  world.clock.advance(minute);
  // These turns of the event loop are enough for a review that does not wait for the writer.
  for (let turn = 0; turn < 100; turn += 1) expect(await writersBlocked()).toBe(1);
  await blocker.query('commit');
  blocker.release();

  const outage = await outageSeen();
  expect(outage).toMatchObject({ typeNumber: 801, active: true, value: 100 });
  await eventually(async () => (await listed(operator, { suppressed: true })).length === 5);
  expect((await listed(operator)).map((row) => row.id)).toEqual([outage.id]);
  for (const device of devices) await connect(device);
  await keepOn(devices);
  const rows = await until((list) => list.every((row) => !row.active));
  expect(rows.map((row) => row.id)).toEqual([outage.id]);
});

it('supply-loss reports of most devices are one outage, which includes their offline alarms', async () => {
  for (const device of devices.slice(0, 4)) await report(device, 0);
  const outage = await outageSeen();
  expect(outage).toMatchObject({ typeNumber: 109, value: 80 });
  expect(await listed(operator)).toHaveLength(1);
  for (const device of devices.slice(0, 4)) await leaves(device);
  world.clock.advance(3 * minute);
  await eventually(async () => {
    world.clock.advance(1000);
    await report(devices[4]!);
    const rows = await listed(operator, { suppressed: true });
    return rows.filter((row) => row.typeNumber === 801).length === 4;
  });
  expect((await listed(operator)).map((row) => row.id)).toEqual([outage.id]);
});

it('a device that goes away long after the outage began is reported separately', async () => {
  for (const device of devices.slice(0, 4)) await report(device, 0);
  const outage = await outageSeen();
  world.clock.advance(70 * minute);
  const rows = await until((list) => list.some((row) => row.typeNumber === 801));
  expect(rows.map((row) => row.device_id)).toEqual([0, devices[4]!.id]);
  const members = await eventually(async () => {
    world.clock.advance(1000);
    const held = await listed(operator, { suppressed: true });
    return held.filter((row) => row.typeNumber === 801).length === 4 && held;
  });
  expect(new Set(members.map((row) => row.suppressed_by))).toEqual(new Set([outage.id]));
});

it('a few offline devices have separate alarms, and the project has none', async () => {
  for (const device of devices.slice(0, 3)) await leaves(device);
  for (let passed = 0; passed <= 3 * minute; passed += minute) {
    world.clock.advance(minute);
    for (const device of devices.slice(3)) await report(device);
  }
  const rows = await until((list) => list.length >= 3);
  expect(rows.map((row) => row.typeNumber)).toEqual([801, 801, 801]);
  expect(rows.some((row) => row.device_id === 0)).toBe(false);
});

it('a user of a part sees the outage of the whole project, but cannot handle it', async () => {
  for (const device of devices) await report(device, 0);
  const outage = await outageSeen(partManager);
  const { data } = await partManager.call('/device_warning/handle', { id: outage.id, content: 'seen' });
  expect(data).toMatchObject({ done: 0, denied: 1 });
  expect((await operator.call('/device_warning/handle', { id: outage.id, content: 'seen' })).data.done).toBe(
    1,
  );
});

it('a server that is restarted during an outage continues with the same alarm', async () => {
  for (const device of devices) await report(device, 0);
  const outage = await outageSeen();
  await world.restart();
  for (const device of devices) await connect(device);
  world.clock.advance(10_000);
  for (const device of devices) await report(device);
  const rows = await until((list) => list.every((row) => !row.active));
  expect(rows.map((row) => row.id)).toEqual([outage.id]);
});

it('alarms of a deleted device end within a minute and stay unprocessed', async () => {
  await report(devices[0]!, 0);
  const [alarm] = await until((rows) => rows.some((row) => row.active));
  await world.db
    .updateTable('devices')
    .set({ deleted_at: new Date(world.clock.now()) })
    .where('id', '=', devices[0]!.id)
    .execute();
  world.clock.advance(minute);
  const rows = await until((list) => list.every((row) => !row.active));
  expect(rows.map((row) => row.id)).toEqual([alarm!.id]);
});

it('an outage whose devices are all removed ends within a minute', async () => {
  for (const device of devices) await report(device, 0);
  await until((rows) => rows.some((row) => row.device_id === 0));
  await world.db
    .updateTable('devices')
    .set({ project_id: null })
    .where('project_id', '=', project.id)
    .execute();
  world.clock.advance(minute);
  await until((rows) => rows.some((row) => row.device_id === 0 && !row.active));
});
