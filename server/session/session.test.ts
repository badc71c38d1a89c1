import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { limits } from '#contract/limits.ts';
import { firstName } from '#contract/role-names.ts';
import { readConfig } from '#server/core/config.ts';
import { forget } from '#server/core/retention.ts';
import { hashToken } from '#server/core/session.ts';
import { operationLogRoutes } from '#server/operation-log/operation-log.routes.ts';
import { makeProject, makeUser } from '#test/factories.ts';
import { testVault } from '#test/vault.ts';
import { eventually } from '#test/wait.ts';
import { createWorld, testPassword, type World } from '#test/world.ts';
import { sessionRoutes } from './session.routes.ts';

let world: World;
const serial = () => ({ 'accept-serial': crypto.randomUUID() });

beforeAll(async () => {
  world = await createWorld((serve, { live }) => {
    sessionRoutes(serve, {
      live,
      captcha: true,
      secureCookie: false,
      vault: testVault,
      demo: false,
      map: readConfig({}).map,
    });
    operationLogRoutes(serve);
  });
});
afterAll(() => world.close());

/** A known code, because the picture is for people. */
const knownCode = async (code = '1234') => {
  const code_id = crypto.randomUUID();
  await world.db
    .insertInto('captchas')
    .values({
      id: code_id,
      answer_hash: hashToken(code_id + code),
      expires_at: new Date(world.clock.now() + limits.captchaMs),
    })
    .execute();
  return { code_id, code };
};

describe('signing in', () => {
  it('gives a token, the role, the letters and the first project, and sets a cookie that scripts cannot read', async () => {
    const project = await makeProject(world.db, { name: 'Bay Tower' });
    await makeUser(world.db, { role: 3, username: 'bay', projects: [project] });
    const answer = await world.call('/sign_user/signin', {
      username: 'BAY',
      password: testPassword,
      ...(await knownCode()),
    });
    expect(answer).toMatchObject({
      status: 200,
      code: 200,
      data: { role: 3, role_menu_auth: 'ABCDN', projectName: 'Bay Tower', project_id: project.id },
    });
    const cookie = String(answer.response.headers['set-cookie']);
    expect(cookie).toMatch(/^PHPSESSID=[\w-]{43}; .*HttpOnly; SameSite=Strict/);
    const stored = await world.db
      .selectFrom('sessions')
      .select('token_hash')
      .where('token_hash', '=', hashToken(answer.data.token))
      .execute();
    expect(stored).toHaveLength(1);
  });

  it('accepts form-encoded bodies with the same checks', async () => {
    await makeUser(world.db, { role: 1, username: 'former' });
    const answer = await world.call(
      '/login',
      new URLSearchParams({ username: 'former', password: testPassword, ...(await knownCode()) }).toString(),
      { 'content-type': 'application/x-www-form-urlencoded' },
    );
    expect(answer).toMatchObject({ status: 200, data: { role: 1 } });
  });

  it('marks each missing field in the language of the reader', async () => {
    const answer = await world.call('/sign_user/signin', {}, { 'accept-language': 'ru' });
    expect(answer).toMatchObject({
      status: 422,
      code: 422,
      data: { username: 'Введите логин', password: 'Введите пароль' },
    });
    const english = await world.call(
      '/sign_user/signin',
      { username: 'a', password: 'b', code: '12' },
      { cookie: 'language=en-US' },
    );
    expect(english.data).toMatchObject({ code: 'Enter the four-digit code' });
  });

  it('accepts a code once and forgets it after five wrong tries', async () => {
    await makeUser(world.db, { role: 1, username: 'coder' });
    const code = await knownCode();
    const attempt = (given: string) =>
      world.call('/sign_user/signin', {
        username: 'coder',
        password: testPassword,
        code_id: code.code_id,
        code: given,
      });
    for (let n = 0; n < limits.captchaTries; n += 1) expect((await attempt('0000')).status).toBe(422);
    expect((await attempt('1234')).status).toBe(422);
    const fresh = await knownCode();
    const once = () =>
      world.call('/sign_user/signin', { username: 'coder', password: testPassword, ...fresh });
    expect((await once()).status).toBe(200);
    expect((await once()).status).toBe(422);
  });

  it('offers a code in words, as sums and not digits, a limited number of times per network', async () => {
    const ask = () => world.call('/index/get_code', { alternative: true }, { cookie: 'language=en-US' });
    const { data } = await ask();
    expect(data.image).toBe('');
    const [, questions = ''] = /^Type four digits, one for each: (.*)$/.exec(data.question) ?? [];
    const numbers = 'zero one two three four five six seven eight nine ten'.split(' ');
    const digits = questions.split('; ').map((question: string) => {
      const [a = 0, b = 0] = question
        .split(' ')
        .map((word) => numbers.indexOf(word))
        .filter((number) => number >= 0);
      if (question.includes('plus')) return a + b;
      if (question.includes('minus')) return a - b;
      return question.includes('after') ? a + 1 : a - 1;
    });
    const attempt = { username: 'nobody', password: 'x', code: digits.join(''), code_id: data.code_id };
    expect(await world.call('/sign_user/signin', attempt, { cookie: 'language=en-US' })).toMatchObject({
      status: 422,
      msg: 'Account or password is wrong',
    });
    const statuses = [];
    for (let n = 0; n < 12; n += 1) statuses.push((await ask()).status);
    expect(statuses).toContain(429);
    world.clock.advance(120_000);
  });

  it('renders each captcha picture once and gives it to one reader', async () => {
    const answers = await Promise.all(Array.from({ length: 15 }, () => world.call('/index/get_code')));
    const images = answers.map(({ data }) => data.image as string);
    expect(images.every((image) => image.startsWith('data:image/png;base64,'))).toBe(true);
    expect(new Set(images).size).toBe(15);
  });

  it('delays repeated failures from one address without locking the owner out elsewhere', async () => {
    await makeUser(world.db, { role: 1, username: 'target' });
    const from = async (address: string, password: string) => {
      const response = await world.app.inject({
        method: 'POST',
        url: '/sign_user/signin',
        remoteAddress: address,
        payload: { username: 'target', password, ...(await knownCode()) },
      });
      return response;
    };
    for (let n = 0; n < 3; n += 1) expect((await from('10.0.0.1', 'wrong')).statusCode).toBe(422);
    const delayed = await from('10.0.0.1', testPassword);
    expect(delayed.statusCode).toBe(429);
    expect(Number(delayed.headers['retry-after'])).toBeGreaterThan(0);
    expect((await from('10.0.0.2', testPassword)).statusCode).toBe(200);
    world.clock.advance(60_000);
    expect((await from('10.0.0.1', testPassword)).statusCode).toBe(200);
  });

  it('checks simultaneous guesses one by one, with any capitals and from any address of a network', async () => {
    await makeUser(world.db, { role: 1, username: 'Quarry' });
    const codes = await Promise.all(Array.from({ length: 20 }, knownCode));
    const answers = await Promise.all(
      codes.map((code, n) =>
        world.app.inject({
          method: 'POST',
          url: '/sign_user/signin',
          remoteAddress: `2001:db8::${n + 1}`,
          payload: { username: n % 2 === 0 ? ' quarry' : 'QUARRY ', password: 'wrong', ...code },
        }),
      ),
    );
    const statuses = answers.map((answer) => answer.statusCode);
    expect(statuses.filter((status) => status === 422)).toHaveLength(3);
    expect(statuses.filter((status) => status === 429)).toHaveLength(17);
  });

  const signInFrom = async (
    address: string,
    username: string,
    password: string,
    cookies: Record<string, string> = {},
  ) =>
    world.app.inject({
      method: 'POST',
      url: '/sign_user/signin',
      remoteAddress: address,
      cookies,
      payload: { username, password, ...(await knownCode()) },
    });

  it('locks no network, however many sign-ins from it fail', async () => {
    await makeUser(world.db, { role: 1, username: 'colleague' });
    for (let n = 0; n < 40; n += 1)
      expect((await signInFrom('10.0.0.9', `typist${n}`, 'wrong')).statusCode).toBe(422);
    expect((await signInFrom('10.0.0.9', 'colleague', testPassword)).statusCode).toBe(200);
  });

  it('shows the delay after wrong passwords at the password field, and accepts the right password afterwards', async () => {
    const { id } = await makeUser(world.db, { role: 3 });
    const client = await world.as(id);
    const prove = (password: string) => client.call('/sign_user/confirm_password', { password });
    let answer = await prove('wrong1');
    for (let tries = 0; answer.status === 422 && tries < 20; tries += 1) answer = await prove('wrong1');
    expect(answer).toMatchObject({ status: 429, data: { password: answer.msg } });
    world.clock.advance(Number(/\d+/.exec(answer.msg)) * 1000);
    expect((await prove(testPassword)).status).toBe(200);
  });

  it('failed sign-ins from a network do not delay a signed-in user of that network who confirms a password', async () => {
    const user = await makeUser(world.db, { role: 1, username: 'switcher' });
    const client = await world.as(user.id);
    for (let n = 0; n < 4; n += 1) await signInFrom('127.0.0.1', 'switcher', 'wrong');
    for (let n = 0; n < 25; n += 1) await signInFrom('127.0.0.1', `passer${n}`, 'wrong');
    expect((await client.call('/sign_user/confirm_password', { password: testPassword })).status).toBe(200);
    world.clock.advance(60_000);
  });

  it('limits the guesses of an account over all networks, except in a browser that its user has used', async () => {
    await makeUser(world.db, { role: 1, username: 'prize' });
    const first = await signInFrom('10.1.0.1', 'prize', testPassword);
    const known = first.cookies.find(({ name }) => name === 'known_browser')!;
    expect(known).toMatchObject({ httpOnly: true, sameSite: 'Strict' });
    for (let n = 0; n < 100; n += 1)
      expect((await signInFrom(`10.2.${n}.1`, 'prize', 'wrong')).statusCode).toBe(422);
    const capped = await signInFrom('10.3.0.1', 'prize', testPassword);
    expect(capped.statusCode).toBe(429);
    expect(Number(capped.headers['retry-after'])).toBeLessThanOrEqual(900);
    const cookies = { known_browser: known.value };
    expect((await signInFrom('10.3.0.1', 'prize', testPassword, cookies)).statusCode).toBe(200);
    world.clock.advance(15 * 60_000);
    expect((await signInFrom('10.3.0.1', 'prize', testPassword)).statusCode).toBe(200);
  });

  it('shows failed sign-ins to administrators, by account and network, and keeps no password', async () => {
    await makeUser(world.db, { role: 1, username: 'Watched' });
    const admin = await world.as((await makeUser(world.db, { role: 1 })).id);
    for (let n = 0; n < 2; n += 1) await signInFrom('10.4.0.1', 'watched', 'wrong');
    await signInFrom('10.4.0.1', 'my-password-by-mistake', 'wrong');
    world.clock.advance(1000);
    await signInFrom('10.5.0.1', 'WATCHED', 'wrong');
    const { data } = await admin.call('/operation_log/failed_sign_ins', { limit: 3 });
    expect(data.list).toMatchObject([
      { account: 'Watched', network: '10.5.0.1', failures: 1 },
      { account: '', network: '10.4.0.1', failures: 1 },
      { account: 'Watched', network: '10.4.0.1', failures: 2 },
    ]);
    const other = await world.as((await makeUser(world.db, { role: 3 })).id);
    expect((await other.call('/operation_log/failed_sign_ins')).status).toBe(403);
  });

  it('signing in does not write failed sign-ins of strangers to the operation log', async () => {
    const rows = async () =>
      (
        await world.db
          .selectFrom('operation_log')
          .select((eb) => eb.fn.countAll<number>().as('n'))
          .executeTakeFirstOrThrow()
      ).n;
    const before = await rows();
    await world.call('/sign_user/preferences', { theme: 'dark' });
    await world.call('/sign_user/link', { link: 'x'.repeat(40) });
    await world.call('/sign_user/autologin', { user: 'nobody', pwd: 'x' });
    await signInFrom('10.6.0.1', 'nobody', 'wrong');
    await world.call('/sign_user/logout', {}, { usertoken: 'made up' });
    expect(await rows()).toBe(before);
  });

  it('leaves no temporary row behind', async () => {
    const user = await makeUser(world.db, { role: 1 });
    const client = await world.as(user.id);
    await client.call('/sign_user/preferences', {}, { 'accept-serial': crypto.randomUUID() });
    await world.call('/sign_user/signin', { username: 'nobody', password: 'x', ...(await knownCode()) });
    await world.call('/index/get_code');
    const left = async () => {
      const { rows } = await sql<{ left: number }>`
        select (select count(*) from serials) + (select count(*) from sessions) + (select count(*) from captchas)
          + (select count(*) from sign_in_tries) as left`.execute(world.db);
      return rows[0]!.left;
    };
    expect(await left()).toBeGreaterThanOrEqual(5);
    world.clock.advance(38 * 24 * 3_600_000);
    expect(await forget(world.db, 'sessions', world.clock.now())).toBeGreaterThanOrEqual(5);
    expect(await left()).toBe(0);
  });

  it('only accounts marked for automatic sign-in can sign in by query', async () => {
    await makeUser(world.db, { role: 1, username: 'wall', auto_sign_in: true });
    await makeUser(world.db, { role: 1, username: 'noWall' });
    const get = (user: string) =>
      world.app.inject({ method: 'GET', url: `/sign_user/signin?user=${user}&pwd=${testPassword}` });
    expect((await get('wall')).statusCode).toBe(200);
    expect((await get('noWall')).statusCode).toBe(403);
  });

  it('refuses an automatic sign-in with the same answer whether account, password or mark is wrong', async () => {
    await makeUser(world.db, { role: 1, username: 'screen', auto_sign_in: true });
    await makeUser(world.db, { role: 1, username: 'person' });
    const attempt = async (user: string, pwd: string) => {
      const { status, msg } = await world.call('/sign_user/autologin', { user, pwd });
      return [status, msg];
    };
    const refused = await attempt('nobody', 'wrong');
    expect(refused[0]).toBe(403);
    expect(await attempt('screen', 'wrong')).toEqual(refused);
    expect(await attempt('person', 'wrong')).toEqual(refused);
    expect(await attempt('person', testPassword)).toEqual(refused);
    expect((await attempt('screen', testPassword))[0]).toBe(200);
  });

  it('requires the code from a network after twenty failed automatic sign-ins', async () => {
    await makeUser(world.db, { role: 1, username: 'lobby', auto_sign_in: true });
    const attempt = (user: string, pwd: string) =>
      world.app.inject({
        method: 'POST',
        url: '/sign_user/autologin',
        remoteAddress: '10.7.0.1',
        headers: { 'accept-language': 'en' },
        payload: { user, pwd },
      });
    for (let n = 0; n < 20; n += 1) await attempt(`lobby${n}`, 'wrong');
    const refused = await attempt('lobby', testPassword);
    expect([refused.statusCode, refused.json().msg]).toEqual([
      403,
      'Too many failed sign-ins from this network: sign in on the sign-in page with the code',
    ]);
    expect((await signInFrom('10.7.0.1', 'lobby', testPassword)).statusCode).toBe(200);
  });

  it('accepts a one-time link once', async () => {
    const user = await makeUser(world.db, { role: 1 });
    const link = 'a-link-of-enough-length';
    await world.db
      .insertInto('one_time_links')
      .values({
        token_hash: hashToken(link),
        user_id: user.id,
        expires_at: new Date(world.clock.now() + 1000),
      })
      .execute();
    expect((await world.call('/sign_user/link', { link })).status).toBe(200);
    expect((await world.call('/sign_user/link', { link })).status).toBe(401);
    // A mistyped link is refused like a used one: no field of the form is wrong.
    expect((await world.call('/sign_user/link', { link: 'mistyped' })).status).toBe(401);
  });
});

describe('a session', () => {
  it('a session is refused without a token, with an invalid one, and after each way it can end', async () => {
    const user = await makeUser(world.db, { role: 1 });
    expect(await world.call('/sign_user/check_login')).toMatchObject({ status: 401, code: 401 });
    expect(await world.call('/sign_user/check_login', {}, { usertoken: 'nonsense' })).toMatchObject({
      status: 401,
      code: 401,
    });
    const idle = await world.as(user.id);
    world.clock.advance(limits.sessionIdleMs);
    expect((await idle.call('/sign_user/check_login')).code).toBe(401);
    const busy = await world.as(user.id);
    for (let spent = 0; spent < limits.sessionMs; spent += limits.sessionIdleMs / 2) {
      await busy.call('/sign_user/check_login');
      world.clock.advance(limits.sessionIdleMs / 2);
    }
    expect((await busy.call('/sign_user/check_login')).code).toBe(50014);
    const disabled = await world.as(user.id);
    await world.db.updateTable('users').set({ enabled: false }).where('id', '=', user.id).execute();
    expect((await disabled.call('/sign_user/check_login')).code).toBe(-202);
  });

  it('takes the token from the header Authorization, then from usertoken, then from the cookie', async () => {
    const first = await world.as((await makeUser(world.db, { role: 1, username: 'first' })).id);
    const second = await world.as((await makeUser(world.db, { role: 1, username: 'second' })).id);
    const who = async (headers: Record<string, string>) =>
      (await world.call('/sign_user/check_login', {}, headers)).data?.username;
    expect(await who({ authorization: first.token, usertoken: second.token })).toBe('first');
    expect(await who({ usertoken: second.token, cookie: `PHPSESSID=${first.token}` })).toBe('second');
    expect(await who({ cookie: `PHPSESSID=${first.token}` })).toBe('first');
  });

  it('a session is the only one of its user if the installation requires it', async () => {
    await makeUser(world.db, { role: 1, username: 'only' });
    const signIn = async () => {
      const { data } = await world.call('/sign_user/signin', {
        username: 'only',
        password: testPassword,
        ...(await knownCode()),
      });
      return (path: string) => world.call(path, {}, { usertoken: data.token });
    };
    const [first, second] = [await signIn(), await signIn()];
    expect((await first('/sign_user/check_login')).status).toBe(200);
    await world.pool.query(
      `insert into settings (key, value, updated_at) values ('session', '{"singleSession": true, "blockZoom": false}', now())`,
    );
    const third = await signIn();
    expect((await first('/sign_user/check_login')).code).toBe(50012);
    expect((await second('/sign_user/check_login')).code).toBe(50012);
    expect((await third('/sign_user/check_login')).data).toMatchObject({ block_zoom: false });
    const { id } = await makeUser(world.db, { role: 1 });
    const links = Array.from({ length: 8 }, (_, n) => `one-of-several-links-${n}`);
    await world.db
      .insertInto('one_time_links')
      .values(
        links.map((link) => ({
          token_hash: hashToken(link),
          user_id: id,
          expires_at: new Date(world.clock.now() + 1000),
        })),
      )
      .execute();
    await Promise.all(links.map((link) => world.call('/sign_user/link', { link })));
    const open = await world.db
      .selectFrom('sessions')
      .select('user_id')
      .where('user_id', '=', id)
      .where('ended_as', 'is', null)
      .execute();
    expect(open).toHaveLength(1);
    await world.pool.query(`update settings set value = '"nonsense"' where key = 'session'`);
    expect((await third('/sign_user/check_login')).data).toMatchObject({ block_zoom: true });
    await world.pool.query(`delete from settings where key = 'session'`);
  });

  it('names the same project as the answer of the sign-in, with its contact', async () => {
    const project = await makeProject(world.db, { name: 'Harbour Tower' });
    const client = await world.as((await makeUser(world.db, { role: 3, projects: [project] })).id);
    const { data } = await client.call('/sign_user/user_info', { is_edit: 0 });
    expect(data).toMatchObject({
      role_menu_auth: 'ABCDN',
      project_id: project.id,
      projectName: 'Harbour Tower',
      project_username: 'Li Wei',
      project_phone: expect.stringMatching(/^\d{11}$/),
      project_codeid: expect.stringMatching(/^P/),
      project_add_time: expect.any(String),
    });
    const alone = await world.as((await makeUser(world.db, { role: 1 })).id);
    expect((await alone.call('/sign_user/user_info', { is_edit: 0 })).data).toMatchObject({
      project_id: null,
      projectName: '',
    });
  });

  it('names a built-in role in the reader’s language until a user renames it', async () => {
    const client = await world.as((await makeUser(world.db, { role: 3 })).id);
    const called = (name: string) =>
      world.db.updateTable('roles').set({ name }).where('code', '=', 3).execute();
    const roleName = async () =>
      (await client.call('/sign_user/user_info', {}, { 'accept-language': 'en-US' })).data.role_name;
    await called(firstName(3));
    expect(await roleName()).toBe('Project administrator');
    await called('Caretaker');
    expect(await roleName()).toBe('Caretaker');
  });

  it('a change of the password ends the user’s sessions in all other browsers', async () => {
    const user = await makeUser(world.db, { role: 1 });
    const here = await world.as(user.id);
    const elsewhere = await world.as(user.id);
    const wrong = await here.call(
      '/sign_user/change_password',
      { old_password: testPassword, new_password: 'short', repeat_password: 'short' },
      { cookie: 'language=en-US' },
    );
    expect(wrong).toMatchObject({
      status: 422,
      data: { new_password: 'The password has 6 to 12 digits and letters' },
    });
    expect(
      (
        await here.call('/sign_user/change_password', {
          old_password: testPassword,
          new_password: 'xyz98765',
          repeat_password: 'xyz98765',
        })
      ).status,
    ).toBe(200);
    expect((await here.call('/sign_user/check_login')).status).toBe(200);
    expect((await elsewhere.call('/sign_user/check_login')).code).toBe(-202);
    expect(world.heard('session.ended')).toContainEqual({ userId: user.id });
  });

  it('a sign-in with the old password that is under way during the change opens no session that lasts', async () => {
    const { id, username } = await makeUser(world.db, { role: 1 });
    const owner = await world.as(id);
    const signIn = async () =>
      world.call('/sign_user/signin', { username, password: testPassword, ...(await knownCode()) });
    await world.call('/sign_user/signin', { username, password: 'wrong1', ...(await knownCode()) });
    const waiting = async () =>
      (
        await sql`select from pg_stat_activity where datname = current_database()
          and wait_event_type = 'Lock'`.execute(world.db)
      ).rows.length;
    let signingIn: ReturnType<typeof signIn> | undefined;
    let changing: ReturnType<typeof owner.call> | undefined;
    // The sign-in has found the password right, and waits for its own count of failures.
    await world.db.transaction().execute(async (trx) => {
      await trx
        .selectFrom('sign_in_tries')
        .select('key')
        .where('key', 'like', `${username}@%`)
        .forUpdate()
        .execute();
      signingIn = signIn();
      await eventually(async () => (await waiting()) === 1);
      let isChanged = false;
      changing = owner
        .call('/sign_user/change_password', {
          old_password: testPassword,
          new_password: 'xyz98765',
          repeat_password: 'xyz98765',
        })
        .finally(() => {
          isChanged = true;
        });
      await eventually(async () => (await waiting()) === 2 || isChanged);
    });
    expect((await changing)?.status).toBe(200);
    const { data } = (await signingIn)!;
    const answer = await world.call('/sign_user/check_login', {}, { authorization: data?.token ?? 'none' });
    expect(answer.status).toBe(401);
  });
  it('accepts any characters but no common password under the strong policy', async () => {
    const client = await world.as((await makeUser(world.db, { role: 1, username: 'careful' })).id);
    await world.pool.query(
      `insert into settings (key, value, updated_at) values ('session', '{"passwordPolicy": "strong"}', now())`,
    );
    expect((await client.call('/sign_user/check_login')).data.password_policy).toBe('strong');
    const change = async (password: string) =>
      client.call(
        '/sign_user/change_password',
        { old_password: testPassword, new_password: password, repeat_password: password },
        { 'accept-language': 'en' },
      );
    expect((await change('short 7')).data).toEqual({ new_password: 'The password has 8 to 64 characters' });
    for (const password of ['Password123!', 'careful2026', '12345678', 'aaaaaaaa', 'qwertyuiop', 'abcabcabc'])
      expect([password, (await change(password)).data]).toEqual([
        password,
        { new_password: 'This password is too common; choose one that is harder to guess' },
      ]);
    expect((await change('пять дубов у реки')).status).toBe(200);
    await world.pool.query(`delete from settings where key = 'session'`);
  });

  it('limits password guesses in an open session', async () => {
    const client = await world.as((await makeUser(world.db, { role: 1 })).id);
    const guess = () =>
      client.call('/sign_user/change_password', {
        old_password: 'guess123',
        new_password: 'xyz98765',
        repeat_password: 'xyz98765',
      });
    for (let tries = 0; tries < 3; tries += 1) {
      const { status, data } = await guess();
      expect({ status, fields: Object.keys(data) }).toEqual({ status: 422, fields: ['old_password'] });
    }
    expect((await guess()).status).toBe(429);
    world.clock.advance(3000);
  });
});

describe('text that no table can store', () => {
  it('text that no table can store is refused, and an unknown path gets the normal answer', async () => {
    const client = await world.as((await makeUser(world.db, { role: 1 })).id);
    const deep = `{"theme":${'['.repeat(100_000)}${']'.repeat(100_000)}}`;
    expect((await client.call('/sign_user/user_info', { is_edit: true, nickname: 'a\0b' })).status).toBe(422);
    expect((await client.call('/sign_user/preferences', deep)).status).toBe(400);
    expect(await client.call('/nowhere?secret=1')).toMatchObject({ status: 404, code: 404, data: null });
  });
});

describe('a write', () => {
  it('a write with the cookie alone needs a serial', async () => {
    const { token } = await world.as((await makeUser(world.db, { role: 1 })).id);
    const headers = { cookie: `PHPSESSID=${token}` };
    expect((await world.call('/sign_user/preferences', { theme: 'dark' }, headers)).status).toBe(400);
    expect(
      (await world.call('/sign_user/preferences', { theme: 'dark' }, { ...headers, ...serial() })).status,
    ).toBe(200);
  });

  it('a write that repeats a serial gets the first answer again and does nothing twice', async () => {
    const client = await world.as((await makeUser(world.db, { role: 1 })).id);
    const headers = serial();
    const logged = () =>
      world.db.selectFrom('operation_log').select('id').where('user_id', '=', client.userId).execute();
    const answers = await Promise.all(
      [1, 2, 3].map(() => client.call('/sign_user/preferences', { density: 'dense' }, headers)),
    );
    expect(answers.map((answer) => answer.data)).toEqual(Array(3).fill({ density: 'dense' }));
    expect(await logged()).toHaveLength(1);
    expect((await client.call('/sign_user/preferences', { density: 'comfortable' }, headers)).status).toBe(
      409,
    );
  });

  it('a write is in the operation log with its parameters and without its secrets', async () => {
    const client = await world.as((await makeUser(world.db, { role: 1 })).id);
    await client.call('/sign_user/confirm_password', { password: testPassword });
    const row = await world.db
      .selectFrom('operation_log')
      .selectAll()
      .where('user_id', '=', client.userId)
      .executeTakeFirstOrThrow();
    expect(row).toMatchObject({ key: 'session.confirm', outcome: 'done', channel: 'api', parameters: {} });
    expect(JSON.stringify(row)).not.toContain(testPassword);
  });

  it('refuses unknown fields and malformed bodies, and names them', async () => {
    const client = await world.as((await makeUser(world.db, { role: 1 })).id);
    expect(
      (await client.call('/sign_user/preferences', { theme: 'dark', colour: 'red' })).data,
    ).toHaveProperty('colour');
    expect((await client.call('/sign_user/preferences', '{"theme":')).status).toBe(400);
  });
});
