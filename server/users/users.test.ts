import * as fc from 'fast-check';
import { readXlsx } from 'hucre/xlsx';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sentence } from '#contract/faults/codes.ts';
import { languages } from '#contract/languages.ts';
import { accountOf } from '#server/core/account.ts';
import { lockPeople } from '#server/core/authority.ts';
import { holds } from '#server/core/scope.ts';
import { bindAll } from '#test/all-features.ts';
import { makePart, makeProject, makeUser } from '#test/factories.ts';
import { eventually } from '#test/wait.ts';
import { type Client, createWorld, type World } from '#test/world.ts';

let world: World;
let admin: Client;
let here: { id: number };
let there: { id: number };
let part: { id: number };
/** Managers of two tenants: with letters H and I among others, each with their own project. */
let mine: Client;
let theirs: Client;
let managerRole: number;
let workerRole: number;
let serial = 0;

const roleOf = async (userId: number) =>
  (await world.db.selectFrom('users').select('role_id').where('id', '=', userId).executeTakeFirstOrThrow())
    .role_id;
const form = (given: Record<string, unknown> = {}) => {
  serial += 1;
  return {
    username: `person${serial}`,
    nickname: '王小明',
    email: `person${serial}@example.org`,
    mobile: '13812345678',
    password: 'abc123',
    role_id: workerRole,
    project_id: here.id,
    ...given,
  };
};
const add = async (client: Client, given: Record<string, unknown> = {}): Promise<number> => {
  const answer = await client.call('/user/add', form(given));
  expect(answer.data).toEqual({ user_id: expect.any(Number) });
  return answer.data.user_id;
};
const makeRole = async (name: string, letters: string, parent_id: number): Promise<number> => {
  const answer = await admin.call('/role/add', {
    name,
    description: name,
    parent_id,
    letters: [...letters],
  });
  return answer.data.role_id;
};

beforeAll(async () => {
  world = await createWorld(bindAll);
  admin = await world.as((await makeUser(world.db, { role: 1, username: 'root' })).id);
  const top = await roleOf(admin.userId);
  for (const role of [2, 3, 32]) await makeUser(world.db, { role, enabled: false });
  await world.db.updateTable('roles').set({ parent_id: top }).where('code', 'in', [2, 3, 32]).execute();
  here = await makeProject(world.db, { name: 'Here' });
  there = await makeProject(world.db, { name: 'There', region_id: 310000 });
  part = await makePart(world.db, here.id, 'East wing');
  managerRole = await makeRole('Manager', 'ABCDHI', top);
  workerRole = await makeRole('Worker', 'AB', managerRole);
  mine = await world.as(await add(admin, { role_id: managerRole, project_id: here.id, username: 'mine' }));
  theirs = await world.as(
    await add(admin, { role_id: managerRole, project_id: there.id, username: 'theirs' }),
  );
});
afterAll(() => world.close());

describe('the list', () => {
  it('shows every field but the password, with labels, area and project', async () => {
    const user_id = await add(admin, { nickname: '李雷' });
    const { data } = await admin.call('/user/get_list', { search: '李雷' });
    expect(data.total).toBe(1);
    expect(data.list[0]).toMatchObject({
      user_id,
      nickname: '李雷',
      role_name: 'Worker',
      label: null,
      mobile: '13812345678',
      area: '广东省深圳市南山区',
      projects: [{ project_id: here.id, name: 'Here', parts: [] }],
      status: 'enabled',
      auto_sign_in: false,
      sessions: 0,
    });
    expect(JSON.stringify(data)).not.toMatch(/argon2|abc123/);
    expect((await admin.call('/user/get_list', { search: 'root' })).data.list[0]).toMatchObject({
      label: 'superadmin',
      own: true,
      projects: [],
    });
    expect(
      (await admin.call('/user/get_list', { status: 'disabled', sort: 'username' })).data.list[0],
    ).toMatchObject({
      label: 'admin',
    });
  });

  it('filters by role, project, area and status, and pages', async () => {
    const of = async (body: object) => (await admin.call('/user/get_list', body)).data;
    const workers = await of({ role_id: workerRole, project_id: here.id });
    expect(workers.total).toBeGreaterThan(0);
    expect((await of({ role_id: workerRole, project_id: there.id })).total).toBe(0);
    expect(
      (await of({ role_id: managerRole, region_id: 310000 })).list.map(
        (row: { username: string }) => row.username,
      ),
    ).toEqual(['theirs']);
    const page = await of({ limit: 1, page: 2, sort: 'created_at' });
    expect(page.list).toHaveLength(1);
  });

  it('finds a part of the name, user name, email or phone, of any length, script and case', async () => {
    const user_id = await add(mine, {
      ...{ username: 'Zhao.Min', nickname: '赵敏', email: 'ZM_7@example.org', mobile: '13700002468' },
    });
    const ids = async (search: string, by = mine) =>
      (await by.call('/user/get_list', { search })).data.list.map((row: { user_id: number }) => row.user_id);
    for (const search of ['赵', '赵敏', 'o.m', 'zh', 'ZHAO', 'hao.min', 'zm_7@', '02468', '68'])
      expect(await ids(search), search).toContain(user_id);
    for (const search of ['敏赵', 'zm%7', 'zmx7', '%', 'o_m', '赵敏13'])
      expect(await ids(search), search).toEqual([]);
    expect(await ids('赵敏', theirs)).toEqual([]);
  });

  it('the list of users has the same order on all pages, for administrators and for tenants', async () => {
    const names = async (by: Client, body: object): Promise<string[]> =>
      (await by.call('/user/get_list', body)).data.list.map((row: { username: string }) => row.username);
    for (const by of [admin, mine])
      for (const sort of ['username', '-username', 'nickname', '-nickname', 'created_at', '-created_at']) {
        const whole = await names(by, { sort, limit: 200 });
        const pages: string[] = [];
        for (let page = 1; pages.length < whole.length; page++)
          pages.push(...(await names(by, { sort, limit: 3, page })));
        expect(pages, sort).toEqual(whole);
        expect(
          await names(by, { sort: sort.startsWith('-') ? sort.slice(1) : `-${sort}`, limit: 200 }),
        ).toEqual(whole.toReversed());
      }
    expect((await mine.call('/user/get_list', { page: 99 })).data).toMatchObject({ list: [] });
  });

  it('the list of users is exported with a header in the reader’s language', async () => {
    const { response } = await admin.call('/user/export', { search: 'root' }, { 'accept-language': 'ru-RU' });
    const [header, row] = (await readXlsx(response.rawPayload)).sheets[0]?.rows ?? [];
    expect(header).toContain('Имя пользователя');
    expect(row).toContain('root');
  });

  it('lists the first projects of a user and counts all of them; the details list every project', async () => {
    const projects = await world.db
      .insertInto('projects')
      .values(
        Array.from({ length: 60 }, (_, index) => ({
          ...{
            code: `MANY${index}`,
            name: `Many ${String(index).padStart(2, '0')}`,
            region_id: 440_305,
          },
          ...{ lat: 22, lng: 113, joined_at: new Date(world.clock.now()) },
        })),
      )
      .returning('id')
      .execute();
    const { id, username } = await makeUser(world.db, { role: 3, projects });
    const { data } = await admin.call('/user/get_list', { search: username });
    expect(data.list[0].project_count).toBe(60);
    expect(data.list[0].projects.map(({ name }: { name: string }) => name)).toEqual([
      ...['Many 00', 'Many 01', 'Many 02'],
    ]);
    expect((await admin.call('/user/detail', { user_id: id })).data.user.projects).toHaveLength(60);
    for (const [language, more] of [
      ['zh-CN', '; 等，另有 10 个'],
      ['en-US', '; and 10 more'],
      ['ru-RU', '; и ещё 10'],
    ] as const) {
      const { response } = await admin.call(
        '/user/export',
        { search: username },
        { 'accept-language': language },
      );
      const [, row] = (await readXlsx(response.rawPayload)).sheets[0]?.rows ?? [];
      const cell = row?.find((value) => String(value).startsWith('Many 00; Many 01'));
      expect(String(cell)).toContain(`Many 49${more}`);
    }
  });

  it('shows a tenant’s manager their own people only, and themselves', async () => {
    const user_id = await add(theirs, { project_id: there.id, username: 'foreigner' });
    const names = async (client: Client) =>
      (await client.call('/user/get_list', { limit: 200 })).data.list.map(
        (row: { username: string }) => row.username,
      );
    expect(await names(theirs)).toEqual(['foreigner', 'theirs']);
    expect(await names(mine)).not.toContain('foreigner');
    expect(await names(mine)).not.toContain('root');
    expect((await mine.call('/user/detail', { user_id })).status).toBe(404);
  });
});

describe('the form', () => {
  it.each([
    ['username', ' ', 'user.username'],
    ['username', 'a b', 'user.usernameForm'],
    ['nickname', '', 'user.nickname'],
    ['nickname', '王', 'name.real'],
    ['nickname', '一二三四五六七八', 'name.real'],
    ['role_id', '', 'user.role'],
    ['email', '', 'user.email'],
    ['email', 'nobody', 'email.form'],
    ['mobile', '', 'user.mobile'],
    ['mobile', '1380000000', 'phone.digits'],
    ['password', '', 'user.password'],
    ['password', 'abc12', 'password.addLength'],
    ['password', 'abcdef', 'password.addLength'],
    ['password', '123456', 'password.addLength'],
    ['password', 'abc123-', 'password.addLength'],
    ['password', 'a1'.repeat(11), 'password.addLength'],
    ['project_id', null, 'user.project'],
    ['project_id', 999_999, 'user.project'],
  ] as const)('refuses %s %j in three languages', async (field, value, code) => {
    for (const language of languages) {
      const answer = await admin.call('/user/add', form({ [field]: value }), { 'accept-language': language });
      expect(answer.status).toBe(422);
      expect(answer.data).toEqual({ [field]: sentence(code, language) });
    }
  });

  it('accepts a password of 20 letters and digits, and signs the user in with it', async () => {
    await add(admin, { username: 'fresh', password: 'a1'.repeat(10) });
    const answer = await world.call('/sign_user/signin', { username: 'fresh', password: 'a1'.repeat(10) });
    expect(answer.data).toMatchObject({ project_id: here.id, projectName: 'Here' });
  });

  it('asks each role for its own region or project', async () => {
    const ids = new Map(
      (await world.db.selectFrom('roles').select(['id', 'code']).execute()).map(({ id, code }) => [code, id]),
    );
    const given = async (role: number, place: object) =>
      (await admin.call('/user/add', form({ role_id: ids.get(role), project_id: undefined, ...place }))).data;
    expect(await given(1, { project_id: here.id })).toHaveProperty('project_id');
    expect(await given(2, {})).toHaveProperty('region_id');
    expect(await given(2, { region_id: 440000 })).toHaveProperty('user_id');
    expect(await given(3, { region_id: 440000 })).toHaveProperty('project_id');
    expect(await given(3, { project_id: here.id, part_ids: [part.id] })).toHaveProperty('part_ids');
    expect(await given(32, { project_id: here.id })).toHaveProperty('part_ids');
    expect(await given(32, { project_id: there.id, part_ids: [part.id] })).toHaveProperty('part_ids');
    const user = await given(32, { project_id: here.id, part_ids: [part.id] });
    expect((await accountOf(world.db, user.user_id))?.scope).toMatchObject({
      projectIds: [],
      partIds: [part.id],
    });
  });

  it('refuses a username that is taken, with any capitals', async () => {
    const answer = await admin.call('/user/add', form({ username: 'ROOT' }));
    expect([answer.status, answer.data]).toEqual([409, { username: sentence('user.taken', 'zh-CN') }]);
    const own = await mine.call('/user/add', form({ username: 'Mine' }));
    expect([own.status, own.data]).toEqual([409, { username: sentence('user.taken', 'zh-CN') }]);
  });

  it('does not say that an account of another tenant has the username, and refuses only a few of them', async () => {
    const manager = await world.as(await add(admin, { role_id: managerRole, project_id: here.id }));
    const refused = [409, { username: sentence('user.elsewhere', 'zh-CN') }];
    const user_id = await add(manager);
    const added = await manager.call('/user/add', form({ username: 'Theirs' }));
    expect([added.status, added.data]).toEqual(refused);
    const renamed = await manager.call('/user/edit', { user_id, username: 'theirs' });
    expect([renamed.status, renamed.data]).toEqual(refused);
    for (let time = 0; time < 18; time += 1)
      expect((await manager.call('/user/edit', { user_id, username: 'root' })).status).toBe(409);
    expect((await manager.call('/user/add', form())).status).toBe(429);
    expect((await manager.call('/user/edit', { user_id, username: 'theirs' })).status).toBe(429);
    expect((await manager.call('/user/edit', { user_id, nickname: '李雷' })).status).toBe(200);
  });

  it('does not say that the administrator of a new project would have the username of another account', async () => {
    const region = await world.as((await makeUser(world.db, { role: 2, region_id: 440000 })).id);
    const project = {
      ...{ name: 'New', region_id: 440305, address: 'Street 1', contact_name: '王小明' },
      ...{ contact_phone: '13812345679', password: 'abc123' },
    };
    const tried = await region.call('/Project/add_project', { ...project, username: 'theirs' });
    expect([tried.status, tried.data]).toEqual([409, { username: sentence('user.elsewhere', 'zh-CN') }]);
  });

  it('requires 8 to 64 characters and no common password under the strong policy, in every call that sets a password', async () => {
    await world.db
      .insertInto('settings')
      .values({ key: 'session', value: JSON.stringify({ passwordPolicy: 'strong' }), updated_at: new Date() })
      .execute();
    try {
      const user_id = await add(admin, { password: 'correct horse battery' });
      const flaw = async (password: string) =>
        (await admin.call('/user/reset_password', { user_id, password, repeat_password: password })).data;
      expect(await flaw('abc1234')).toEqual({ password: sentence('password.strongLength', 'zh-CN') });
      expect(await flaw('password123')).toEqual({ password: sentence('password.common', 'zh-CN') });
      expect(await flaw('staple of a tower')).toEqual({});
      const added = await admin.call('/user/add', form({ password: 'qwertyuiop' }));
      expect(added.data).toEqual({ password: sentence('password.common', 'zh-CN') });
    } finally {
      await world.db.deleteFrom('settings').where('key', '=', 'session').execute();
    }
  });

  it('refuses an edit of a row that another user changed meanwhile', async () => {
    const user_id = await add(admin);
    expect((await admin.call('/user/edit', { user_id, revision: 1, nickname: '韩梅梅' })).status).toBe(200);
    expect((await admin.call('/user/edit', { user_id, revision: 1, nickname: '李雷' })).status).toBe(409);
  });

  it('withdraws the confirmation of a number when the number changes', async () => {
    const user_id = await add(admin);
    await world.db
      .updateTable('users')
      .set({ mobile_proved_at: new Date() })
      .where('id', '=', user_id)
      .execute();
    await admin.call('/user/edit', { user_id, nickname: '韩梅梅' });
    const confirmed = async () => (await admin.call('/user/detail', { user_id })).data.user.mobile_confirmed;
    expect(await confirmed()).toBe(true);
    await admin.call('/user/edit', { user_id, mobile: '+7 (912) 345-67-89' });
    expect(await confirmed()).toBe(false);
  });
});

describe('what takes effect at once', () => {
  const opened = async (given: Record<string, unknown> = {}) => {
    const user_id = await add(admin, given);
    const client = await world.as(user_id);
    expect((await client.call('/sign_user/check_login')).status).toBe(200);
    return { user_id, client };
  };
  const codeOf = async (client: Client) => (await client.call('/sign_user/check_login')).code;

  it('signs a user out with -202 when disabled, deleted, moved, given another role or another password', async () => {
    const changes: [string, (user_id: number) => object][] = [
      ['/user/set_status', (user_id) => ({ user_id, enabled: false })],
      ['/user/delete', (user_id) => ({ ids: [user_id] })],
      ['/user/edit', (user_id) => ({ user_id, project_id: there.id })],
      ['/user/edit', (user_id) => ({ user_id, role_id: managerRole, project_id: here.id })],
      ['/user/reset_password', (user_id) => ({ user_id, password: 'xyz789', repeat_password: 'xyz789' })],
      ['/user/end_session', (user_id) => ({ user_id })],
    ];
    for (const [path, body] of changes) {
      const { user_id, client } = await opened();
      expect((await admin.call(path, body(user_id))).status, path).toBe(200);
      expect(await codeOf(client), path).toBe(-202);
      expect(world.heard('session.ended')).toContainEqual({ userId: user_id });
    }
  });

  it('a disabled account cannot sign in until it is enabled again', async () => {
    const { user_id } = await opened({ username: 'paused' });
    const signIn = async () =>
      (await world.call('/sign_user/signin', { username: 'paused', password: 'abc123' })).status;
    await admin.call('/user/set_status', { user_id, enabled: false });
    expect(await signIn()).toBe(403);
    await admin.call('/user/set_status', { user_id, enabled: true });
    expect(await signIn()).toBe(200);
  });

  it('lists a user’s sessions and signs out one of them', async () => {
    const { user_id, client } = await opened();
    await world.as(user_id);
    const { data } = await admin.call('/user/sessions', { user_id });
    expect(data).toHaveLength(2);
    expect((await admin.call('/user/end_session', { user_id, id: data[0].id })).data).toEqual({ done: 1 });
    expect((await admin.call('/user/sessions', { user_id })).data).toHaveLength(1);
    expect((await mine.call('/user/sessions', { user_id: admin.userId })).status).toBe(404);
    expect([200, -202]).toContain(await codeOf(client));
  });

  it('frees the name of a deleted account', async () => {
    const user_id = await add(admin, { username: 'again' });
    expect((await admin.call('/user/delete', { ids: [user_id] })).data).toMatchObject({ done: 1, denied: 0 });
    await add(admin, { username: 'again' });
  });
});

describe('what no user may do', () => {
  it('no user may delete, disable or move their own account', async () => {
    const user_id = admin.userId;
    expect((await admin.call('/user/set_status', { user_id, enabled: false })).status).toBe(409);
    expect(
      (await admin.call('/user/edit', { user_id, role_id: workerRole, project_id: here.id })).status,
    ).toBe(409);
    const removed = await admin.call('/user/delete', { ids: [user_id] });
    expect(removed.data).toMatchObject({ done: 0, denied: 1, results: [{ result: 'denied' }] });
  });

  it('no user may leave the installation without an enabled administrator', async () => {
    const [one, two] = await Promise.all(
      ['last-one', 'last-two'].map(async (username) => {
        const user = await makeUser(world.db, { role: 1, username });
        return world.as(user.id);
      }),
    );
    await admin.call('/user/edit', { user_id: admin.userId, nickname: '根用户' });
    // Both disable the other one and everybody else at the same time: one administrator must remain.
    await Promise.all([
      one!.call('/user/delete', { ids: [admin.userId, two!.userId] }),
      two!.call('/user/delete', { ids: [admin.userId, one!.userId] }),
    ]);
    const left = await world.db
      .selectFrom('users')
      .innerJoin('roles', 'roles.id', 'users.role_id')
      .select('users.id')
      .where('roles.code', '=', 1)
      .where('users.enabled', '=', true)
      .where('users.deleted_at', 'is', null)
      .execute();
    expect(left).toHaveLength(1);
    const stays = left[0]!.id === one!.userId ? one! : two!;
    await world.db
      .updateTable('users')
      .set({ enabled: true, deleted_at: null })
      .where('id', '=', admin.userId)
      .execute();
    admin = await world.as(admin.userId);
    expect((await admin.call('/user/delete', { ids: [stays.userId] })).data.done).toBe(1);
  });

  it('no user can mark a platform administrator for automatic sign-in', async () => {
    const user = await makeUser(world.db, { role: 1 });
    expect((await admin.call('/user/edit', { user_id: user.id, auto_sign_in: true })).status).toBe(409);
    const worker = await add(admin, { username: 'wallboard', auto_sign_in: true });
    expect((await admin.call('/user/detail', { user_id: worker })).data.user.auto_sign_in).toBe(true);
    await admin.call('/user/delete', { ids: [user.id] });
  });

  it('no user may reach an account of another tenant by its id, through any field', async () => {
    const user_id = await add(theirs, { project_id: there.id });
    const before = await world.db
      .selectFrom('users')
      .selectAll()
      .where('id', '=', user_id)
      .executeTakeFirst();
    const calls: [string, object][] = [
      ['/user/detail', { user_id }],
      ['/user/sessions', { user_id }],
      ['/user/edit', { user_id, nickname: '韩梅梅' }],
      ['/user/edit', { user_id, role_id: workerRole, project_id: here.id }],
      ['/user/set_status', { user_id, enabled: false }],
      ['/user/reset_password', { user_id, password: 'abc1234', repeat_password: 'abc1234' }],
      ['/user/end_session', { user_id }],
    ];
    for (const [path, body] of calls) {
      const foreign = await mine.call(path, body);
      const unknown = await mine.call(path, { ...body, user_id: 999_999 });
      expect([foreign.status, foreign.msg], path).toEqual([404, unknown.msg]);
    }
    expect((await mine.call('/user/delete', { ids: [user_id] })).data).toMatchObject({ done: 0 });
    expect((await mine.call('/user/add', form({ project_id: there.id }))).data).toEqual({
      project_id: sentence('user.project', 'zh-CN'),
    });
    expect((await mine.call('/user/add', form({ project_id: undefined, region_id: 310000 }))).status).toBe(
      422,
    );
    expect((await mine.call('/user/get_list', { project_id: there.id })).data.total).toBe(0);
    expect(
      await world.db.selectFrom('users').selectAll().where('id', '=', user_id).executeTakeFirst(),
    ).toEqual(before);
  });

  it('no user may manage users of their own or a higher role, or give those roles', async () => {
    const peer = await add(admin, { role_id: managerRole });
    expect(
      (
        await mine.call('/user/reset_password', {
          user_id: peer,
          password: 'abc1234',
          repeat_password: 'abc1234',
        })
      ).status,
    ).toBe(404);
    for (const role_id of [managerRole, await roleOf(admin.userId)])
      expect((await mine.call('/user/add', form({ role_id }))).data).toEqual({
        role_id: sentence('user.role', 'zh-CN'),
      });
    const worker = await add(mine);
    expect(
      (await mine.call('/user/edit', { user_id: worker, role_id: managerRole, project_id: here.id })).status,
    ).toBe(422);
  });

  it('no user may give permissions in a session with an old password check, without giving the password again', async () => {
    const old = await world.as(await add(admin, { role_id: managerRole }));
    await world.db
      .updateTable('sessions')
      .set({ authenticated_at: new Date(world.clock.now() - 3_600_000) })
      .where('user_id', '=', old.userId)
      .execute();
    const body = form();
    const refused = await old.call('/user/add', body);
    expect([refused.status, refused.data]).toEqual([409, { reason: 'password_needed' }]);
    expect((await old.call('/user/add', { ...body, own_password: 'wrong1' })).data).toEqual({
      own_password: expect.any(String),
    });
    expect((await old.call('/user/add', { ...body, password: 'short' })).data).toEqual({
      password: sentence('password.addLength', 'zh-CN'),
    });
    expect((await old.call('/user/add', { ...body, own_password: 'abc123' })).status).toBe(200);
  });

  it('no user creates or edits an account with more rights or projects than their own', async () => {
    const roles = (await world.db.selectFrom('roles').select(['id', 'code']).execute()).map(({ id }) => id);
    const managers = [mine, theirs];
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(0, 1),
        fc.constantFrom(...roles, 999_999),
        fc.constantFrom(null, here.id, there.id),
        fc.constantFrom(null, 440000, 440305, 310000),
        fc.subarray([part.id, 1, 2]),
        fc.boolean(),
        async (who, role_id, project_id, region_id, part_ids, edits) => {
          const client = managers[who]!;
          const project = who === 0 ? here : there;
          const given = { role_id, project_id, region_id, part_ids };
          let userId: number;
          if (edits) {
            userId = await add(client, { project_id: project.id });
            await client.call('/user/edit', { user_id: userId, ...given });
          } else {
            const answer = await client.call('/user/add', form(given));
            if (answer.status !== 200) return;
            userId = answer.data.user_id;
          }
          const account = (await accountOf(world.db, userId))!;
          const own = (await accountOf(world.db, client.userId))!;
          expect([...account.permissions].filter((one) => !own.permissions.has(one))).toEqual([]);
          expect(account.scope.all).toBe(false);
          if (account.scope.all) return;
          for (const id of account.scope.projectIds) expect(holds(own.scope, id, null)).toBe(true);
          for (const id of account.scope.partProjectIds) expect(holds(own.scope, id, null)).toBe(true);
        },
      ),
      { numRuns: 60 },
    );
  });

  it('no user may use a permission that was removed during their call', async () => {
    const role = await makeRole('Short-lived', 'ABHI', await roleOf(admin.userId));
    const client = await world.as(await add(admin, { role_id: role }));
    let answer: Promise<{ status: number }> | undefined;
    await world.db.transaction().execute(async (trx) => {
      await lockPeople(trx);
      answer = client.call('/role/add', { name: 'X', description: 'X', parent_id: role, letters: ['A'] });
      await eventually(async () => {
        const { rows } = await sql<{ waits: boolean }>`
          select count(*) > 0 as waits from pg_locks where locktype = 'advisory' and not granted`.execute(
          world.db,
        );
        return rows[0]?.waits;
      });
      await trx.updateTable('roles').set({ letters: 'AB' }).where('id', '=', role).execute();
    });
    expect((await answer)?.status).toBe(403);
  });
});
