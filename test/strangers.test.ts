import type { AddressInfo } from 'node:net';
import mqtt from 'mqtt';
import pino from 'pino';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { topicOf } from '#contract/telemetry.ts';
import { buildApp } from '#server/app.ts';
import { systemClock } from '#server/core/clock.ts';
import { readConfig } from '#server/core/config.ts';
import { createLive } from '#server/core/live.ts';
import { openSession } from '#server/core/session.ts';
import { createStrangers } from '#server/core/strangers.ts';
import { sessionRoutes } from '#server/session/session.routes.ts';
import { makeUser } from './factories.ts';
import { startLinkWorld } from './link-world.ts';
import { testVault } from './vault.ts';
import { eventually } from './wait.ts';
import { createWorld, type World } from './world.ts';

const log = pino({ level: 'silent' });
const deps = { captcha: true, secureCookie: false, vault: testVault, demo: false, map: readConfig({}).map };

let world: World;
beforeAll(async () => {
  world = await createWorld((serve, { live }) => sessionRoutes(serve, { ...deps, live }));
});
afterAll(() => world.close());

const from = (remoteAddress: string, url: string, payload: object | string = {}, headers = {}) =>
  world.app.inject({
    method: 'POST',
    url,
    remoteAddress,
    payload,
    headers: { 'content-type': 'application/json', ...headers },
  });
const statuses = async (count: number, ask: () => Promise<{ statusCode: number }>) => {
  const found: Record<number, number> = {};
  for (let n = 0; n < count; n += 1) {
    const { statusCode } = await ask();
    found[statusCode] = (found[statusCode] ?? 0) + 1;
  }
  return found;
};

it('a network may make sixty calls without a session at once and then one a second, and delays no other network', async () => {
  const link = { link: 'x'.repeat(40) };
  const ask = (address: string) => () => from(address, '/sign_user/link', link);
  expect(await statuses(70, ask('10.9.0.1'))).toEqual({ 401: 60, 429: 10 });
  expect(await statuses(1, ask('10.9.0.2'))).toEqual({ 401: 1 });
  world.clock.advance(5000);
  expect(await statuses(10, ask('10.9.0.1'))).toEqual({ 401: 5, 429: 5 });
  expect(await statuses(70, ask('2001:db8:9::1'))).toEqual({ 401: 60, 429: 10 });
  expect(await statuses(1, ask('2001:db8:9::2'))).toEqual({ 429: 1 });
});

it('slows a network that tries unknown tokens, but not the known sessions in it', async () => {
  const client = await world.as((await makeUser(world.db, { role: 1 })).id);
  const check = (usertoken: string) => () => from('127.0.0.1', '/sign_user/check_login', {}, { usertoken });
  expect(await statuses(1, check(client.token))).toEqual({ 200: 1 });
  expect(await statuses(130, check('made up'))).toEqual({ 401: 120, 429: 10 });
  expect(await statuses(3, check(client.token))).toEqual({ 200: 3 });
});

it('lets hundreds of consoles behind one address continue after a restart, and still slows invalid tokens there', async () => {
  const sessions = await Promise.all(
    Array.from({ length: 20 }, async () => {
      const { id } = await makeUser(world.db, { role: 1 });
      return Promise.all(
        Array.from({ length: 25 }, () =>
          openSession(world.db, id, world.clock.now(), { address: '10.8.0.1', agent: 'test' }),
        ),
      );
    }),
  );
  // This server has seen none of these tokens.
  const check = (usertoken: string) => from('10.8.0.1', '/sign_user/check_login', {}, { usertoken });
  const answers = await Promise.all(sessions.flat().map(({ token }) => check(token)));
  expect(new Set(answers.map(({ statusCode }) => statusCode))).toEqual(new Set([200]));
  expect(await statuses(130, () => check('made up'))).toEqual({ 401: 120, 429: 10 });
});

it('checks the session before it reads the body, and limits a public body to 8 kB', async () => {
  expect((await from('10.9.1.1', '/sign_user/preferences', '{"theme":')).statusCode).toBe(401);
  const large = { username: 'a', password: 'b', code: '1'.repeat(9000) };
  expect((await from('10.9.1.1', '/sign_user/signin', large)).statusCode).toBe(413);
});

it('acknowledges readings within 500 ms while clients without a session flood codes, sign-ins and links', async () => {
  const devices = await startLinkWorld(1);
  const strangers = createStrangers(log);
  const app = await buildApp(
    {
      db: devices.db,
      pool: null as never,
      bus: devices.bus,
      clock: systemClock,
      live: createLive(),
      log,
      trustProxy: 1,
      version: 'test',
      strangers,
    },
    (serve) => sessionRoutes(serve, { ...deps, live: world.live }),
  );
  await app.listen({ port: 0 });
  const base = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`;
  let flooding = true;
  let asked = 0;
  const flood = async (path: string, body: object, network: (n: number) => string) => {
    for (let n = 0; flooding; n += 1) {
      asked += 1;
      await fetch(base + path, {
        method: 'POST',
        body: JSON.stringify(body),
        headers: { 'content-type': 'application/json', 'x-forwarded-for': network(n) },
      }).then((answer) => answer.arrayBuffer());
    }
  };
  const many = (n: number) => `10.${(n >> 8) & 255}.${n & 255}.9`;
  const one = () => '10.250.0.1';
  const auto = { user: 'nobody', pwd: 'x' };
  const { number, secret } = devices.devices[0]!;
  const client = await mqtt.connectAsync(`mqtt://127.0.0.1:${devices.link.port}`, {
    clientId: number,
    username: number,
    password: secret,
    reconnectPeriod: 0,
  });
  let seq = 0;
  /** The delay of acknowledgement that most readings stay below, ms. */
  const acknowledgedWithin = async (count: number): Promise<number> => {
    const delays: number[] = [];
    for (const last = seq + count; seq < last; ) {
      seq += 1;
      const sent = performance.now();
      const reading = { v: 1, boot: 1, seq, at: Date.now(), lines: [{ n: 1, ch: { U: 230 } }] };
      await client.publishAsync(topicOf(number, 'tele'), JSON.stringify(reading), { qos: 1 });
      delays.push(performance.now() - sent);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    return delays.toSorted((a, b) => a - b)[Math.floor(delays.length * 0.95)]!;
  };
  // On a busy machine readings wait even without a flood, so the delay without one is measured too.
  const alone = await acknowledgedWithin(20);
  const floods = [
    flood('/index/get_code', {}, many),
    flood('/index/get_code', {}, one),
    flood('/sign_user/autologin', auto, many),
    flood('/sign_user/autologin', auto, one),
    flood('/sign_user/link', { link: 'x'.repeat(40) }, many),
    flood('/sign_user/link', { link: 'x'.repeat(40) }, one),
  ];
  const flooded = await acknowledgedWithin(60);
  // A slow machine sends fewer calls while the readings arrive.
  await eventually(async () => asked > 200 && (strangers.counts()['strangers_refused_limit'] ?? 0) > 50);
  flooding = false;
  await Promise.all(floods);
  await client.endAsync();
  await app.close();
  await devices.stop();
  expect(asked).toBeGreaterThan(200);
  expect(strangers.counts()['strangers_refused_limit']).toBeGreaterThan(50);
  expect(flooded).toBeLessThanOrEqual(Math.max(500, 10 * alone));
});
