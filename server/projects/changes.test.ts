import { readXlsx } from 'hucre/xlsx';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bindAll } from '#test/all-features.ts';
import { makeDevice, makePart, makeProject, makeUser } from '#test/factories.ts';
import { observe } from '#test/switches.ts';
import { type Client, createWorld, type World } from '#test/world.ts';

let world: World;
let admin: Client;
beforeAll(async () => {
  world = await createWorld((serve, parts) => bindAll(serve, parts));
  admin = await world.as((await makeUser(world.db, { role: 1 })).id);
  await makeUser(world.db, { role: 3 });
});
afterAll(() => world.close());

const english = { 'accept-language': 'en' };
const site = (given: object = {}) => ({
  name: 'Harbour Mill',
  region_id: 440305,
  contact_name: 'Li Wei',
  contact_phone: '+1 380 000-4711',
  password: 'mill2026x',
  ...given,
});
const get = async (client: Client, url: string) => {
  const response = await world.app.inject({
    method: 'GET',
    url,
    headers: { authorization: client.token, ...english },
  });
  return { status: response.statusCode, ...response.json<{ data: Record<string, unknown> }>() };
};
const formOf = (client: Client, id: number) => get(client, `/Project/edit_project?project_id=${id}`);

describe('a new project', () => {
  test('a new project is created together with its administrator’s account, which sees nothing else', async () => {
    await makeProject(world.db, { name: 'Somebody else' });
    const { status, data } = await admin.call('/Project/add_project', site());
    expect(status).toBe(200);
    expect(data).toMatchObject({
      username: '13800004711',
      project_codeid: expect.stringMatching(/^P\d{6}$/),
    });
    const owner = await world.as(data.user_id);
    const check = await owner.call('/sign_user/check_login');
    expect(check.data).toMatchObject({ role: 3, nickname: 'Li Wei', projectName: 'Harbour Mill' });
    const list = await owner.call('/Project/get_project_list', {}, english);
    expect(list.data.list).toHaveLength(1);
    expect(list.data.list[0]).toMatchObject({
      name: 'Harbour Mill',
      region: 'Guangdong, Shenzhen, Nanshan',
      time_zone: 'Asia/Shanghai',
      devices: 0,
      month_unprocessed_rate: null,
    });
    const signIn = await world.call('/sign_user/signin', { username: '13800004711', password: 'mill2026x' });
    expect(signIn.data).toMatchObject({ role: 3, projectName: 'Harbour Mill' });
    expect(await world.hears('project.changed')).toMatchObject({ projectId: data.project_id });
  });

  test('a new project has the point of its region if none is given', async () => {
    const { data } = await admin.call('/Project/add_project', site({ username: 'pointless' }));
    const region = await world.db
      .selectFrom('regions')
      .select(['lat', 'lng'])
      .where('id', '=', 440305)
      .executeTakeFirstOrThrow();
    expect((await formOf(admin, data.project_id)).data).toMatchObject(region);
  });

  test.each([
    [{ name: ' ' }, 'name', 'Enter the project name (60 characters at most)'],
    [{ region_id: 999 }, 'region_id', 'Choose the region'],
    [{ region_id: '' }, 'region_id', 'Choose the region'],
    [{ contact_phone: '123' }, 'contact_phone', 'The phone number has 11 digits'],
    [{ password: 'short' }, 'password', 'The password has 6 to 20 letters and digits, both of them'],
    [{ password: 'onlyletters' }, 'password', 'The password has 6 to 20 letters and digits, both of them'],
    [{ time_zone: 'Mars/Olympus' }, 'time_zone', 'There is no such time zone'],
    [{ lat: 22 }, 'lat', expect.stringContaining('Select a map first')],
  ])('a new project is refused with %o', async (wrong, field, message) => {
    const body = site({ username: `u${Math.random().toString(36).slice(2)}`, ...wrong });
    const { status, data } = await admin.call('/Project/add_project', body, english);
    expect([status, data]).toEqual([422, { [field]: message }]);
  });

  test('a project is not created if its account exists already', async () => {
    await makeUser(world.db, { role: 3, username: 'taken' });
    const answer = await admin.call(
      '/Project/add_project',
      site({ name: 'Ghost', username: 'Taken' }),
      english,
    );
    expect([answer.status, answer.data]).toEqual([409, { username: 'This username is taken' }]);
    const found = await admin.call('/Project/get_project_list', { project_name: 'Ghost' });
    expect(found.data.total).toBe(0);
  });

  test('a new project must lie within the region of a regional administrator; a project administrator cannot add one', async () => {
    const regional = await world.as((await makeUser(world.db, { role: 2, region_id: 440300 })).id);
    const body = site({ username: 'regional-1' });
    expect((await regional.call('/Project/add_project', body)).status).toBe(200);
    const outside = await regional.call('/Project/add_project', site({ region_id: 310000 }), english);
    expect(outside.data).toEqual({ region_id: 'The region lies outside yours' });
    const owner = await world.as((await makeUser(world.db, { role: 3 })).id);
    expect((await owner.call('/Project/add_project', site())).status).toBe(403);
  });
});

describe('editing a project', () => {
  test('editing a project changes the given fields and keeps the rest', async () => {
    const project = await makeProject(world.db, { name: 'Old name' });
    const before = (await formOf(admin, project.id)).data;
    const { data } = await admin.call('/Project/edit_project', {
      project_id: project.id,
      revision: 1,
      name: 'New name',
      detailed_address: 'Gate 3',
      area_m2: 1200.5,
      contract_kw: 250,
      time_zone: 'Asia/Urumqi',
    });
    const after = (await formOf(admin, project.id)).data;
    expect(after).toEqual({
      ...before,
      name: 'New name',
      detailed_address: 'Gate 3',
      area_m2: 1200.5,
      contract_kw: 250,
      time_zone: 'Asia/Urumqi',
      revision: 2,
    });
    expect(data).toMatchObject({ name: 'New name', revision: 2, region_ids: [440000, 440300, 440305] });
    expect(world.heard('project.changed')).toContainEqual({
      projectId: project.id,
      timeZone: 'Asia/Urumqi',
    });
  });

  test('a new time zone divides the energy of a project into days again; another edit does not', async () => {
    const project = await makeProject(world.db);
    const device = await makeDevice(world.db, { project_id: project.id });
    const waiting = async () =>
      (
        await world.db
          .selectFrom('rollup_rebuild')
          .innerJoin('lines', 'lines.id', 'rollup_rebuild.line_id')
          .select('lines.id')
          .where('lines.device_id', '=', device.id)
          .execute()
      ).length;
    const edit = (revision: number, given: object) =>
      admin.call('/Project/edit_project', { project_id: project.id, revision, ...given });
    await edit(1, { time_zone: 'Asia/Shanghai', name: 'Same zone' });
    expect(await waiting()).toBe(0);
    await edit(2, { time_zone: 'Europe/Moscow' });
    expect(await waiting()).toBeGreaterThan(0);
  });

  test('refuses an edit of a stale revision and keeps the first change', async () => {
    const project = await makeProject(world.db);
    const edit = (name: string) =>
      admin.call('/Project/edit_project', { project_id: project.id, revision: 1, name });
    expect((await edit('First')).status).toBe(200);
    expect(await edit('Second')).toMatchObject({ status: 409, data: { revision: 2 } });
    expect((await formOf(admin, project.id)).data['name']).toBe('First');
  });

  test('editing a project is for users who manage the whole project; only users who create projects change its region', async () => {
    const project = await makeProject(world.db);
    const part = await makePart(world.db, project.id);
    const owner = await world.as((await makeUser(world.db, { role: 3, projects: [{ id: project.id }] })).id);
    const ofPart = await world.as(
      (await makeUser(world.db, { role: 32, projects: [{ id: project.id, parts: [part.id] }] })).id,
    );
    const stranger = await world.as((await makeUser(world.db, { role: 3 })).id);
    const body = { project_id: project.id, revision: 1, address: 'Quay 1' };
    expect((await stranger.call('/Project/edit_project', body)).status).toBe(404);
    expect((await formOf(stranger, project.id)).status).toBe(404);
    expect((await ofPart.call('/Project/edit_project', body)).status).toBe(404);
    expect((await formOf(ofPart, project.id)).status).toBe(200);
    expect((await owner.call('/Project/edit_project', body)).status).toBe(200);
    const moved = { project_id: project.id, revision: 2, region_id: 310000 };
    expect((await owner.call('/Project/edit_project', moved)).status).toBe(403);
  });
});

describe('deleting projects', () => {
  test('deleting projects first shows what depends on them, and unbinds their devices', async () => {
    const project = await makeProject(world.db, { name: 'Doomed' });
    const device = await makeDevice(world.db, { project_id: project.id });
    const owner = await makeUser(world.db, { role: 3, projects: [{ id: project.id }] });
    const { data } = await admin.call('/project/dependents', { project_ids: [project.id] });
    expect(data.list).toEqual([
      {
        ...{ project_id: project.id, name: 'Doomed', devices: 1, lines_closed: 0, timers: 0 },
        ...{ unprocessed: 0, users: 1, users_left_without: 1, tags: 0 },
      },
    ]);
    const blind = await admin.call('/Project/delete_project', { project_ids: [project.id] }, english);
    expect(blind).toMatchObject({
      status: 409,
      msg: 'The selected projects have 1 devices, which would be unbound: check and confirm again',
    });
    const done = await admin.call('/Project/delete_project', { project_ids: [project.id], devices: 1 });
    expect(done.data.results).toEqual([{ id: project.id, result: 'done' }]);
    expect((await formOf(admin, project.id)).status).toBe(404);
    expect(
      await world.db
        .selectFrom('devices')
        .select(['project_id', 'bound_at'])
        .where('id', '=', device.id)
        .executeTakeFirst(),
    ).toEqual({ project_id: null, bound_at: null });
    expect(world.heard('device.changed')).toContainEqual({ deviceId: device.id, what: 'place' });
    const left = await world.as(owner.id);
    expect((await left.call('/Project/get_project_list')).data.total).toBe(0);
  });

  test('a project with a lock-out tag on any of its parts is not deleted, and the answer has the reason', async () => {
    const [tagged, free] = [await makeProject(world.db), await makeProject(world.db)];
    const device = await makeDevice(world.db, { project_id: tagged.id });
    await admin.call('/lockout_tag/add_tag', { line_id: device.lines[0]!.id, reason: 'Work on the busbar' });
    const answer = await admin.call(
      '/Project/delete_project',
      { project_ids: [tagged.id, free.id, 999_999], devices: 1 },
      english,
    );
    expect(answer.data.results).toEqual([
      {
        id: tagged.id,
        result: 'skipped',
        reason: 'project.tagged',
        message:
          'The project cannot be deleted: a lock-out tag is set on it, or on one of its devices or lines. Remove the tag first',
      },
      { id: free.id, result: 'done' },
      { id: 999_999, result: 'denied', reason: 'project.missing', message: 'Project does not exist' },
    ]);
    expect((await formOf(admin, tagged.id)).status).toBe(200);
  });

  test('treats a foreign project like an unknown one', async () => {
    const project = await makeProject(world.db, { region_id: 310000 });
    const regional = await world.as((await makeUser(world.db, { role: 2, region_id: 440000 })).id);
    const { data } = await regional.call('/Project/delete_project', { project_ids: [project.id] });
    expect(data.results[0]).toMatchObject({ result: 'denied', reason: 'project.missing' });
    expect((await regional.call('/project/dependents', { project_ids: [project.id] })).data.list).toEqual([]);
    expect((await formOf(admin, project.id)).status).toBe(200);
  });
});

test('parts can be added, renamed and deleted, but not while they contain something', async () => {
  const project = await makeProject(world.db);
  const owner = await world.as((await makeUser(world.db, { role: 3, projects: [{ id: project.id }] })).id);
  const { data: part } = await owner.call('/project/add_part', { project_id: project.id, name: 'Hall' });
  const again = await owner.call('/project/add_part', { project_id: project.id, name: 'Hall' }, english);
  expect(again.data).toEqual({ name: 'This name is taken' });
  await makeDevice(world.db, { project_id: project.id, part_id: part.part_id });
  await owner.call('/project/edit_part', { part_id: part.part_id, name: 'Hall 2' });
  const { data } = await owner.call('/project/get_parts', { project_id: project.id });
  expect(data.list).toEqual([
    { part_id: part.part_id, project_id: project.id, name: 'Hall 2', devices: 1, users: 0 },
  ]);
  const used = await owner.call('/project/delete_part', { part_id: part.part_id }, english);
  expect(used).toMatchObject({ status: 409, msg: expect.stringContaining('devices 1') });
  await world.db.updateTable('devices').set({ part_id: null }).where('project_id', '=', project.id).execute();
  expect((await owner.call('/project/delete_part', { part_id: part.part_id })).status).toBe(200);
  const stranger = await world.as((await makeUser(world.db, { role: 3 })).id);
  const foreign = await makePart(world.db, project.id);
  for (const path of ['/project/edit_part', '/project/delete_part'])
    expect(
      (await stranger.call(path, { part_id: foreign.id, ...(path.includes('edit') ? { name: 'x' } : {}) }))
        .status,
    ).toBe(404);
});

test('finds device numbers to bind, and gives the state of each', async () => {
  const [here, elsewhere] = [await makeProject(world.db), await makeProject(world.db, { name: 'Elsewhere' })];
  const [own, other] = [
    await makeDevice(world.db, { project_id: here.id }),
    await makeDevice(world.db, { project_id: elsewhere.id }),
  ];
  const unbound = await makeDevice(world.db);
  const numbers = [own.number, other.number, unbound.number, 'NOSUCH1'];
  const ask = async (client: Client) =>
    (await client.call('/project/find_devices', { project_id: here.id, numbers })).data.list.map(
      ({ state }: { state: string }) => state,
    );
  expect(await ask(admin)).toEqual(['here', 'elsewhere', 'unbound', 'missing']);
  const owner = await world.as((await makeUser(world.db, { role: 3, projects: [{ id: here.id }] })).id);
  expect(await ask(owner)).toEqual(['here', 'missing', 'missing', 'missing']);
});

test('the QR code holds the address of the project view, and the table list equals the list of projects', async () => {
  const project = await makeProject(world.db, { name: 'Quay' });
  const { data } = await admin.call(
    '/Project/qrcode',
    { project_id: project.id },
    { host: 'console.example' },
  );
  expect(data).toEqual({
    project_id: project.id,
    name: 'Quay',
    url: `http://console.example/home/configinfo?project_id=${project.id}`,
  });
  const [list, table] = [
    await admin.call('/Project/get_project_list', { project_name: 'Quay' }),
    await admin.call('/table_list', { project_name: 'Quay' }),
  ];
  expect(table.data).toEqual(list.data);
});

test('the regions begin with an entry for all at each level and have names in the language of the reader', async () => {
  const tree = async (language: string) =>
    (await admin.call('/sign_user/get_address', {}, { 'accept-language': language })).data;
  const [english, russian] = [await tree('en'), await tree('ru')];
  expect(english[0]).toMatchObject({ id: '', name: 'All', level: 0 });
  const guangdong = english.find(({ id }: { id: number }) => id === 440000);
  expect(guangdong).toMatchObject({ name: 'Guangdong', merger_name: '广东省', code: '440000', level: 1 });
  expect(guangdong.city[0]).toMatchObject({ id: '', pid: 440000 });
  expect(russian.find(({ id }: { id: number }) => id === 440000).city[1].name).toBe('Шэньчжэнь');
  expect((await tree('zh'))[0].name).toBe('全部');
});

test('the export has every project of the filter with all its fields', async () => {
  await makeProject(world.db, { name: '=Export me' });
  const response = await world.app.inject({
    method: 'POST',
    url: '/Project/export',
    headers: { authorization: admin.token, ...english },
    payload: { project_name: 'Export me' },
  });
  const [sheet] = (await readXlsx(response.rawPayload)).sheets;
  expect(sheet!.rows[0]).toEqual(expect.arrayContaining(['Project', 'Detailed address', 'Online rate (%)']));
  expect(sheet!.rows).toHaveLength(2);
  expect(sheet!.rows[1]).toContain('=Export me');
});

test('the diagram shows a site in the configured order, with the lines that the caller sees', async () => {
  const project = await makeProject(world.db);
  const part = await makePart(world.db, project.id, 'Roof');
  const first = await makeDevice(world.db, {
    project_id: project.id,
    part_id: part.id,
    lines: 2,
    online: true,
  });
  const second = await makeDevice(world.db, { project_id: project.id });
  const owner = await world.as((await makeUser(world.db, { role: 3, projects: [{ id: project.id }] })).id);
  const ofPart = await world.as(
    (await makeUser(world.db, { role: 32, projects: [{ id: project.id, parts: [part.id] }] })).id,
  );
  const shown = async (client: Client) =>
    (await client.call('/project/diagram', { project_id: project.id })).data.devices.map(
      ({ device_id, incoming }: { device_id: number; incoming: boolean }) => [device_id, incoming],
    );
  expect(await shown(owner)).toEqual([
    [first.id, false],
    [second.id, false],
  ]);
  const devices = [
    { device_id: second.id, incoming: true },
    { device_id: first.id, incoming: false },
  ];
  const arrange = (client: Client) =>
    client.call('/project/arrange_diagram', { project_id: project.id, devices });
  expect((await arrange(ofPart)).status).toBe(404);
  expect((await arrange(owner)).status).toBe(200);
  expect(await shown(owner)).toEqual([
    [second.id, true],
    [first.id, false],
  ]);
  expect(await shown(ofPart)).toEqual([[first.id, false]]);
  const { data } = await ofPart.call('/project/diagram', { project_id: project.id });
  expect(data.devices[0]).toMatchObject({
    part_name: 'Roof',
    online: true,
    lines: [
      { n: 1, state: 'unknown', current: null, worst: 0 },
      { n: 2, state: 'unknown', current: null, worst: 0 },
    ],
  });
  const stranger = await world.as((await makeUser(world.db, { role: 3 })).id);
  expect((await stranger.call('/project/diagram', { project_id: project.id })).status).toBe(404);
});

test('in the diagram a line whose newest readings carry no position is stale, while its values are fresh', async () => {
  const project = await makeProject(world.db);
  const device = await makeDevice(world.db, { project_id: project.id, online: true });
  const now = world.clock.now();
  const position_at = new Date(now - 3_600_000);
  await observe(world.db, device.lines[0]!.id, now, { position: 1, facts: { position_at } });
  const { data } = await admin.call('/project/diagram', { project_id: project.id });
  expect(data.devices[0].lines[0]).toMatchObject({
    state: 'closed',
    observed_at: position_at.toISOString(),
    stale: true,
    values_at: new Date(now).toISOString(),
    values_stale: false,
  });
});
