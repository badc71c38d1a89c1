import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startEmbeddedPostgres } from '#database/embedded.ts';
import { freshDatabase, type TestDatabase } from '../database.ts';
import { type Server, startServer } from '../product-process.ts';
import { countsOf, describeFound, emptyTally, playSeed, type Tally } from './run.ts';

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

const path = process.env['HISTORY_PATH'];
const count = Number(process.env['HISTORY_COUNT'] ?? 0);
const given = process.env['HISTORY_SEED'];
/** Seeds 2 and 4 also kill the server; with 3 and 4 a tripped line must be inspected. */
const batches: [seed: number, size: number][] =
  given === undefined
    ? [
        [1, count || 120],
        [2, count || 40],
        [3, count || 40],
        [4, count || 20],
      ]
    : [[Number(given), count || 120]];

it.each(batches)(
  'keeps every invariant in the histories of seed %i',
  {
    timeout: 600_000,
  },
  async (seed, size) => {
    const tally = emptyTally();
    await playSeed(
      server,
      path === undefined ? { seed, count: size } : { seed, from: Number(path), count: 1 },
      tally,
    );
    expectNothingFound(seed, tally);
  },
);

it.runIf(given === undefined)(
  'keeps every invariant when PostgreSQL itself crashes and recovers',
  { timeout: 600_000 },
  async () => {
    const seed = 6;
    const dataDir = await mkdtemp(join(tmpdir(), 'ampwatch-crash-'));
    const postgres = await startEmbeddedPostgres({ dataDir });
    const crashing = await startServer(postgres);
    const tally = emptyTally();
    try {
      await playSeed(crashing, { seed, count: count || 20, mayCrash: true }, tally);
    } finally {
      await crashing.stop();
      await postgres.stop();
      await rm(dataDir, { recursive: true, force: true });
    }
    expectNothingFound(seed, tally);
    expect(tally.crashed).toBe(tally.histories);
  },
);

const expectNothingFound = (seed: number, tally: Tally): void => {
  const { found, ...figures } = tally;
  console.log(`HISTORY_SEED=${seed}`, figures, Object.fromEntries(countsOf(found)));
  expect(found.slice(0, 5).map(describeFound).join('\n\n')).toBe('');
  expect(tally.verified).toBeGreaterThan(path === undefined ? 0 : -1);
};
