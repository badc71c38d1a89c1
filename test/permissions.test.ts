import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Endpoint } from '#contract/endpoint.ts';
import { endpoints } from '#contract/endpoints.ts';
import { permissionsOf } from '#contract/permissions.ts';
import { bindAll } from './all-features.ts';
import { makeDevice, makePart, makeProject, makeUser } from './factories.ts';
import { sampleBody } from './sample-body.ts';
import { type Client, createWorld, type World } from './world.ts';

/** Written into every foreign row that has a text: no answer to another tenant may contain it. */
const mark = 'FOREIGN0MARK';

const roles = [
  { name: 'admin', role: 1, letters: '' },
  { name: 'regional admin', role: 2, letters: '' },
  { name: 'project admin', role: 3, letters: '' },
  { name: 'project-regional admin', role: 32, letters: '' },
  { name: 'duty operator (ABD)', role: 100, letters: 'ABD' },
  { name: 'every letter', role: 101, letters: 'ABCDEFGHIJKLMN' },
  { name: 'no letter', role: 102, letters: '' },
] as const;

let world: World;
let own: Record<string, unknown>;
let foreign: Record<string, unknown>;
/** The rows of the foreign project before any call. */
let untouched: string;
const clients = new Map<string, Client>();
const bound: string[] = [];
const called = endpoints.filter((endpoint) => !endpoint.stream || endpoint.method === 'POST');

const idsOf = async (projectId: number, partId: number) => {
  const device = await makeDevice(world.db, { project_id: projectId, part_id: partId, type: 3 });
  const line = device.lines[0]!;
  const now = new Date(world.clock.now());
  const alarm = await world.db
    .insertInto('alarms')
    .values({
      line_id: line.id,
      id: 1000 + projectId,
      device_id: device.id,
      project_id: projectId,
      part_id: partId,
      code: 101,
      level: 2,
      severity: 2,
      source: 'server',
      event_id: null,
      work_order: `W${projectId}`,
      raised_at: now,
      received_at: now,
      last_at: now,
      cleared_at: null,
      suppressed_by: null,
      value: 270,
      peak: 270,
      threshold: 264,
      value_type: 1,
      snapshot: null,
      original: null,
      handled_at: null,
      handled_by: null,
      handled_channel: null,
      handling_content: null,
      urged_at: null,
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  const command = '00000000-0000-4000-8000-0000000000'.concat(String(10 + projectId));
  await world.db
    .insertInto('commands')
    .values({
      id: command,
      device_id: device.id,
      line_id: line.id,
      number: 1,
      verb: 'open',
      state: 'verified',
      reason: null,
      cause: 'button',
      batch_id: null,
      user_id: null,
      operator: 'x',
      address: '',
      created_at: now,
      expires_at: now,
      sent_at: null,
      acknowledged_at: null,
      ended_at: now,
      deadline_at: now,
    })
    .execute();
  return {
    project_id: projectId,
    part_id: partId,
    device_id: device.id,
    device_ids: [device.id],
    line_id: line.id,
    command_id: command,
    id: alarm.id,
    ids: [alarm.id],
    from: '2026-11-19T00:00:00Z',
    to: '2026-11-20T12:00:00Z',
    action: 'read',
  };
};

beforeAll(async () => {
  world = await createWorld((serve, parts) => {
    const counting: typeof serve = (endpoint, handler) => {
      bound.push(`${endpoint.method} ${endpoint.path}`);
      serve(endpoint, handler);
    };
    bindAll(counting, parts);
  });
  const mine = await makeProject(world.db, { name: 'Mine' });
  const minePart = await makePart(world.db, mine.id);
  const theirs = await makeProject(world.db, { name: mark, region_id: 310000 });
  const theirPart = await makePart(world.db, theirs.id, mark);
  own = await idsOf(mine.id, minePart.id);
  foreign = await idsOf(theirs.id, theirPart.id);
  await world.db
    .updateTable('devices')
    .set({ name: mark, number: `${mark}1` })
    .where('project_id', '=', theirs.id)
    .execute();
  await world.db
    .updateTable('lines')
    .set({ name: mark })
    .where('device_id', '=', Number(foreign['device_id']))
    .execute();
  for (const { name, role, letters } of roles) {
    const user = await makeUser(world.db, {
      role,
      letters,
      ...(role === 2 ? { region_id: 440000 } : {}),
      projects: role === 1 || role === 2 ? [] : [{ id: mine.id, parts: role === 32 ? [minePart.id] : [] }],
    });
    clients.set(name, await world.as(user.id));
  }
  untouched = await foreignRows();
});
afterAll(() => world.close());

const send = (endpoint: Endpoint, client: Client | null, body: Record<string, unknown>) => {
  if (endpoint.method === 'POST')
    return client ? client.call(endpoint.path, body) : world.call(endpoint.path, body);
  const query = new URLSearchParams(
    Object.entries(body).map(([key, value]) => [key, String(value)]),
  ).toString();
  return world.app
    .inject({
      method: 'GET',
      url: `${endpoint.path}?${query}`,
      headers: client ? { authorization: client.token } : {},
    })
    .then((response) => ({ status: response.statusCode, response }));
};
const harmless = called.filter(
  (endpoint) => !/logout|end_session|change_password|two_step/.test(endpoint.path),
);

it('binds every endpoint of the contract exactly once', () => {
  expect([...bound].sort()).toEqual(
    endpoints.map((endpoint) => `${endpoint.method} ${endpoint.path}`).sort(),
  );
});

describe('without a token', () => {
  it.each(
    called
      .filter((endpoint) => endpoint.permission !== 'public')
      .map((endpoint) => [endpoint.path, endpoint] as const),
  )('%s is refused', async (_path, endpoint) => {
    expect((await send(endpoint, null, sampleBody(endpoint.body, own))).status).toBe(401);
  });
});

describe.each(roles)('$name', ({ name, role, letters }) => {
  const granted = permissionsOf(role, letters);
  it.each(
    harmless
      .filter((endpoint) => endpoint.permission !== 'public')
      .map((endpoint) => [endpoint.path, endpoint] as const),
  )('%s answers as the permissions table says', async (_path, endpoint) => {
    const client = clients.get(name)!;
    const { status } = await send(endpoint, client, sampleBody(endpoint.body, own));
    const allowed = endpoint.permission === 'signedIn' || granted.has(endpoint.permission as never);
    if (allowed) expect([401, 500]).not.toContain(status);
    else expect(status).toBe(403);
  });
  if (role === 1) return;
  it.each(
    harmless
      .filter((endpoint) => endpoint.permission !== 'public')
      .map((endpoint) => [endpoint.path, endpoint] as const),
  )('%s shows and changes nothing of a foreign project', async (_path, endpoint) => {
    const client = clients.get(name)!;
    const answer = await send(endpoint, client, sampleBody(endpoint.body, foreign));
    expect(answer.response.payload).not.toContain(mark);
    expect(answer.status).not.toBe(500);
    expect(await foreignRows()).toBe(untouched);
  });
});

/** A fingerprint over all rows of the foreign project. */
const foreignRows = async (): Promise<string> => {
  const { rows } = await sql<{ print: string }>`
    select md5(string_agg(row, '|')) as print from (
      select to_jsonb(d)::text as row from devices d where project_id = ${foreign['project_id']}
      union all select to_jsonb(l)::text from lines l where device_id = ${foreign['device_id']}
      union all select to_jsonb(a)::text from alarms a where project_id = ${foreign['project_id']}
      union all select to_jsonb(c)::text from commands c where device_id = ${foreign['device_id']}
      union all select to_jsonb(p)::text from projects p where id = ${foreign['project_id']}
      order by 1) rows`.execute(world.db);
  return rows[0]!.print;
};

describe('bad input', () => {
  it.each(
    called.filter((endpoint) => !endpoint.upload).map((endpoint) => [endpoint.path, endpoint] as const),
  )('%s refuses unknown fields by name and wrong types', async (_path, endpoint) => {
    const client = clients.get('admin')!;
    const extra = await send(endpoint, client, { ...sampleBody(endpoint.body, own), nobody_sends_this: 1 });
    expect(extra.status).toBe(422);
    const wrong = Object.fromEntries(
      Object.keys(sampleBody(endpoint.body, own)).map((key) => [key, { wrong: ['type'] }]),
    );
    if (Object.keys(wrong).length > 0) expect((await send(endpoint, client, wrong)).status).toBe(422);
  });
});
