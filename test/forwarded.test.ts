/** Whose address the server believes when a caller sends an `X-Forwarded-For` of its own. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readConfig } from '#server/core/config.ts';
import { sessionRoutes } from '#server/session/session.routes.ts';
import { makeUser } from './factories.ts';
import { testVault } from './vault.ts';
import { createWorld, testPassword, type World } from './world.ts';

const deps = { captcha: false, secureCookie: false, vault: testVault, demo: false, map: readConfig({}).map };
const proxy = '10.20.0.1';

const worldBehind = (TRUST_PROXY: string) =>
  createWorld((serve, { live }) => sessionRoutes(serve, { ...deps, live }), readConfig({ TRUST_PROXY }));
/** A call that reaches the server from the proxy, with this header. */
const send = (world: World, forwarded: string, url: string, payload: object) =>
  world.app.inject({
    method: 'POST',
    url,
    payload,
    remoteAddress: proxy,
    headers: { 'x-forwarded-for': forwarded },
  });
/** The addresses that the server stores for a wrong and for a right password. */
const storedOf = async (world: World, forwarded: string) => {
  const { username } = await makeUser(world.db, { role: 1 });
  const signIn = (password: string) =>
    send(world, forwarded, '/sign_user/signin', {
      username,
      password,
      code: '0000',
      code_id: crypto.randomUUID(),
    });
  const wrong = await signIn('wrong12345');
  world.clock.advance(3_600_000);
  const right = await signIn(testPassword);
  const network = await world.db
    .selectFrom('failed_sign_ins')
    .select('network')
    .where('account', '=', username)
    .execute();
  const sessions = await world.db
    .selectFrom('sessions')
    .innerJoin('users', 'users.id', 'sessions.user_id')
    .select('sessions.address')
    .where('username', '=', username)
    .execute();
  return {
    statuses: [wrong.statusCode, right.statusCode],
    networks: network.map((row) => row.network),
    addresses: sessions.map((row) => row.address),
  };
};

describe.each([
  ['true', ''],
  ['1', ''],
  [proxy, ''],
  ['2', ', 10.30.0.1'],
  ['10.0.0.0/8', ', 10.30.0.1'],
])('with TRUST_PROXY=%s', (trusted, furtherProxy) => {
  let world: World;
  beforeAll(async () => {
    world = await worldBehind(trusted);
  });
  afterAll(() => world.close());

  it('counts the calls of one visitor together, whatever addresses the visitor claims', async () => {
    const ask = async (claimed: string, visitor: string) =>
      (
        await send(world, `${claimed}, ${visitor}${furtherProxy}`, '/sign_user/link', {
          link: 'x'.repeat(40),
        })
      ).statusCode;
    const statuses: number[] = [];
    for (let n = 0; n < 70; n += 1) statuses.push(await ask(`203.0.113.${n}`, '198.51.100.7'));
    expect(statuses.filter((status) => status === 429)).toHaveLength(10);
    expect(await ask('203.0.113.1', '198.51.100.8')).toBe(401);
  });

  it('stores the address of the visitor, not a claimed one', async () => {
    expect(await storedOf(world, `203.0.113.9, 127.0.0.1, 198.51.100.9${furtherProxy}`)).toEqual({
      statuses: [422, 200],
      networks: ['198.51.100.9'],
      addresses: ['198.51.100.9'],
    });
  });
});

describe('an address that a proxy passes on', () => {
  let world: World;
  beforeAll(async () => {
    world = await worldBehind('1');
  });
  afterAll(() => world.close());

  it.each([
    ['198.51.100.20:50123', '198.51.100.20', '198.51.100.20'],
    ['[2001:db8:7::20]:50123', '2001:db8:7::20', '2001:db8:7:0::/64'],
    ['::ffff:198.51.100.21', '::ffff:198.51.100.21', '198.51.100.21'],
    ['unknown', proxy, proxy],
    ['1:2:3:4:5:6:7::8:9', proxy, proxy],
    ['<script>alert(1)</script>', proxy, proxy],
    ['9'.repeat(4000), proxy, proxy],
  ])('%s counts as %s', async (forwarded, address, network) => {
    expect(await storedOf(world, forwarded)).toEqual({
      statuses: [422, 200],
      networks: [network],
      addresses: [address],
    });
  });
});
