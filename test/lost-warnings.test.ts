import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { freshDatabase, type TestDatabase } from './database.ts';
import { makeUser } from './factories.ts';
import { cases, type Played, play, troubles } from './lost-warnings/play.ts';
import { type Server, startServer } from './product-process.ts';

let database: TestDatabase;
let server: Server;
beforeAll(async () => {
  database = await freshDatabase();
  server = await startServer(database);
  const admin = await server.signIn((await makeUser(server.db, { role: 1 })).id);
  const ways = { private_targets: true, language: 'en-US' };
  await server.call(admin, '/device_warning/set_notice_settings', {
    app_id: '',
    template_id: '',
    base_url: server.hooks.url,
    ...ways,
  });
  const rule = { channel: 'webhook', webhook_url: `${server.hooks.url}/hook` };
  expect((await server.call(admin, '/device_warning/add_warning_timing', rule)).code).toBe(200);
});
afterAll(async () => {
  await server?.stop();
  await database?.drop();
});

/** `LOST_SEED=7 LOST_COUNT=60 LOST_STEPS=1` searches wider; `LOST_CASE=12` plays one of them. */
const given = (name: string, otherwise: number): number => Number(process.env[`LOST_${name}`] ?? otherwise);
const seed = given('SEED', 2);
const count = given('COUNT', 7);
const only = given('CASE', -1);

it('no warning is lost, in whatever order reports come, whatever clocks do, and whenever the server is killed', {
  timeout: 600_000,
}, async () => {
  const sample = <Value>(from: fc.Arbitrary<Value>, numRuns: number) => fc.sample(from, { seed, numRuns });
  const chosen = sample(cases, count);
  const trouble = sample(troubles(given('STEPS', 0) === 1), 1)[0]!;
  const played = await play(
    server,
    chosen.filter((_, index) => only < 0 || index === only),
    trouble,
  );
  const texts = played.flatMap((one, index) =>
    one.found.length > 0 ? [explain(one, only < 0 ? index : only)] : [],
  );
  expect(texts.join('\n\n')).toBe('');
  expect(server.crashes()).toBe(0);
});

const explain = ({ given: one, found, notes }: Played, index: number): string =>
  [`LOST_SEED=${seed} LOST_CASE=${index}: ${found[0]}`, JSON.stringify(one), ...notes].join('\n');
