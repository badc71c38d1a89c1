import { readXlsx } from 'hucre/xlsx';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sentence } from '#contract/faults/codes.ts';
import { makeAlarm } from '#test/alarm-factory.ts';
import { bindAll } from '#test/all-features.ts';
import { makeDevice, makePart, makeProject, makeUser } from '#test/factories.ts';
import { pngOf } from '#test/images.ts';
import { type Client, createWorld, type World } from '#test/world.ts';

let world: World;
let project: { id: number; name: string };
let part: { id: number };
let device: Awaited<ReturnType<typeof makeDevice>>;
let owner: Client;
let ofPart: Client;
let stranger: Client;
beforeAll(async () => {
  world = await createWorld((serve, parts) => bindAll(serve, parts));
  project = await makeProject(world.db, { name: 'Bay Tower' });
  part = await makePart(world.db, project.id);
  device = await makeDevice(world.db, { project_id: project.id, part_id: part.id, lines: 3 });
  owner = await world.as((await makeUser(world.db, { role: 3, projects: [{ id: project.id }] })).id);
  ofPart = await world.as(
    (await makeUser(world.db, { role: 32, projects: [{ id: project.id, parts: [part.id] }] })).id,
  );
  const other = await makeProject(world.db);
  stranger = await world.as((await makeUser(world.db, { role: 3, projects: [{ id: other.id }] })).id);
});
afterAll(() => world.close());

const english = { 'accept-language': 'en' };
const record = (given: object = {}) => ({
  project_id: project.id,
  device_id: device.id,
  kind: 'repair',
  maintenance_time: '2026-11-19T08:30:00Z',
  handler_name: 'Wang Jun',
  handler_phone: '139 0000 0202',
  content: 'Terminals tightened',
  ...given,
});
const add = (client: Client, given: object = {}) =>
  client.call('/maintenance/add_record', record(given), english);
const list = async (client: Client, filter: object = {}) =>
  (await client.call('/maintenance/get_list', filter)).data;
const upload = async (client: Client, bytes: number): Promise<string> => {
  const form = new FormData();
  form.append('file', new Blob([new Uint8Array(pngOf(bytes))]), 'x.png');
  const request = new Request('http://x/', { method: 'POST', body: form });
  const response = await world.app.inject({
    method: 'POST',
    url: '/upload/image',
    headers: { authorization: client.token, 'content-type': request.headers.get('content-type')! },
    payload: Buffer.from(await request.arrayBuffer()),
  });
  return response.json<{ data: { image_id: string } }>().data.image_id;
};
const image = (client: Client, id: string) =>
  world.app
    .inject({ url: `/upload/get?id=${id}`, headers: { authorization: client.token } })
    .then(({ statusCode }) => statusCode);

test('a record keeps all its fields, with lines and alarms under their names of that time', async () => {
  const alarm = await makeAlarm(world.pool, device, { at: world.clock.now(), code: 401, handled: true });
  const { status, data } = await add(owner, {
    address: 'Floor 3',
    fault_content: 'Terminal at 82 °C',
    result: 'Reading is normal',
    suggestion: 'Look again in a month',
    line_ids: [device.lines[1]!.id, device.lines[0]!.id],
    alarm_ids: [alarm],
  });
  expect(status).toBe(200);
  expect(data).toMatchObject({
    ...{ project_name: 'Bay Tower', part_id: part.id, device_number: device.number, kind: 'repair' },
    ...{ handler_phone: '13900000202', maintenance_time: '2026-11-19T08:30:00.000Z', revision: 1 },
    lines: [
      { line_id: device.lines[0]!.id, n: 1, name: 'Line 1' },
      { line_id: device.lines[1]!.id, n: 2, name: 'Line 2' },
    ],
    alarms: [{ id: alarm, typeNumber: 401 }],
  });
  await world.db
    .updateTable('lines')
    .set({ name: 'Renamed' })
    .where('id', '=', device.lines[0]!.id)
    .execute();
  const { data: again } = await owner.call('/maintenance/get_record', { record_id: data.record_id });
  expect(again).toEqual(data);
  expect((await list(owner, { alarm_id: alarm })).total).toBe(1);
});

test('a device that has left stays as it is in its records: none of its lines is added, none becomes inspected', async () => {
  const left = await makeDevice(world.db, { project_id: project.id, lines: 2 });
  const [line, other] = left.lines;
  const at = new Date(world.clock.now());
  await world.db
    .insertInto('line_trips')
    .values({
      ...{ line_id: line!.id, device_id: left.id, code: 301, grave: true },
      ...{ at, received_at: at },
    })
    .execute();
  const maintenance_time = at.toISOString();
  const given = { device_id: left.id, kind: 'routine', maintenance_time, line_ids: [line!.id] };
  const { data: before } = await add(owner, given);
  const there = await makeProject(world.db);
  const admin = await world.as((await makeUser(world.db, { role: 1 })).id);
  const moved = await admin.call('/Project/bind_device', { device_ids: [left.id], project_id: there.id });
  expect(moved.data.results).toMatchObject([{ result: 'done' }]);
  await world.db.updateTable('lines').set({ name: 'Their pump' }).where('device_id', '=', left.id).execute();
  const edit = (changes: object, revision = 1) =>
    owner.call(
      '/maintenance/edit_record',
      { ...record(given), ...changes, record_id: before.record_id, revision },
      english,
    );
  const earlier = new Date(world.clock.now() - 60_000).toISOString();
  for (const changes of [
    { kind: 'inspection' },
    { maintenance_time: earlier },
    { line_ids: [line!.id, other!.id] },
  ])
    expect(await edit(changes)).toMatchObject({
      status: 422,
      data: { device_id: sentence('maintenance.device', 'en-US') },
    });
  expect((await edit({ content: 'Terminals cleaned' })).data).toMatchObject({
    content: 'Terminals cleaned',
    lines: [{ name: 'Line 1' }],
  });
});

test('a record without an address has the address of its device, else of its project', async () => {
  await world.db.updateTable('projects').set({ address: 'Bay 1' }).where('id', '=', project.id).execute();
  const addressOf = async (given: object) => (await add(owner, given)).data.address;
  expect(await addressOf({})).toBe('Bay 1');
  await world.db
    .updateTable('devices')
    .set({ address: 'Bay 1, floor 2' })
    .where('id', '=', device.id)
    .execute();
  expect(await addressOf({})).toBe('Bay 1, floor 2');
  expect(await addressOf({ address: 'Roof' })).toBe('Roof');
  expect(await addressOf({ device_id: null })).toBe('Bay 1');
});

test.each([
  [{ content: ' ' }, 'content', 'Describe what was done (2000 characters at most)'],
  [{ handler_phone: '12' }, 'handler_phone', 'The phone number has 11 digits'],
  [
    { maintenance_time: '2031-01-01T00:00:00Z' },
    'maintenance_time',
    'The maintenance time lies in the future',
  ],
  [{ line_ids: [999_999] }, 'line_ids', 'A line does not belong to the chosen device'],
  [{ alarm_ids: [999_999] }, 'alarm_ids', 'An alarm does not belong to the project'],
  [{ device_id: 999_999 }, 'device_id', 'The project has no such device'],
  [{ before_images: [crypto.randomUUID()] }, 'before_images', 'There is no such image; upload it again'],
])('a record is refused with %o', async (wrong, field, message) => {
  const { status, data } = await add(owner, wrong);
  expect([status, data]).toEqual([422, { [field]: message }]);
});

describe('who sees a record', () => {
  test('a record is shown to users who manage its project, or the part of its device at the time', async () => {
    const { data: inPart } = await add(owner, { content: 'in the part' });
    const { data: whole } = await add(owner, { content: 'of the whole', device_id: null });
    const seen = async (client: Client, id: number) =>
      (await client.call('/maintenance/get_record', { record_id: id })).status;
    expect([await seen(ofPart, inPart.record_id), await seen(ofPart, whole.record_id)]).toEqual([200, 404]);
    expect([await seen(stranger, inPart.record_id), await seen(stranger, 999_999)]).toEqual([404, 404]);
    expect((await list(stranger)).total).toBe(0);
    expect(await add(ofPart, { device_id: null })).toMatchObject({
      status: 422,
      data: { device_id: 'You manage only parts of this project: choose a device in one of them' },
    });
    expect((await add(ofPart)).status).toBe(200);
    expect((await add(stranger)).status).toBe(404);
    for (const path of ['edit_record', 'del_record']) {
      const body = path === 'edit_record' ? { ...record(), revision: 1 } : {};
      const answer = await stranger.call(`/maintenance/${path}`, { ...body, record_id: inPart.record_id });
      expect(answer.status).toBe(404);
    }
  });

  test('a user who sees a record sees its images too; other users do not', async () => {
    const mine = await upload(owner, 900);
    const foreign = await upload(stranger, 901);
    expect((await add(owner, { after_images: [foreign] })).data).toHaveProperty('after_images');
    expect(await image(ofPart, mine)).toBe(404);
    const { data } = await add(owner, { before_images: [mine] });
    expect([await image(ofPart, mine), await image(stranger, mine)]).toEqual([200, 404]);
    // Another account of the project edits the record and keeps the image.
    const edited = await ofPart.call('/maintenance/edit_record', {
      ...record({ before_images: [mine], content: 'Edited' }),
      record_id: data.record_id,
      revision: 1,
    });
    expect(edited.data).toMatchObject({ before_images: [mine], content: 'Edited', revision: 2 });
    const stale = await owner.call('/maintenance/edit_record', {
      ...record(),
      record_id: data.record_id,
      revision: 1,
    });
    expect(stale).toMatchObject({ status: 409, data: { revision: 2 } });
    await owner.call('/maintenance/del_record', { record_id: data.record_id });
    expect(await image(ofPart, mine)).toBe(404);
  });
});

test('a record stays with its project when the device leaves, and can still be edited', async () => {
  const moved = await makeDevice(world.db, { project_id: project.id });
  const { data } = await add(owner, { device_id: moved.id, line_ids: [moved.lines[0]!.id] });
  const admin = await world.as((await makeUser(world.db, { role: 1 })).id);
  await admin.call('/Device/remove_device', { device_ids: [moved.id] });
  const edited = await owner.call('/maintenance/edit_record', {
    ...record({ device_id: moved.id, line_ids: [moved.lines[0]!.id], result: 'Fine' }),
    record_id: data.record_id,
    revision: 1,
  });
  expect(edited).toMatchObject({ status: 200, data: { device_number: moved.number, result: 'Fine' } });
});

test('the list is filtered by device, kind, handler, text and time, the newest first', async () => {
  await add(owner, {
    handler_name: 'Zhou Ting',
    kind: 'inspection',
    maintenance_time: '2026-11-01T00:00:00Z',
  });
  await add(owner, {
    handler_name: 'Zhou Ting',
    suggestion: '100% safe_',
    maintenance_time: '2026-10-01T00:00:00Z',
  });
  const contents = async (filter: object) =>
    (await list(owner, { handler: 'zhou', ...filter })).list.map(
      ({ maintenance_time }: { maintenance_time: string }) => maintenance_time.slice(0, 10),
    );
  expect(await contents({})).toEqual(['2026-11-01', '2026-10-01']);
  expect(await contents({ sort: 'maintenance_time' })).toEqual(['2026-10-01', '2026-11-01']);
  expect(await contents({ kind: 'inspection' })).toEqual(['2026-11-01']);
  expect(await contents({ keyword: '0% SAFE_' })).toEqual(['2026-10-01']);
  expect(await contents({ from: '2026-10-15T00:00:00Z' })).toEqual(['2026-11-01']);
  expect(await contents({ device_number: device.number.slice(2) })).toHaveLength(2);
});

test('the export holds what the filter shows, in the language of the reader', async () => {
  const response = await world.app.inject({
    method: 'POST',
    url: '/maintenance/export',
    headers: { authorization: owner.token, ...english },
    payload: { handler: 'zhou' },
  });
  const [sheet] = (await readXlsx(response.rawPayload)).sheets;
  expect(sheet!.rows).toHaveLength(3);
  expect(sheet!.rows[0]).toEqual(expect.arrayContaining(['Maintenance time', 'Handler', 'Suggestion']));
  expect(sheet!.rows[1]).toEqual(expect.arrayContaining(['Inspection', 'Zhou Ting', device.number]));
});
