import { afterAll, beforeAll, expect, it } from 'vitest';
import { freshDatabase, type TestDatabase } from '../database.ts';
import { type Server, startServer } from '../product-process.ts';
import { fuzz } from './fuzz.ts';

let database: TestDatabase;
let server: Server;
beforeAll(async () => {
  database = await freshDatabase();
  server = await startServer(database);
});
afterAll(async () => {
  await server?.stop();
  await database?.drop();
});

const seed = Number(process.env['FUZZ_SEED'] ?? 1);
const count = Number(process.env['FUZZ_COUNT'] ?? 40_000);

it('answers hostile calls and messages without a failure and loses no honest reading', {
  timeout: 600_000,
}, async () => {
  const { failed, unanswered, shutOutAfter, lost, crashes, ...figures } = await fuzz(server, {
    seed,
    calls: count * 0.3,
    messages: count * 0.7,
  });
  console.log(`FUZZ_SEED=${seed}`, figures);
  expect({ failed, unanswered, shutOutAfter, lost, crashes }).toEqual({
    failed: [],
    unanswered: [],
    shutOutAfter: null,
    lost: 0,
    crashes: 0,
  });
});
