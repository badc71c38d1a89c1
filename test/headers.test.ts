import { gunzipSync } from 'node:zlib';
import pino from 'pino';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { buildApp } from '#server/app.ts';
import { createBus } from '#server/core/bus.ts';
import { systemClock } from '#server/core/clock.ts';
import { createLive } from '#server/core/live.ts';
import { warningsOf } from '#server/start/announce.ts';

const log = pino({ level: 'silent' });
const large = 'ёж '.repeat(10_000);
let app: Awaited<ReturnType<typeof buildApp>>;
beforeAll(async () => {
  app = await buildApp(
    {
      db: null as never,
      pool: null as never,
      bus: createBus(() => {}),
      clock: systemClock,
      live: createLive(),
      log,
      trustProxy: false,
      version: 'test',
      onlyHttps: true,
    },
    (_serve, instance) => {
      instance.get('/page', (_request, reply) => reply.type('text/html').send('<p>page</p>'));
      instance.get('/worker.js', (_request, reply) => reply.type('text/javascript').send(''));
      instance.post('/large', () => ({ data: large }));
      instance.post('/small', () => ({ data: 'small' }));
    },
  );
});
afterAll(() => app.close());

it.each(['/page', '/docs/', '/openapi.json', '/nowhere', '/healthz'])(
  'sends a content security policy and requires TLS with %s',
  async (url) => {
    const { headers } = await app.inject({ url });
    expect(headers['content-security-policy']).toMatch(/default-src '(self|none)'/);
    expect(headers['strict-transport-security']).toBe('max-age=31536000');
    expect(headers['x-frame-options']).toBe('DENY');
  },
);
it('sends scripts without a policy, which would restrict a service worker', async () => {
  expect((await app.inject({ url: '/worker.js' })).headers['content-security-policy']).toBeUndefined();
});

it('warns when it listens to other machines without TLS, signs in without codes or works as the owner', () => {
  const safe = {
    http: { host: '127.0.0.1', port: 1 },
    mqtt: { host: '127.0.0.1', port: 1 },
    captcha: true,
    trustProxy: false as const,
  };
  const open = { ...safe, http: { host: '0.0.0.0', port: 1 } };
  const none = {
    tls: undefined,
    publicUrl: undefined,
    databaseUrl: undefined,
    databaseAppUrl: undefined,
  };
  expect(warningsOf({ ...safe, ...none })).toEqual([]);
  expect(warningsOf({ ...open, ...none })).toEqual([expect.stringContaining('HOST=0.0.0.0')]);
  expect(warningsOf({ ...open, ...none, publicUrl: 'https://a.example' })).toEqual([]);
  expect(warningsOf({ ...safe, ...none, mqtt: { host: '::', port: 1 } })).toEqual([
    expect.stringContaining('MQTT_HOST=::'),
  ]);
  expect(warningsOf({ ...safe, ...none, captcha: false })).toEqual([expect.stringContaining('CAPTCHA=off')]);
  const behind = { ...open, ...none, publicUrl: 'https://a.example' };
  expect(warningsOf({ ...behind, trustProxy: 1 })).toEqual([expect.stringContaining('TRUST_PROXY')]);
  expect(warningsOf({ ...behind, trustProxy: ['10.0.0.1'] })).toEqual([]);
  expect(warningsOf({ ...safe, ...none, trustProxy: 1 })).toEqual([]);
  const external = { ...safe, ...none, databaseUrl: 'postgres://owner@db/a' };
  expect(warningsOf(external)).toEqual([expect.stringContaining('set DATABASE_APP_URL')]);
  expect(warningsOf({ ...external, databaseAppUrl: 'postgres://app@db/a' })).toEqual([]);
});

it.each([
  ['/large', 'gzip, deflate, br', true],
  ['/large', 'br;q=1.0, gzip;q=0.5', true],
  ['/large', 'gzip;q=0', false],
  ['/large', 'identity', false],
  ['/small', 'gzip', false],
])('%s for a client that accepts %s is compressed: %s', async (url, accepted, isCompressed) => {
  const answer = await app.inject({ method: 'POST', url, headers: { 'accept-encoding': accepted } });
  expect(answer.headers['content-encoding']).toBe(isCompressed ? 'gzip' : undefined);
  expect(answer.headers['content-length']).toBe(String(answer.rawPayload.length));
  const text = isCompressed ? gunzipSync(answer.rawPayload).toString() : answer.body;
  expect(JSON.parse(text)).toEqual({ data: url === '/large' ? large : 'small' });
});
