import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as z from 'zod';
import type { Endpoint } from '#contract/endpoint.ts';
import { endpoints } from '#contract/endpoints.ts';
import { serveHealth } from '#server/core/health.ts';
import { bindAll } from './all-features.ts';
import { makeDevice, makePart, makeProject, makeUser } from './factories.ts';
import { sampleBody } from './sample-body.ts';
import { type Client, createWorld, testPassword, type World } from './world.ts';

let world: World;
let admin: Client;
let known: Record<string, unknown>;
const called = endpoints.filter(
  (endpoint) => endpoint.path !== '/live' && !/logout|end_session|change_password/.test(endpoint.path),
);

beforeAll(async () => {
  world = await createWorld((serve, parts) => {
    serveHealth(parts.app, {
      pool: parts.pool,
      linkReady: () => true,
      counts: () => ({}),
      samples: async () => [],
      onAnswered: () => {},
      metricsToken: undefined,
    });
    bindAll(serve, parts);
  });
  const project = await makeProject(world.db);
  const part = await makePart(world.db, project.id);
  const device = await makeDevice(world.db, { project_id: project.id, part_id: part.id, type: 3, lines: 2 });
  known = {
    project_id: project.id,
    part_id: part.id,
    device_id: device.id,
    device_ids: [device.id],
    line_id: device.lines[0]!.id,
    from: '2026-11-19T00:00:00Z',
    to: '2026-11-20T12:00:00Z',
  };
  admin = await world.as((await makeUser(world.db, { role: 1 })).id);
});
afterAll(() => world.close());

describe('an id of another tenant or of a deleted device among the caller’s own', () => {
  const mark = 'FOREIGN0MARK';
  const goneMark = 'DELETED0MARK';
  let keeper: Client;
  /** Of the caller's own project, and of the other tenant's. */
  let administrator: Client;
  let other: Client;
  let own: Record<string, unknown>;
  let foreign: Record<string, unknown>;
  let gone: Record<string, unknown>;
  const belongings = async (name: string) => {
    const project = await makeProject(world.db, { name });
    const part = await makePart(world.db, project.id, name);
    const device = await makeDevice(world.db, { project_id: project.id, part_id: part.id, lines: 2 });
    await world.db.updateTable('devices').set({ name, address: name }).where('id', '=', device.id).execute();
    await world.db.updateTable('lines').set({ name }).where('device_id', '=', device.id).execute();
    const user = await makeUser(world.db, { role: 3, username: name, projects: [project] });
    const image = crypto.randomUUID();
    await world.db
      .insertInto('uploads')
      .values({
        id: image,
        media_type: 'image/png',
        bytes: 1,
        sha256: Buffer.from(image),
        content: Buffer.from(name),
        created_by: user.id,
        created_at: new Date(),
      })
      .execute();
    const ids = {
      project_id: project.id,
      project_ids: [project.id],
      part_id: part.id,
      device_id: device.id,
      device_ids: [device.id],
      line_id: device.lines[0]!.id,
      line_ids: device.lines.map((line) => line.id),
      user_ids: [user.id],
      image_id: image,
      photo_id: image,
      revision: 1,
      from: '2026-11-19T00:00:00Z',
      to: '2026-11-20T12:00:00Z',
    };
    return { ids, user };
  };
  const print = async (of: Record<string, unknown>) =>
    (
      await sql<{ print: string }>`
        select md5(string_agg(row, '|' order by row)) as print from (
          select to_jsonb(d)::text as row from devices d where project_id = ${of['project_id']}
          union all select to_jsonb(l)::text from lines l where device_id = ${of['device_id']}
          union all select to_jsonb(t)::text from lockout_tags t where project_id = ${of['project_id']}
            or device_id = ${of['device_id']} or line_id = any(${of['line_ids']})
          union all select to_jsonb(t)::text from timers t where device_id = ${of['device_id']}
          union all select to_jsonb(c)::text from commands c where device_id = ${of['device_id']}
          union all select to_jsonb(n)::text from notices n
            where project_ids && ${of['project_ids']}::int[] or user_ids && ${of['user_ids']}::int[]
          union all select to_jsonb(d)::text from devices d
            where image_id = ${of['image_id']} or part_id = ${of['part_id']}) rows`.execute(world.db)
    ).rows[0]!.print;

  beforeAll(async () => {
    const mine = await belongings('mine');
    own = mine.ids;
    administrator = await world.as(mine.user.id);
    const theirs = await belongings(mark);
    foreign = theirs.ids;
    other = await world.as(theirs.user.id);
    const letters = 'ABCDEFGHIJKLMN';
    const user = await makeUser(world.db, { role: 77, letters, projects: [{ id: mine.ids.project_id }] });
    keeper = await world.as(user.id);
    const left = await belongings(goneMark);
    const { device_id, device_ids, line_id, line_ids } = left.ids;
    await admin.call('/device_timing/add_device_timing', {
      line_id,
      ...{ type: 'weekly', w1: true, time: '08:00', action: 'open' },
    });
    await admin.call('/device/del_device', { device_ids });
    gone = { device_id, device_ids, line_id, line_ids };
  });
  it.each(called.map((endpoint) => [endpoint.path, endpoint] as const))(
    '%s reveals and changes nothing of the other tenant',
    async (_path, endpoint) => {
      await touchesNothing(endpoint, keeper, foreign, mark);
    },
  );
  it('a refused call enters neither the log of the other tenant nor, with its name, that of the caller', async () => {
    const { project_id } = foreign;
    for (const endpoint of called.filter(({ log }) => log !== undefined)) {
      const body = { ...sampleBody(endpoint.body, own), name: 'New' };
      if ('project_id' in body) await send(endpoint, { ...body, project_id }, administrator);
    }
    for (const client of [keeper, administrator, other]) {
      const { data } = await client.call('/operation_log/get_list', { project_id });
      expect([data.total, JSON.stringify(data).includes(mark)]).toEqual([0, false]);
    }
  });
  // The operation log keeps entries about a deleted device.
  const present = called.filter(({ path }) => !path.startsWith('/operation_log/'));
  it.each(present.map((endpoint) => [endpoint.path, endpoint] as const))(
    '%s reveals and changes nothing of a deleted device',
    async (_path, endpoint) => {
      await touchesNothing(endpoint, admin, gone, goneMark);
    },
  );
  const touchesNothing = async (
    endpoint: Endpoint,
    client: Client,
    theirs: Record<string, unknown>,
    name: string,
  ) => {
    const before = endpoint.log ? await print(theirs) : null;
    for (const field of Object.keys(sampleBody(endpoint.body, own)).filter((each) => each in theirs)) {
      const { from, to } = own;
      for (const others of [own, { from, to }]) {
        const body = { ...sampleBody(endpoint.body, others), [field]: theirs[field] };
        const { status, response } = await send(endpoint, body, client);
        const failed = status >= 500 && status !== 503;
        expect([field, response.payload.includes(name), failed]).toEqual([field, false, false]);
        if (before !== null) expect([field, await print(theirs)]).toEqual([field, before]);
      }
    }
  };
});

type Schema = { type?: string; anyOf?: Schema[]; properties?: Record<string, Schema>; items?: Schema };
type Kind = 'text' | 'number' | 'list';
const kindsOf = (schema: Schema): Kind[] =>
  schema.anyOf
    ? schema.anyOf.flatMap(kindsOf)
    : schema.type === 'string'
      ? ['text']
      : schema.type === 'number' || schema.type === 'integer'
        ? ['number']
        : schema.type === 'array'
          ? ['list']
          : [];
const fieldsOf = (endpoint: Endpoint, kind: Kind): string[] => {
  const schema = z.toJSONSchema(endpoint.body, { io: 'input', unrepresentable: 'any' }) as Schema;
  return Object.entries(schema.properties ?? {})
    .filter(([, inner]) => kindsOf(inner).includes(kind) || kindsOf(inner).length === 0)
    .map(([name]) => name);
};

const send = async (endpoint: Endpoint, body: Record<string, unknown>, client = admin) => {
  // Calls without a session are limited per network and second.
  if (endpoint.permission === 'public') world.clock.advance(1000);
  if (endpoint.method === 'POST') return client.call(endpoint.path, body);
  const query = new URLSearchParams(
    Object.entries(body).map(([key, value]) => [key, String(value)]),
  ).toString();
  const response = await world.app.inject({
    method: 'GET',
    url: `${endpoint.path}?${query}`,
    headers: { authorization: client.token },
  });
  return { status: response.statusCode, data: response.json?.()?.data, response };
};

const multipart = async (form: FormData) => {
  const request = new Request('http://x', { method: 'POST', body: form });
  return {
    headers: { 'content-type': request.headers.get('content-type')! },
    payload: Buffer.from(await request.arrayBuffer()),
  };
};

const texts = ['\ud800', '😀\u202e\u200f', `%_\\'"; drop table users; --`, 'x'.repeat(20_000), '__proto__'];
const numbers = [-1, 0, 2_147_483_648, 999_999_999_999_999, 1e308, '1e3', ' 5 ', '0x10', '-0', 1.5];
const instants = [
  '0000-01-01T00:00:00Z',
  '0001-01-01T00:00:00Z',
  '9999-12-31T23:59:59-14:00',
  '2026-02-29T00:00:00Z',
];

it('answers a path that cannot be decoded like an unknown path, with the same headers', async () => {
  const { headers } = await world.app.inject({ url: '/nowhere' });
  const { date: _date, 'x-request-id': _id, 'content-length': _length, ...usual } = headers;
  expect(usual).toHaveProperty('content-security-policy');
  const urls = ['/%ff', '/home/%ff', '/%', '/%00', '/..%2f..%2fpackage.json', `/p/${'9'.repeat(200)}`];
  for (const url of urls) {
    const answer = await world.app.inject({ url });
    expect([url, answer.statusCode, answer.json().code]).toEqual([url, 404, 404]);
    expect(answer.headers, url).toMatchObject({ ...usual, 'x-request-id': expect.any(String) });
  }
});

const encoded = (...key: unknown[]) => Buffer.from(JSON.stringify(key)).toString('base64url');
it.each([
  '/device_warning/WarningList',
  '/device_warning/event_list',
  '/system_message/index',
  '/device_line/get_line_log',
  '/device_timing/get_runs',
])('%s refuses a cursor that another call made', async (path) => {
  const endpoint = called.find((one) => one.path === path)!;
  for (const cursor of [
    'AAAA',
    '',
    '1',
    encoded(),
    encoded({}),
    encoded(1, '2026-99-99 00:00:00+00', 1),
    encoded(1, '9999999999', 1),
    encoded('0000-01-01T00:00:00Z', 1, 1),
    encoded(8.7e15, 1),
    encoded(1, 2 ** 40),
    encoded(1e308),
  ]) {
    const { status, data } = await send(endpoint, { ...sampleBody(endpoint.body, known), cursor });
    expect([cursor, status, Object.keys(data)]).toEqual([cursor, 422, ['cursor']]);
  }
});

it('refuses a range that ends before it begins, and names its end field', async () => {
  const range = { from: '2026-11-20T00:00:00Z', to: '2026-11-19T00:00:00Z' };
  const ranged = called.filter((endpoint) => {
    const body = sampleBody(endpoint.body, range);
    return 'from' in body && 'to' in body && endpoint.permission !== 'public';
  });
  expect(ranged.length).toBeGreaterThan(3);
  for (const endpoint of ranged) {
    const answer = await send(endpoint, sampleBody(endpoint.body, range));
    expect([endpoint.path, answer.status, Object.keys(answer.data ?? {})]).toEqual([
      endpoint.path,
      422,
      ['to'],
    ]);
  }
});

it('returns one page of a list if the call asks for a page, else the whole list', async () => {
  const list = async (body: object) =>
    (await admin.call('/device_warning_type/get_list', body)).data as { list: unknown[]; total: number };
  const whole = await list({});
  const second = await list({ page: 2, limit: 5 });
  expect(second.list).toEqual(whole.list.slice(5, 10));
  expect(second.total).toBe(whole.list.length);
});

it('refuses an object that cannot be converted to text where a text is expected', async () => {
  const odd = { toString: 0, valueOf: 0, toJSON: 'x', length: { valueOf: 0, toString: 0 } };
  world.clock.advance(60_000);
  expect((await world.call('/login', { username: odd, password: 'x' })).status).toBe(422);
  expect((await admin.call('/device_info/get_device_info', { device_id: 1, imei: odd })).status).toBe(422);
});

it('refuses a form with files if the call takes none', async () => {
  const form = new FormData();
  form.append('theme', 'bogus');
  const { headers, payload } = await multipart(form);
  const answer = await world.app.inject({
    method: 'POST',
    url: '/sign_user/preferences',
    headers: { ...headers, authorization: admin.token },
    payload,
  });
  expect([answer.statusCode, answer.json().code]).toEqual([415, 415]);
});

it('accepts no form of another site, neither with a cookie nor for a sign-in', async () => {
  const user = await makeUser(world.db, { role: 1, auto_sign_in: true });
  const { token } = await world.as(user.id);
  const post = (url: string, payload: string, headers: Record<string, string>) =>
    world.app.inject({
      method: 'POST',
      url,
      payload,
      headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
    });
  const form = `user=${user.username}&pwd=${testPassword}`;
  const foreign = { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' };
  for (const headers of [foreign, { ...foreign, 'sec-fetch-site': 'same-site' }]) {
    const refused = await post('/sign_user/autologin', form, headers);
    expect([refused.statusCode, refused.headers['set-cookie']]).toEqual([403, undefined]);
  }
  expect((await post('/sign_user/autologin', form, { 'sec-fetch-site': 'same-origin' })).statusCode).toBe(
    200,
  );
  const get = (site: string) =>
    world.app.inject({ url: `/sign_user/signin?${form}`, headers: { 'sec-fetch-site': site } });
  for (const site of ['cross-site', 'same-site']) {
    const linked = await get(site);
    expect([linked.statusCode, linked.headers['set-cookie']]).toEqual([403, undefined]);
  }
  expect((await get('none')).statusCode).toBe(200);
  const cookie = `PHPSESSID=${token}`;
  expect((await post('/sign_user/logout', '', { cookie, ...foreign })).statusCode).toBe(403);
  // A browser that sends no origin: a form cannot send the header that a write with a cookie needs.
  expect((await post('/sign_user/logout', '', { cookie })).statusCode).toBe(400);
  expect((await post('/sign_user/check_login', '', { cookie })).statusCode).toBe(200);
});

it('answers each call by its own method only, and a sign-in by HEAD opens no session', async () => {
  const methods = new Map<string, string[]>();
  for (const { path, method } of endpoints) methods.set(path, [...(methods.get(path) ?? []), method]);
  const user = await makeUser(world.db, { role: 100, auto_sign_in: true });
  const query = `user=${user.username}&pwd=${testPassword}`;
  for (const [path, own] of methods)
    for (const method of ['HEAD', 'OPTIONS', 'GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const) {
      if (own.includes(method)) continue;
      const answer = await world.app.inject({
        method,
        url: `${path}?${query}`,
        headers: { authorization: admin.token },
      });
      expect([method, path, answer.statusCode, answer.headers['set-cookie']]).toEqual([
        method,
        path,
        404,
        undefined,
      ]);
    }
  const sessions = await world.db.selectFrom('sessions').where('user_id', '=', user.id).execute();
  expect(sessions).toEqual([]);
});

it('shows its metrics to this machine only, not to the clients of a proxy on it', async () => {
  expect((await world.app.inject({ url: '/metrics' })).statusCode).toBe(200);
  for (const name of ['x-forwarded-for', 'forwarded', 'via', 'x-real-ip'])
    expect((await world.app.inject({ url: '/metrics', headers: { [name]: '9.9.9.9' } })).statusCode).toBe(
      403,
    );
});

describe.each(called.map((endpoint) => [`${endpoint.method} ${endpoint.path}`, endpoint] as const))(
  '%s',
  (_name, endpoint) => {
    it('names the field with a character that no table can store', async () => {
      for (const field of fieldsOf(endpoint, 'text')) {
        const answer = await send(endpoint, { ...sampleBody(endpoint.body, known), [field]: 'a\u0000b' });
        expect([field, answer.status, Object.keys(answer.data ?? {})]).toEqual([field, 422, [field]]);
      }
    });
    it('survives hostile texts, numbers, times and lists', async () => {
      const failed: unknown[] = [];
      const attempt = async (field: string, value: unknown) => {
        const { status } = await send(endpoint, { ...sampleBody(endpoint.body, known), [field]: value });
        if (status >= 500 && status !== 503) failed.push([field, status, String(value).slice(0, 40)]);
      };
      const values = {
        text: [...texts, ...instants],
        number: numbers,
        list: [[], ...numbers.map((number) => [number])],
      };
      await Promise.all(
        (['text', 'number', 'list'] as const).flatMap((kind) =>
          fieldsOf(endpoint, kind).flatMap((field) => values[kind].map((value) => attempt(field, value))),
        ),
      );
      expect(failed).toEqual([]);
    });
  },
);
