import { readXlsx } from 'hucre/xlsx';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sentence } from '#contract/faults/codes.ts';
import { languages } from '#contract/languages.ts';
import { letters } from '#contract/permissions.ts';
import { firstDescription, firstName } from '#contract/role-names.ts';
import { liveListen } from '#server/live/listen.ts';
import { bindAll } from '#test/all-features.ts';
import { listenTo } from '#test/event-stream.ts';
import { makeProject, makeUser } from '#test/factories.ts';
import { eventually } from '#test/wait.ts';
import { type Client, createWorld, type World } from '#test/world.ts';

let world: World;
let admin: Client;
let top: number;
let manager: number;
let mine: Client;
let theirs: Client;
let ownProject: number;
let stop: () => void;
let serial = 0;

const role = (given: Record<string, unknown> = {}) => {
  serial += 1;
  return { name: `Role ${serial}`, description: 'Day shift', parent_id: top, letters: ['A', 'D'], ...given };
};
const add = async (client: Client, given: Record<string, unknown> = {}): Promise<number> => {
  const answer = await client.call('/role/add', role(given));
  expect(answer.data).toEqual({ role_id: expect.any(Number) });
  return answer.data.role_id;
};
const userOf = async (role_id: number, project_id: number): Promise<Client> => {
  const user = await makeUser(world.db, { role: 1, projects: [{ id: project_id }] });
  await world.db.updateTable('users').set({ role_id }).where('id', '=', user.id).execute();
  return world.as(user.id);
};
const listed = async (client: Client): Promise<Record<string, unknown>[]> =>
  (await client.call('/role/get_list')).data.list;
const rowOf = async (client: Client, role_id: number) =>
  (await listed(client)).find((row) => row['role_id'] === role_id);

beforeAll(async () => {
  world = await createWorld((serve, parts) => {
    bindAll(serve, parts);
    stop = liveListen(parts);
  });
  admin = await world.as((await makeUser(world.db, { role: 1 })).id);
  top = (await world.db.selectFrom('roles').select('id').where('code', '=', 1).executeTakeFirstOrThrow()).id;
  const [here, there] = [await makeProject(world.db), await makeProject(world.db, { region_id: 310000 })];
  manager = await add(admin, { name: 'Manager', letters: ['A', 'B', 'H', 'I'] });
  ownProject = here.id;
  mine = await userOf(manager, here.id);
  theirs = await userOf(manager, there.id);
});
afterAll(async () => {
  stop();
  await world.close();
});

it('the list of roles answers its total, and the page that is asked for', async () => {
  const whole = (await admin.call('/role/get_list')).data;
  expect(whole).toMatchObject({ total: whole.list.length, page: 1, limit: whole.list.length });
  expect((await admin.call('/role/get_list', { page: 2, limit: 2 })).data).toEqual({
    ...{ list: whole.list.slice(2, 4), total: whole.total, page: 2, limit: 2 },
  });
});

describe('the tree', () => {
  it('shows parents before their children, with the users of each role', async () => {
    const shift = await add(admin, { parent_id: manager, name: 'Shift' });
    const rows = await listed(admin);
    const ids = rows.map((row) => row['role_id']);
    expect(ids.indexOf(top)).toBeLessThan(ids.indexOf(manager));
    expect(ids.indexOf(manager)).toBeLessThan(ids.indexOf(shift));
    expect(await rowOf(admin, shift)).toMatchObject({
      name: 'Shift',
      parent_id: manager,
      parent_name: 'Manager',
      letters: ['A', 'D'],
      status: 'enabled',
      users: 0,
      editable: true,
    });
    expect(await rowOf(admin, manager)).toMatchObject({ users: 2 });
    expect(await rowOf(admin, top)).toMatchObject({ own: true, editable: false, letters: [...letters] });
  });

  it('the tree of roles begins with the reader’s own role', async () => {
    expect((await listed(mine))[0]).toMatchObject({ role_id: manager, parent_id: null, own: true });
    expect(await rowOf(mine, top)).toBeUndefined();
  });

  it('shows a role of the installation below the reader’s own, which they cannot change', async () => {
    const role_id = await add(admin, { parent_id: manager, name: 'Delivered', letters: ['A'] });
    await world.db.updateTable('roles').set({ owner_id: null }).where('id', '=', role_id).execute();
    expect(await rowOf(mine, role_id)).toMatchObject({ editable: false });
    expect(await rowOf(admin, role_id)).toMatchObject({ editable: true });
  });

  it('hides the roles of other tenants, by name and by id', async () => {
    const role_id = await add(theirs, { parent_id: manager, name: 'Secret works', letters: ['A'] });
    expect(JSON.stringify(await listed(mine))).not.toContain('Secret works');
    for (const [path, body] of [
      ['/role/edit', { role_id, name: 'Mine now' }],
      ['/role/set_status', { role_id, enabled: false }],
      ['/role/delete', { role_id }],
    ] as const) {
      const foreign = await mine.call(path, body);
      expect([foreign.status, foreign.msg]).toEqual([
        404,
        (await mine.call(path, { ...body, role_id: 999_999 })).msg,
      ]);
    }
    expect((await mine.call('/role/add', role({ parent_id: role_id, letters: ['A'] }))).status).toBe(422);
    expect(await rowOf(theirs, role_id)).toMatchObject({ editable: true });
    const assignable = await mine.call('/user/roles');
    expect(assignable.data.map((each: { role_id: number }) => each.role_id)).not.toContain(role_id);
    const assigned = (given: number) =>
      mine.call('/user/add', {
        ...{ username: `worker${given}`, nickname: '王小明', email: 'worker@example.org' },
        ...{ mobile: '13800000000', password: 'abc12345', role_id: given, project_id: ownProject },
      });
    const foreign = await assigned(role_id);
    expect([foreign.status, foreign.data]).toEqual([422, (await assigned(999_999)).data]);
    // A free name and one that another tenant took get the same answer.
    await add(mine, { parent_id: manager, name: 'Secret works', letters: ['A'] });
  });

  it('names and describes the built-in roles in the reader’s language, until a user changes the text', async () => {
    const regional = async (language: string) => {
      const { data } = await admin.call('/role/get_list', {}, { 'accept-language': language });
      const { role_id, name, description } = data.list.find((row: { role: number }) => row.role === 2);
      return { role_id, words: [name, description] };
    };
    await makeUser(world.db, { role: 2, enabled: false });
    await world.db
      .updateTable('roles')
      .set({ name: firstName(2), description: firstDescription(2) })
      .where('code', '=', 2)
      .execute();
    const { role_id, words } = await regional('ru-RU');
    expect(words).toEqual(['Региональный администратор', 'Объекты региона пользователя']);
    expect((await regional('zh-CN')).words).toEqual(['区域管理员', '所辖区域内的项目']);
    expect((await admin.call('/role/edit', { role_id, description: 'The south' })).status).toBe(200);
    expect((await regional('ru-RU')).words).toEqual(['Региональный администратор', 'The south']);
  });

  it('the tree of roles is exported', async () => {
    const { response } = await admin.call('/role/export', {}, { 'accept-language': 'en-US' });
    const [header] = (await readXlsx(response.rawPayload)).sheets[0]?.rows ?? [];
    expect(header?.slice(0, 2)).toEqual(['Role name', 'Parent role']);
  });
});

describe('the form', () => {
  it.each([
    ['name', ' ', 'role.name'],
    ['description', '', 'role.description'],
    ['parent_id', null, 'role.parent'],
    ['parent_id', 999_999, 'role.parent'],
    ['letters', [], 'role.letters'],
    ['letters', undefined, 'role.letters'],
    ['letters', ['Z'], 'role.letters'],
  ] as const)('refuses %s %j in three languages', async (field, value, code) => {
    for (const language of languages) {
      const answer = await admin.call('/role/add', role({ [field]: value }), { 'accept-language': language });
      expect(answer.status).toBe(422);
      expect(Object.values(answer.data)).toEqual([sentence(code, language)]);
    }
  });

  it('accepts a name once under a parent, and again under another', async () => {
    await add(admin, { name: 'Night shift' });
    expect((await admin.call('/role/add', role({ name: 'Night shift' }))).status).toBe(409);
    await add(admin, { name: 'Night shift', parent_id: manager });
  });

  it('refuses the role itself, or a role below it, as its parent', async () => {
    const one = await add(admin);
    const two = await add(admin, { parent_id: one });
    const three = await add(admin, { parent_id: two });
    for (const parent_id of [one, two, three])
      expect((await admin.call('/role/edit', { role_id: one, parent_id })).data).toEqual({
        parent_id: sentence('role.loop', 'zh-CN'),
      });
    expect((await admin.call('/role/edit', { role_id: three, parent_id: one })).status).toBe(200);
  });
});

describe('what no user may do', () => {
  it('no user may grant a letter that they lack, when adding or editing', async () => {
    expect((await mine.call('/role/add', role({ parent_id: manager, letters: ['A', 'C'] }))).status).toBe(
      403,
    );
    const role_id = await add(mine, { parent_id: manager, letters: ['A'] });
    const answer = await mine.call('/role/edit', { role_id, letters: [...letters] });
    expect([answer.status, answer.data]).toEqual([403, { letters: sentence('user.beyond', 'zh-CN') }]);
    expect((await rowOf(mine, role_id))?.['letters']).toEqual(['A']);
  });

  it('no user may change their own role, one above it, or one with more permissions', async () => {
    expect((await mine.call('/role/edit', { role_id: manager, letters: ['A'] })).status).toBe(409);
    expect((await mine.call('/role/set_status', { role_id: top, enabled: false })).status).toBe(404);
    const strong = await add(admin, { parent_id: manager, letters: ['A', 'L'] });
    expect((await mine.call('/role/edit', { role_id: strong, letters: ['A'] })).status).toBe(403);
    expect(
      (await mine.call('/user/roles')).data.map((each: { role_id: number }) => each.role_id),
    ).not.toContain(strong);
  });

  it('no user may change a role of the installation that other tenants also use', async () => {
    const shared = await add(admin, { parent_id: manager, letters: ['A'] });
    expect((await mine.call('/role/edit', { role_id: shared, letters: ['B'] })).status).toBe(409);
    expect((await mine.call('/role/set_status', { role_id: shared, enabled: false })).status).toBe(409);
  });

  it('no user may change letters or parent of a built-in role, delete it, or disable the administrators’ role', async () => {
    await makeUser(world.db, { role: 3, enabled: false });
    await world.db.updateTable('roles').set({ parent_id: top }).where('code', '=', 3).execute();
    const three = (await listed(admin)).find((row) => row['role'] === 3)!['role_id'];
    expect((await admin.call('/role/edit', { role_id: three, letters: ['A'] })).status).toBe(409);
    expect((await admin.call('/role/edit', { role_id: three, parent_id: manager })).status).toBe(409);
    expect((await admin.call('/role/delete', { role_id: three })).status).toBe(409);
    expect((await admin.call('/role/edit', { role_id: three, description: 'One site' })).status).toBe(200);
    expect((await admin.call('/role/set_status', { role_id: top, enabled: false })).status).toBe(409);
  });

  it('no user may delete a role in use, and the refusal names its users', async () => {
    const role_id = await add(admin, { name: 'In use' });
    const child = await add(admin, { name: 'Its child', parent_id: role_id });
    const client = await userOf(role_id, (await makeProject(world.db)).id);
    const { nickname } = await world.db
      .selectFrom('users')
      .select('nickname')
      .where('id', '=', client.userId)
      .executeTakeFirstOrThrow();
    const refused = await admin.call('/role/delete', { role_id }, { 'accept-language': 'en-US' });
    expect([refused.status, refused.msg]).toEqual([
      409,
      `The role is in use and cannot be deleted: ${nickname}, Its child. Move them to another role or delete them first`,
    ]);
    expect((await admin.call('/role/delete', { role_id: child })).status).toBe(200);
    expect((await admin.call('/user/delete', { ids: [client.userId] })).data.done).toBe(1);
    expect((await admin.call('/role/delete', { role_id })).status).toBe(200);
    expect(await rowOf(admin, role_id)).toBeUndefined();
  });
});

describe('what takes effect at once', () => {
  it('a call is refused as soon as its letter is removed from the role', async () => {
    const role_id = await add(admin, { letters: ['A', 'I'] });
    const client = await userOf(role_id, (await makeProject(world.db)).id);
    expect((await client.call('/user/get_list')).status).toBe(200);
    await admin.call('/role/edit', { role_id, letters: ['A'] });
    expect((await client.call('/user/get_list')).status).toBe(403);
  });

  it('disabling a role ends its sessions with -202 and closes their live streams', async () => {
    const role_id = await add(admin);
    const client = await userOf(role_id, (await makeProject(world.db)).id);
    await world.app.listen({ port: 0, host: '127.0.0.1' });
    const address = world.app.server.address();
    const port = typeof address === 'object' && address ? address.port : 0;
    const stream = await listenTo(`http://127.0.0.1:${port}/live`, client.token);
    expect(world.live.streamsOf(client.userId)).toBe(1);
    await admin.call('/role/set_status', { role_id, enabled: false });
    expect(world.heard('rights.changed')).toContainEqual({ roleId: role_id });
    await stream.ended;
    expect((await client.call('/sign_user/check_login')).code).toBe(-202);
  });

  it('a project that moves to another region leaves the open streams of the region’s administrator', async () => {
    const project = await makeProject(world.db, { region_id: 440305 });
    const client = await world.as((await makeUser(world.db, { role: 2, region_id: 440000 })).id);
    if (!world.app.server.listening) await world.app.listen({ port: 0, host: '127.0.0.1' });
    const address = world.app.server.address();
    const port = typeof address === 'object' && address ? address.port : 0;
    const stream = await listenTo(`http://127.0.0.1:${port}/live`, client.token);
    let device_id = 0;
    /** Whether an event of the project reaches the stream; the second event reaches every stream. */
    const reaches = async (): Promise<boolean> => {
      const id = ++device_id;
      world.live.send('settings', { device_id: id }, { projectId: project.id, partId: null });
      world.live.send('settings', { device_id: -id }, { projectId: null, partId: null, everyone: true });
      await stream.hears(({ data }) => data.device_id === -id);
      return stream.events.some(({ data }) => data.device_id === id);
    };
    expect(await reaches()).toBe(true);
    const edit = { project_id: project.id, revision: project.revision, region_id: 310000 };
    expect((await admin.call('/Project/edit_project', edit)).status).toBe(200);
    // Sooner than the streams load their sessions by themselves.
    await eventually(async () => !(await reaches()), { withinMs: 30_000 });
    stream.close();
  });
});
