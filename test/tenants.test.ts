import { readXlsx } from 'hucre/xlsx';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Endpoint } from '#contract/endpoint.ts';
import { endpoints } from '#contract/endpoints.ts';
import { bindAll } from './all-features.ts';
import { makeUser } from './factories.ts';
import { sampleBody } from './sample-body.ts';
import { makeTenant, makeTenantDays, streamPlace, type Tenant } from './tenants.ts';
import { type Client, createWorld, testPassword, type World } from './world.ts';

/**
 * Without reading the streams: `what_if` computes in a thread and would take most of the time, and the list of tables
 * shows the size of the whole database to every user who has its letter.
 */
const left =
  /^\/(live|database|evidence_pack|device_warning\/what_if$)|logout|end_session|change_password|two_step/;
const called = endpoints.filter(({ path, permission }) => permission !== 'public' && !left.test(path));
const reading = called.filter(({ log, upload }) => log === undefined && !upload);
const writing = called.filter(({ log, upload }) => log !== undefined && !upload);
const period = { from: '2026-11-19T00:00:00Z', to: '2026-11-20T12:00:00Z', limit: 200 };
const proof = { password: testPassword, own_password: testPassword, revision: 1 };
const words = ['site', '张', '李', '137'];

let world: World;
let own: Tenant;
let readers: Client[];
let asked: [Endpoint, Record<string, unknown>[]][];

beforeAll(async () => {
  world = await createWorld((serve, parts) => bindAll(serve, parts));
  await makeTenantDays(world);
  await makeUser(world.db, { role: 1 });
  own = await makeTenant(world, { mark: 'OWN', n: 1, region_id: 440305, start: 100_000 });
  const part = { id: own.projectId, parts: [own.partId] };
  const others = [
    await makeUser(world.db, { role: 2, region_id: 440000 }),
    await makeUser(world.db, { role: 32, projects: [part] }),
  ];
  readers = [own.keeper, ...(await Promise.all(others.map(({ id }) => world.as(id))))];
  asked = reading.map((endpoint) => [endpoint, bodiesOf(endpoint)]);
});
afterAll(() => world.close());

const send = async ({ method, path }: Endpoint, body: Record<string, unknown>, client: Client) => {
  if (method === 'POST') return (await client.call(path, body)).response;
  const query = new URLSearchParams(Object.entries(body).map(([key, value]) => [key, String(value)]));
  return world.app.inject({ url: `${path}?${query}`, headers: { authorization: client.token } });
};
/** A spreadsheet as its cells. */
const textOf = async (response: Awaited<ReturnType<typeof send>>): Promise<string> => {
  if (!String(response.headers['content-type']).includes('spreadsheet'))
    return response.payload.replace(streamPlace, '');
  const { sheets } = await readXlsx(response.rawPayload);
  return JSON.stringify(sheets.map(({ rows }) => rows));
};
/** For everything in the reader's scope, for each id, and for words; made once, because a sample may be random. */
const bodiesOf = (endpoint: Endpoint): Record<string, unknown>[] => {
  const whole = sampleBody(endpoint.body, period);
  const bodies = [whole, sampleBody(endpoint.body, { ...own.idsFor(endpoint.path), ...period })];
  for (const field of ['text', 'search'])
    if (field in sampleBody(endpoint.body, { [field]: '' }))
      for (const word of words) bodies.push({ ...whole, [field]: word });
  return bodies;
};
/** What each of the tenant's users is answered. */
const answers = async (): Promise<Map<string, string>> => {
  const found = new Map<string, string>();
  for (const [endpoint, bodies] of asked)
    await Promise.all(
      readers.flatMap((client, reader) =>
        bodies.map(async (body) => {
          const name = `${reader} ${endpoint.method} ${endpoint.path} ${JSON.stringify(body)}`;
          found.set(name, await textOf(await send(endpoint, body, client)));
        }),
      ),
    );
  return found;
};
const changes = (before: ReadonlyMap<string, string>, after: ReadonlyMap<string, string>) =>
  [...after].filter(([name, answer]) => answer !== before.get(name));

it('the rows of another tenant change no answer, and calls with a tenant’s ids change none of its answers', async () => {
  const before = await answers();
  expect([...before.values()].filter((answer) => answer.startsWith('{"code":200')).length).toBeGreaterThan(
    300,
  );
  const other = await makeTenant(world, { mark: 'OTHER', n: 2, region_id: 310000, start: 500_000 });
  expect(changes(before, await answers())).toEqual([]);

  const regional = await world.as((await makeUser(world.db, { role: 2, region_id: 310000 })).id);
  for (const endpoint of writing) {
    const theirs = own.idsFor(endpoint.path);
    const mine = { ...other.idsFor(endpoint.path), ...period, ...proof };
    const fields = Object.keys(sampleBody(endpoint.body, mine)).filter((field) => field in theirs);
    for (const client of [other.keeper, regional]) {
      await send(endpoint, sampleBody(endpoint.body, { ...mine, ...theirs }), client);
      for (const field of fields) {
        await send(endpoint, sampleBody(endpoint.body, { ...mine, [field]: theirs[field] }), client);
        // Some calls refuse a body with several of these fields.
        const alone = sampleBody(endpoint.body, { ...period, ...proof });
        await send(endpoint, { ...alone, [field]: theirs[field] }, client);
      }
    }
  }
  expect(changes(before, await answers())).toEqual([]);
});
