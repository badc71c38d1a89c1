/** No call can be made by another site through the browser of a signed-in user. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { endpoints } from '#contract/endpoints.ts';
import { readConfig } from '#server/core/config.ts';
import { sessionRoutes } from '#server/session/session.routes.ts';
import { bindAll } from './all-features.ts';
import { makeUser } from './factories.ts';
import { testVault } from './vault.ts';
import { createWorld, testPassword, type World } from './world.ts';

let world: World;
beforeAll(async () => {
  world = await createWorld(bindAll);
});
afterAll(() => world.close());

const writing = endpoints.filter(
  ({ method, log, permission, writesWhen }) =>
    method === 'POST' && log !== undefined && permission !== 'public' && writesWhen === undefined,
);

describe('a call that writes, sent by a browser with its cookie', () => {
  let token: string;
  beforeAll(async () => {
    ({ token } = await world.as((await makeUser(world.db, { role: 1 })).id));
  });
  const send = async (path: string, headers: Record<string, string>) => {
    const { statusCode } = await world.app.inject({
      method: 'POST',
      url: path,
      payload: '',
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        cookie: `PHPSESSID=${token}`,
        ...headers,
      },
    });
    return statusCode;
  };
  it.each(writing.map(({ path }) => path))('%s is refused to another site', async (path) => {
    const serial = { 'accept-serial': crypto.randomUUID() };
    expect(await send(path, { 'sec-fetch-site': 'cross-site', ...serial })).toBe(403);
    expect(await send(path, { 'sec-fetch-site': 'same-site', ...serial })).toBe(403);
  });
  it.each(writing.filter(({ stream, upload }) => stream !== true && upload !== true).map(({ path }) => path))(
    '%s is refused without the header that no form can send',
    async (path) => expect(await send(path, {})).toBe(400),
  );
});

describe('the cookie of a session', () => {
  const deps = { captcha: false, vault: testVault, demo: false, map: readConfig({}).map };
  const code = { code: '0000', code_id: crypto.randomUUID() };
  let secure: World;
  beforeAll(async () => {
    secure = await createWorld((serve, { live }) =>
      sessionRoutes(serve, { ...deps, live, secureCookie: true }),
    );
  });
  afterAll(() => secure.close());

  it('gives a new session cookie at each sign-in, so that nobody can plant one', async () => {
    const { username } = await makeUser(secure.db, { role: 1 });
    const planted = 'p'.repeat(43);
    const signIn = (cookie: string) =>
      secure.call('/sign_user/signin', { username, password: testPassword, ...code }, { cookie });
    const first = (await signIn(`PHPSESSID=${planted}`)).data.token;
    const second = (await signIn(`PHPSESSID=${first}`)).data.token;
    expect(new Set([planted, first, second]).size).toBe(3);
    const check = (token: string) => secure.call('/sign_user/check_login', {}, { authorization: token });
    expect((await check(planted)).status).toBe(401);
    expect((await check(second)).status).toBe(200);
  });

  it('keeps the session cookie, and the mark of the browser, from scripts, other sites and plain HTTP', async () => {
    const { username } = await makeUser(secure.db, { role: 1 });
    const { response } = await secure.call('/sign_user/signin', {
      username,
      password: testPassword,
      ...code,
    });
    const cookies = [response.headers['set-cookie'] ?? []].flat();
    expect(cookies.map((cookie) => cookie.split('=')[0]).toSorted()).toEqual(['PHPSESSID', 'known_browser']);
    for (const cookie of cookies) {
      expect(cookie).toMatch(/; HttpOnly/);
      expect(cookie).toMatch(/; Secure/);
      expect(cookie).toMatch(/; SameSite=Strict/);
      expect(cookie).not.toMatch(/; Domain=/);
    }
  });
});

it('a parameter of an address that is given twice is refused at the field, not taken by chance', async () => {
  const { username } = await makeUser(world.db, { role: 1, auto_sign_in: true });
  const twice = `user=${username}&user=admin&pwd=${testPassword}`;
  const answer = await world.app.inject({ url: `/sign_user/signin?${twice}` });
  expect([answer.statusCode, answer.headers['set-cookie']]).toEqual([422, undefined]);
  const admin = await world.as((await makeUser(world.db, { role: 1 })).id);
  for (const { path } of endpoints.filter(({ method, path }) => method === 'GET' && path !== '/live')) {
    const id = crypto.randomUUID();
    const names = ['id', 'image_id', 'device_id', 'project_id', 'timer_id', 'name', 'volume', 'user', 'pwd'];
    const { statusCode } = await world.app.inject({
      url: `${path}?${names.flatMap((name) => [`${name}=${id}`, `${name}=1`]).join('&')}`,
      headers: { authorization: admin.token },
    });
    expect([path, statusCode >= 400 && statusCode < 500]).toEqual([path, true]);
  }
});
