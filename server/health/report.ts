import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import type { Logger } from 'pino';
import type { NodeRole } from '#contract/health.ts';
import type { Db } from '#database/connect.ts';
import type { Clock } from '#server/core/clock.ts';
import { createRounds } from '#server/core/rounds.ts';
import { createFacts, type FactsDeps } from './facts.ts';

const everyMs = 15_000;

const isRunning = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
};

/**
 * A starting node replaces a node of the same role that was killed on this computer, so that no problem is
 * reported about the dead one.
 */
const takePlace = async (db: Db, role: NodeRole): Promise<void> => {
  const rows = await db
    .selectFrom('node_reports')
    .select(['node', 'name'])
    .where('role', '=', role)
    .orderBy('seen_at', 'desc')
    .execute();
  const here = `${hostname()}:`;
  const dead = rows.find(({ name }) => name.startsWith(here) && !isRunning(Number(name.slice(here.length))));
  if (dead) await db.deleteFrom('node_reports').where('node', '=', dead.node).execute();
};

/** Reports the state of this node in a row every 15 seconds. Deletes the row when the node ends in order. */
export const createNodeReport = ({
  db,
  clock,
  log,
  role,
  version,
  ...rest
}: { db: Db; clock: Clock; log: Logger; role: NodeRole; version: string } & FactsDeps) => {
  const node = randomUUID();
  const startedAt = new Date(clock.now());
  const facts = createFacts(rest);
  let isNew = true;
  const rounds = createRounds({
    name: 'node report',
    clock,
    log,
    longestMs: everyMs,
    async round() {
      if (isNew) await takePlace(db, role);
      isNew = false;
      const now = new Date(clock.now());
      const seen = { seen_at: now, facts: JSON.stringify(await facts.read()) };
      await db
        .insertInto('node_reports')
        .values({
          node,
          name: `${hostname()}:${process.pid}`,
          role,
          version,
          started_at: startedAt,
          ...seen,
        })
        .onConflict((conflict) => conflict.column('node').doUpdateSet(seen))
        .execute();
      return null;
    },
  });
  return {
    start: () => rounds.start(),
    async stop() {
      await rounds.stop();
      facts.stop();
      await db.deleteFrom('node_reports').where('node', '=', node).execute();
    },
  };
};
