import { afterAll, beforeAll, expect, test } from 'vitest';
import { provePassword } from '#server/session/sign-in.ts';
import { makeAlarm } from '#test/alarm-factory.ts';
import { makeDevice, makePart, makeProject, makeUser } from '#test/factories.ts';
import { type Client, createWorld, type World } from '#test/world.ts';
import { projectRoutes } from './projects.routes.ts';

let world: World;
let admin: Client;
beforeAll(async () => {
  world = await createWorld((serve) => projectRoutes(serve, { publicUrl: null, provePassword }));
  admin = await world.as((await makeUser(world.db, { role: 1 })).id);
});
afterAll(() => world.close());

const names = (answer: { data: { list: { name: string }[] } }) => answer.data.list.map((row) => row.name);

test('projects show online rate, unprocessed alarms and the handling rate of the month', async () => {
  const project = await makeProject(world.db, { name: 'Alpha' });
  const device = await makeDevice(world.db, { project_id: project.id, online: true });
  await makeDevice(world.db, { project_id: project.id });
  const now = world.clock.now();
  await makeAlarm(world.pool, device, { at: now, code: 101, level: 1 });
  await makeAlarm(world.pool, device, { at: now, code: 201, handled: true });
  await makeAlarm(world.pool, device, { at: now - 30 * 86_400_000, code: 301, cleared: true });
  await makeProject(world.db, { name: 'Beta' });
  const { data } = await admin.call('/Project/get_project_list', { sort: 'name' });
  expect(data).toMatchObject({ total: 2, page: 1 });
  expect(data.list[0]).toMatchObject({
    name: 'Alpha',
    region: expect.any(String),
    devices: 2,
    devices_online: 1,
    online_rate: 0.5,
    unprocessed: 2,
    worst: 1,
    month_raised: 2,
    month_processed: 1,
    month_handling_rate: 0.5,
  });
  expect(data.list[1]).toMatchObject({
    name: 'Beta',
    devices: 0,
    online_rate: null,
    month_handling_rate: null,
  });
});

test('a project counts its lines by fresh reports, stale ones as unknown, and counts tripped lines', async () => {
  const project = await makeProject(world.db, { name: 'Lines' });
  const device = await makeDevice(world.db, { project_id: project.id, lines: 5 });
  const elsewhere = await makeDevice(world.db, { project_id: (await makeProject(world.db)).id });
  const now = world.clock.now();
  const report = (line: { id: number }, position: 0 | 1, ageMs: number, trip: number) =>
    world.db
      .insertInto('line_latest')
      .values({
        line_id: line.id,
        at: new Date(now - ageMs),
        received_at: new Date(now - ageMs),
        boot: 1,
        seq: 1,
        channels: [],
        position,
        position_at: new Date(now - ageMs),
        trip,
        trip_at: new Date(now - ageMs),
      })
      .execute();
  const day = 86_400_000;
  await report(device.lines[0]!, 1, 1000, 0);
  await report(device.lines[1]!, 0, 1000, 301);
  await report(device.lines[2]!, 1, day, 0);
  await report(device.lines[3]!, 0, day, 205);
  await report(elsewhere.lines[0]!, 1, 1000, 0);
  const { data } = await admin.call('/Project/get_project_list', { project_name: 'Lines' });
  expect(data.list).toMatchObject([
    {
      lines_closed: 1,
      lines_open: 1,
      lines_unknown: 3,
      lines_last_closed: 1,
      lines_tripped: 2,
      position_at: new Date(now - day).toISOString(),
    },
  ]);
  await world.db
    .updateTable('projects')
    .set({ deleted_at: new Date(now) })
    .where('id', 'in', (eb) =>
      eb.selectFrom('devices').select('project_id').where('id', 'in', [device.id, elsewhere.id]),
    )
    .execute();
});

test('projects are found by part of their name, and by region including its sub-regions', async () => {
  await makeProject(world.db, { name: 'Gamma', region_id: 310000 });
  const list = async (body: object) => names(await admin.call('/Project/get_project_list', body));
  expect(await list({ project_name: 'AMM' })).toEqual(['Gamma']);
  expect(await list({ region_id: 440000 })).toEqual(['Alpha', 'Beta']);
  expect(await list({ region_id: 310000, sort: '-name' })).toEqual(['Gamma']);
  expect(await list({ region_id: 440300, limit: 1, page: 2 })).toEqual(['Beta']);
});

test('a caller sees only their own projects, and of a shared project only their parts', async () => {
  const shared = await makeProject(world.db, { name: 'Delta' });
  const part = await makePart(world.db, shared.id, 'Hall');
  await makePart(world.db, shared.id, 'Roof');
  const gone = await makeProject(world.db, { name: 'Epsilon' });
  await world.db.updateTable('projects').set({ deleted_at: new Date() }).where('id', '=', gone.id).execute();
  const user = await makeUser(world.db, { role: 32, projects: [{ id: shared.id, parts: [part.id] }] });
  const client = await world.as(user.id);
  expect(names(await client.call('/Project/get_project_list'))).toEqual(['Delta']);
  const options = await client.call('/project/options', { name: 'elt' });
  expect(options.data.list).toEqual([
    { project_id: shared.id, name: 'Delta', parts: [{ part_id: part.id, name: 'Hall' }] },
  ]);
  expect(names(await client.call('/project/options', { project_id: shared.id }))).toEqual(['Delta']);
  expect(names(await admin.call('/project/options'))).toEqual(['Alpha', 'Beta', 'Delta', 'Gamma']);
});

test('a project lists its own tags, however many newer tags there are, and no tag of a single device', async () => {
  const project = await makeProject(world.db, { name: 'Tagged' });
  const device = await makeDevice(world.db, { project_id: project.id });
  const owner = await makeUser(world.db, { role: 3, projects: [project] });
  const set_at = new Date(world.clock.now());
  const tag = { owner_id: owner.id, set_at };
  await world.db
    .insertInto('lockout_tags')
    .values([
      { ...tag, project_id: project.id, reason: 'work on the busbar' },
      { ...tag, device_id: device.id, reason: 'work inside' },
    ])
    .execute();
  await world.pool.query(
    `insert into lockout_tags (project_id, reason, owner_id, set_at)
     select $1, 'newer ' || n, $2, $3::timestamptz + n * interval '1 second' from generate_series(1, 250) n`,
    [(await makeProject(world.db)).id, owner.id, set_at],
  );
  const { data } = await admin.call('/Project/get_project_list', { project_name: 'Tagged' });
  expect(data.list[0].tags).toEqual([
    { tag_id: expect.any(Number), reason: 'work on the busbar', owner: expect.any(String) },
  ]);
});
