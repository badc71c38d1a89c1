import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { freshDatabase, type TestDatabase } from './database.ts';
import { cases, honestCases, type Played, play, stepsOf } from './late-close/play.ts';
import { type Server, startServer } from './product-process.ts';

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

/** `LATE_SEED=7 LATE_COUNT=60 LATE_SECONDS=460 LATE_STEPS=none` searches wider; `LATE_CASE=12` plays one of them. */
const given = (name: string, otherwise: number): number => Number(process.env[`LATE_${name}`] ?? otherwise);
const seed = given('SEED', 2);
const count = given('COUNT', 16);
const lastSecond = given('SECONDS', 200);
const steps =
  process.env['LATE_STEPS'] === 'none' ? 'none' : process.env['LATE_STEPS'] === 'small' ? 'small' : 'any';
const only = given('CASE', -1);

it('no close is obeyed after its limit or its end, whatever clocks, network and power do', {
  timeout: 600_000,
}, async () => {
  const sample = <Value>(from: fc.Arbitrary<Value>, numRuns: number) => fc.sample(from, { seed, numRuns });
  const any = sample(cases, count).filter((_, index) => only < 0 || index === only);
  const honest = sample(honestCases, 3);
  const played = await play(server, [...any, ...honest], sample(stepsOf(steps), 1)[0]!, lastSecond);

  const texts = played.flatMap((one, index) => one.found.map((found) => explain(one, index, found)));
  expect(texts.join('\n\n')).toBe('');

  const deliveries = played.flatMap(({ told }) => told.deliveries);
  expect(deliveries.filter(({ obeyedAt }) => obeyedAt !== null).length).toBeGreaterThan(
    only < 0 ? count / 2 : -1,
  );
  for (const one of played.slice(any.length)) {
    // Before the server's clock is set.
    const pressed = one.told.presses.filter(({ line }) => line <= 2);
    const states = pressed.map(({ id }) => one.told.outcomes.find((outcome) => outcome.id === id)?.state);
    expect(states, [JSON.stringify(one.given), ...one.notes].join('\n')).toEqual(['verified', 'verified']);
  }
});

const explain = (
  { given, notes }: Played,
  index: number,
  { what, byMs, id, text }: Played['found'][number],
): string =>
  [
    `LATE_SEED=${seed} case ${index}: ${what} by ${Math.round(byMs)} ms: ${id}, ${text}`,
    JSON.stringify(given),
    ...notes,
  ].join('\n');
