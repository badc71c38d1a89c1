import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Endpoint } from '#contract/endpoint.ts';
import { endpoints } from '#contract/endpoints.ts';
import { bindAll } from './all-features.ts';
import { makeUser } from './factories.ts';
import { sampleBody } from './sample-body.ts';
import { makeTenant, makeTenantDays, streamPlace, type Tenant } from './tenants.ts';
import { type Client, createWorld, testPassword, type World } from './world.ts';

const left = /^\/(live|database)|logout|end_session|change_password|two_step/;
const called = endpoints.filter(({ path, permission }) => permission !== 'public' && !left.test(path));
const period = { from: '2026-11-19T00:00:00Z', to: '2026-11-20T12:00:00Z' };
const proof = { password: testPassword, own_password: testPassword, revision: 1 };

let world: World;
let own: Tenant;
let other: Tenant;
let readers: [string, Client][];
let theirRows: Map<string, Row[]>;

beforeAll(async () => {
  world = await createWorld((serve, parts) => bindAll(serve, parts));
  await makeTenantDays(world);
  await makeUser(world.db, { role: 1 });
  own = await makeTenant(world, { mark: 'OWN', n: 1, region_id: 440305, start: 100_000 });
  other = await makeTenant(world, { mark: 'OTHER', n: 2, region_id: 310000, start: otherStart });
  theirRows = await rowsOfOther();
  const part = { id: own.projectId, parts: [own.partId] };
  readers = [
    ['every letter', own.keeper],
    ['regional admin', await world.as((await makeUser(world.db, { role: 2, region_id: 440000 })).id)],
    ['project-regional admin', await world.as((await makeUser(world.db, { role: 32, projects: [part] })).id)],
  ];
});
afterAll(() => world.close());

type Row = Record<string, unknown>;
/** Every table numbers its rows from here when the other tenant is made, so that an id tells whose row it is. */
const otherStart = 500_000;
/** The ids that a row refers to, and has. */
const idsIn = (row: Row, columns = /(^|_)id$/): number[] =>
  Object.entries(row).flatMap(([column, value]) =>
    columns.test(column) && typeof value === 'number' && value >= otherStart ? [value] : [],
  );
/** The newest entry of the log is replaced with each entry. */
const moves = 'operation_log_head';
/** What a user asked of a device that is not theirs stays in their own job, as refused. */
const isRefusal = (row: Row): boolean => row['state'] === 'denied' && 'job_id' in row;
/** The rows with an id from the other tenant's on, by table. */
const rowsOfOther = async (): Promise<Map<string, Row[]>> => {
  const { rows: tables } = await world.pool.query<{ name: string }>(`
    select relname as name from pg_class
    where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition order by 1`);
  const found = new Map<string, Row[]>();
  for (const { name } of tables) {
    const { rows } = await world.pool.query<{ row: Row }>(`select to_jsonb(t) as row from "${name}" t`);
    const theirs = rows.map(({ row }) => row).filter((row) => idsIn(row).length > 0);
    if (theirs.length > 0) found.set(name, theirs);
  }
  return found;
};

const send = async ({ method, path }: Endpoint, body: Record<string, unknown>, client: Client) => {
  if (method === 'POST') return (await client.call(path, body)).response;
  const query = new URLSearchParams(Object.entries(body).map(([key, value]) => [key, String(value)]));
  return world.app.inject({ url: `${path}?${query}`, headers: { authorization: client.token } });
};
const missingUuid = '00000000-0000-4000-8000-00000000dead';
/** An id of the same kind that no row has. */
const missing = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(missing);
  return typeof value === 'number' ? value + 900_000_000 : missingUuid;
};
const isId = (value: unknown): boolean =>
  typeof value === 'number' ? value > 1000 : typeof value === 'string' && value.length === missingUuid.length;

/** An answer without the ids that were asked for, and without the ids of what the call itself made. */
const shapeOf = async (endpoint: Endpoint, body: Record<string, unknown>, client: Client) => {
  const { statusCode, headers, payload, rawPayload } = await send(endpoint, body, client);
  const isSheet = String(headers['content-type']).includes('spreadsheet');
  const asked = Object.values(body).flat().filter(isId);
  const text = isSheet ? String(rawPayload.length) : payload.replace(streamPlace, '');
  const made = endpoint.path === '/feedback/add' ? /"id":\d+/g : /"(request_id|job_id)":"[^"]*"/g;
  return `${statusCode} ${asked.reduce<string>((rest, id) => rest.replaceAll(String(id), 'ID'), text).replace(made, '')}`;
};

it.each(called.map((endpoint) => [endpoint.path, endpoint] as const))(
  '%s answers an id of another tenant as one that does not exist, in each of its fields',
  async (_path, endpoint) => {
    const theirs = other.idsFor(endpoint.path);
    const nobodys = Object.fromEntries(
      Object.entries(theirs).map(([field, value]) => [field, missing(value)]),
    );
    const mine = { ...own.idsFor(endpoint.path), ...period, ...proof };
    const fields = Object.keys(sampleBody(endpoint.body, mine)).filter((field) => field in theirs);
    const bare = sampleBody(endpoint.body, { ...period, ...proof });
    const filtered = 'filter' in sampleBody(endpoint.body, { filter: {} });
    const bodies = (ids: Readonly<Record<string, unknown>>) => [
      sampleBody(endpoint.body, { ...mine, ...ids }),
      ...fields.flatMap((field) => [
        sampleBody(endpoint.body, { ...mine, [field]: ids[field] }),
        { ...bare, [field]: ids[field] },
      ]),
      ...(filtered ? [{ ...bare, filter: { project_id: ids['project_id'] } }] : []),
    ];
    const unknown = bodies(nobodys);
    for (const [name, client] of readers)
      for (const [index, body] of bodies(theirs).entries()) {
        const answer = await shapeOf(endpoint, body, client);
        const expected = await shapeOf(endpoint, unknown[index]!, client);
        expect({ name, body, answer }).toEqual({ name, body, answer: expected });
      }
  },
);

it('none of these calls changed a row of the other tenant or made one that refers to it', async () => {
  const theirIds = new Set([...theirRows.values()].flat().flatMap((row) => idsIn(row)));
  const now = await rowsOfOther();
  expect(theirRows.size).toBeGreaterThan(30);
  const lost: Record<string, Row[]> = {};
  const made: Record<string, Row[]> = {};
  for (const [name, rows] of now) {
    if (name === moves) continue;
    const before = new Set((theirRows.get(name) ?? []).map((row) => JSON.stringify(row)));
    const after = new Set(rows.map((row) => JSON.stringify(row)));
    const gone = [...before].filter((row) => !after.has(row));
    const referring = rows.filter(
      (row) =>
        !isRefusal(row) &&
        !before.has(JSON.stringify(row)) &&
        idsIn(row, /_id$/).some((id) => theirIds.has(id)),
    );
    if (gone.length > 0) lost[name] = gone.map((row) => JSON.parse(row) as Row);
    if (referring.length > 0) made[name] = referring;
  }
  expect([...theirRows.keys()].filter((name) => !now.has(name))).toEqual([]);
  expect({ lost, made }).toEqual({ lost: {}, made: {} });
});
