import { afterAll, beforeAll, expect, it } from 'vitest';
import { freshDatabase, type TestDatabase } from '../database.ts';
import type { Invariant } from './judge.ts';
import { countsOf, describeFound, emptyTally, playSeed } from './run.ts';
import { type Server, startServer } from './server.ts';

/** Invariants that the product does not keep yet: counted, but no failure. */
const notYet: readonly Invariant[] = [
  'verified: a live report after the command showed the asked position',
  'verified: the contact was in the asked position at the end',
  'no close after an acknowledged alarm',
  'no close after an acknowledged trip',
  'no close after an acknowledged lock',
  'no close after an acknowledged bad supply',
  'no close after a lock-out tag',
  'no close after remote control was disabled',
  'no close after the right was taken',
  'no close after the device was unbound',
  'no close on an old position',
  'a list shows as fresh what was last reported',
  'a lost position is never shown as fresh',
  'one-key opens what carries current',
  'a move without a command raises 704',
  'an acknowledged alarm event is an alarm',
  'a condition beyond its limit is an unprocessed alarm',
];

let database: TestDatabase;
let server: Server;
beforeAll(async () => {
  database = await freshDatabase();
  server = await startServer(database.url);
});
afterAll(async () => {
  await server?.stop();
  await database?.drop();
});

const seed = Number(process.env['HISTORY_SEED'] ?? 1);
const path = process.env['HISTORY_PATH'];
const count = Number(process.env['HISTORY_COUNT'] ?? 100);

it('keeps every invariant in random histories', { timeout: 300_000 }, async () => {
  const tally = emptyTally();
  await playSeed(
    server,
    path === undefined ? { seed, count } : { seed, from: Number(path), count: 1 },
    tally,
  );
  const { found, ...figures } = tally;
  console.log(`HISTORY_SEED=${seed}`, figures, Object.fromEntries(countsOf(found)));
  const shown = path === undefined ? found.filter(({ invariant }) => !notYet.includes(invariant)) : found;
  expect(shown.slice(0, 5).map(describeFound).join('\n\n')).toBe('');
  expect(tally.verified).toBeGreaterThan(path === undefined ? 0 : -1);
});
