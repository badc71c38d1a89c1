import { expect, it } from 'vitest';
import { readConfig } from '#server/core/config.ts';
import { storeSetting } from '#server/core/installation-settings.ts';
import { sessionRoutes } from '#server/session/session.routes.ts';
import { provePassword } from '#server/session/sign-in.ts';
import { userRoutes } from '#server/users/users.routes.ts';
import { makeUser } from '#test/factories.ts';
import { noticeWorld } from '#test/notice-world.ts';
import { testVault } from '#test/vault.ts';
import { type Client, testPassword } from '#test/world.ts';

const house = noticeWorld((serve, live) => {
  const map = readConfig({}).map;
  sessionRoutes(serve, { captcha: false, secureCookie: false, vault: testVault, demo: false, map, live });
  userRoutes(serve, { vault: testVault, provePassword });
});
const { add, device, passes, raise, subscribe } = house;

const english = { 'accept-language': 'en-US' };
const accept = async (answer: Promise<{ status: number; msg: string }>) => {
  const { status, msg } = await answer;
  expect(status, msg).toBe(200);
};
/** Paths of the consoles that a new alarm for the user reaches. */
const reached = async (userId: number) => {
  house.service.heard.length = 0;
  await add(house.admin, { channel: 'app', user_ids: [userId], project_ids: [house.project.id] });
  await raise(await device());
  await passes(1000);
  return house.service.heard.map(({ path }) => path).sort();
};
const messagesOf = async (client: Client): Promise<{ title: string; text: string }[]> =>
  (await client.call('/system_message/index', { type: 'system' }, english)).data.list;

interface Way {
  readonly user: Client;
  readonly old: Client;
  readonly username: string;
}
const everywhere = { own: [], old: [] };
const ways: readonly (readonly [
  what: string,
  act: (way: Way) => Promise<unknown>,
  still: { own: string[]; old: string[] },
])[] = [
  [
    'the user changes the password',
    ({ user }) =>
      accept(
        user.call('/sign_user/change_password', {
          old_password: testPassword,
          new_password: 'another1',
          repeat_password: 'another1',
        }),
      ),
    { own: ['/push/own'], old: [] },
  ],
  [
    'the user ends the session',
    async ({ user }) => {
      const { data } = await user.call('/sign_user/sessions');
      const { id } = data.find(({ current }: { current: boolean }) => !current);
      await accept(user.call('/sign_user/end_session', { id }));
    },
    { own: ['/push/own'], old: [] },
  ],
  [
    'an administrator resets the password',
    ({ user }) =>
      accept(
        house.admin.call('/user/reset_password', {
          user_id: user.userId,
          password: 'another1',
          repeat_password: 'another1',
          own_password: testPassword,
        }),
      ),
    everywhere,
  ],
  [
    'an administrator ends all sessions',
    ({ user }) => accept(house.admin.call('/user/end_session', { user_id: user.userId })),
    everywhere,
  ],
  [
    'an administrator disables the account, and enables it again',
    async ({ user }) => {
      for (const enabled of [false, true])
        await accept(house.admin.call('/user/set_status', { user_id: user.userId, enabled }));
    },
    everywhere,
  ],
];
it.each(ways)('%s: ended sessions get no more pushes, the user a message', async (_what, act, still) => {
  const { db } = house.world;
  const { id, username } = await makeUser(db, { role: 3, projects: [house.project] });
  const user = await house.world.as(id);
  const old = await house.world.as(id);
  await subscribe(user, '/push/own');
  await subscribe(old, '/push/old');
  expect(await reached(id)).toEqual(['/push/old', '/push/own']);
  await act({ user, old, username });
  expect(await reached(id)).toEqual([...still.old, ...still.own]);
  expect(await messagesOf(await house.world.as(id))).toEqual([
    expect.objectContaining({
      title: 'Push notifications were turned off',
      text: expect.stringContaining(`: ${still.own.length === 0 ? 2 : 1}.`),
    }),
  ]);
});

const signIn = async (username: string, browser?: string) => {
  const answer = await house.world.call(
    '/sign_user/signin',
    { username, password: testPassword },
    browser === undefined ? {} : { cookie: `known_browser=${browser}` },
  );
  expect(answer.status, answer.msg).toBe(200);
  const known = answer.response.cookies.find(({ name }) => name === 'known_browser')!.value;
  const call: Client['call'] = (path, body, headers) =>
    house.world.call(path, body, {
      authorization: answer.data.token,
      cookie: `known_browser=${known}`,
      'accept-serial': crypto.randomUUID(),
      ...headers,
    });
  return { browser: known, client: { token: answer.data.token as string, userId: 0, call } };
};
const here = async (client: Client) => (await client.call('/push/key')).data.here as boolean;

it('a browser keeps its pushes when the same user signs in again, and a sign-out ends them', async () => {
  const { id, username } = await makeUser(house.world.db, { role: 3, projects: [house.project] });
  const first = await signIn(username);
  await subscribe(first.client, '/push/phone');
  const second = await signIn(username, first.browser);
  expect(await here(second.client)).toBe(true);
  expect(await reached(id)).toEqual(['/push/phone']);
  await accept(second.client.call('/sign_user/logout'));
  expect(await reached(id)).toEqual([]);
});

it('pushes to a browser end when another user signs in there', async () => {
  const { id, username } = await makeUser(house.world.db, { role: 3, projects: [house.project] });
  const other = await makeUser(house.world.db, { role: 3, projects: [house.other] });
  const first = await signIn(username);
  await subscribe(first.client, '/push/phone');
  const { client } = await signIn(other.username, first.browser);
  expect(await here(client)).toBe(false);
  expect(await reached(id)).toEqual([]);
  expect(await messagesOf(await house.world.as(id))).toHaveLength(1);
});

it('with one session for each user, a sign-in ends the pushes of the replaced session, not those of its own browser', async () => {
  const { db, clock } = house.world;
  const { id, username } = await makeUser(db, { role: 3, projects: [house.project] });
  const phone = await signIn(username);
  await subscribe(phone.client, '/push/phone');
  const desk = await signIn(username);
  await subscribe(desk.client, '/push/desk');
  await storeSetting(db, 'session', 'singleSession', true, new Date(clock.now()));
  await signIn(username, desk.browser);
  expect(await reached(id)).toEqual(['/push/desk']);
  await storeSetting(db, 'session', 'singleSession', null, new Date(clock.now()));
});
