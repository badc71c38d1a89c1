import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEmbeddedPostgres } from '#database/embedded.ts';
import { type Invariant, invariants } from '#test/histories/judge.ts';
import { countsOf, describeFound, emptyTally, playSeed, shrink } from '#test/histories/run.ts';
import { startServer } from '#test/product-process.ts';
import type { Figure } from './figure.ts';

/**
 * Random histories that compare the product with an independent model. In half of them the server is killed;
 * some of those also cut or stop database connections; half of those also crash PostgreSQL. HISTORY_SEED: the
 * first seed (one per batch, even ones kill); HISTORY_COUNT: number of histories; HISTORY_SHRINK: seconds
 * spent on the smallest example of each broken invariant.
 */
const batchSize = 100;

export const run = async (): Promise<Figure[]> => {
  const first = Number(process.env['HISTORY_SEED'] ?? Date.now() % 1_000_000);
  const wanted = Number(process.env['HISTORY_COUNT'] ?? 2000);
  const patience = Number(process.env['HISTORY_SHRINK'] ?? 0);
  const dataDir = await mkdtemp(join(tmpdir(), 'ampwatch-histories-'));
  const postgres = await startEmbeddedPostgres({ dataDir });
  const server = await startServer(postgres);
  const tally = emptyTally();
  const shown = new Set<Invariant>();
  const begun = Date.now();
  try {
    for (let seed = first; tally.histories < wanted; seed += 1) {
      const before = tally.found.length;
      const size = Math.min(batchSize, wanted - tally.histories);
      await playSeed(server, { seed, count: size, mayCrash: true }, tally);
      const found = tally.found.slice(before);
      console.log(
        `seed ${seed}: ${tally.histories} histories, ${tally.killed} with kill -9, ${Math.round((Date.now() - begun) / 1000)} s`,
        JSON.stringify(Object.fromEntries(countsOf(found))),
      );
      for (const one of found) {
        if (shown.has(one.invariant)) continue;
        shown.add(one.invariant);
        const small = patience > 0 ? await shrink(server, one, patience) : null;
        console.log(`${describeFound(small ? { ...one, ...small, ...small.violation } : one)}\n`);
      }
      // Only the description is kept; the full objects of thousands of histories would fill the memory.
      tally.found = tally.found.map(({ played: _played, ...rest }) => rest as (typeof tally.found)[number]);
    }
  } finally {
    await server.stop();
    await postgres.stop();
    await rm(dataDir, { recursive: true, force: true });
  }
  const anchor = `seed ${first}, ${tally.killed} lived through ${tally.kills} kills -9, ${tally.opens + tally.closes} switches, ${tally.verified} verified`;
  const counts = new Map(countsOf(tally.found));
  return [
    { name: 'histories', figure: tally.histories, unit: '', goal: '', anchor },
    {
      name: '… of them a second',
      figure: tally.histories / ((Date.now() - begun) / 1000),
      unit: '',
      goal: '',
      anchor,
    },
    { name: '… of them with kill -9', figure: tally.killed, unit: '', goal: 'half', anchor },
    {
      name: '… of them with a crash of PostgreSQL',
      figure: tally.crashed,
      unit: '',
      goal: 'a quarter',
      anchor,
    },
    ...invariants.map((invariant) => ({
      name: `broken: ${invariant}`,
      figure: counts.get(invariant) ?? 0,
      unit: 'times',
      goal: '0',
      anchor: '',
    })),
  ];
};
