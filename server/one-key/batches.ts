import type { Logger } from 'pino';
import type { Db } from '#database/connect.ts';
import type { Clock } from '#server/core/clock.ts';
import { createRounds } from '#server/core/rounds.ts';
import { type StepDeps, stepBatch } from './step.ts';

interface BatchesDeps extends StepDeps {
  clock: Clock;
  log: Logger;
}
export interface Batches {
  /** Ends batches that a dead node left unfinished. */
  start(): Promise<void>;
  /** Sends nothing more; unsent lines are reported as not sent. */
  stop(): Promise<void>;
  /** Runs a batch whose rows are committed. */
  run(batchId: string, paceMs: number): void;
}
const beatMs = 3000;
/** After this time without progress, the node of a running batch is considered dead. */
const silentMs = 10_000;
const openedAtOnce = 100;
const openWorkers = 2;
const mostFailures = 3;

/** Marks unsent lines and ends the batches; their commands continue in `server/control`. */
const interrupt = (db: Db, ids: readonly string[], now: number): Promise<void> =>
  db.transaction().execute(async (trx) => {
    if (ids.length === 0) return;
    const at = new Date(now);
    await trx
      .updateTable('batches')
      .set({ state: 'interrupted', ended_at: at })
      .where('id', 'in', ids)
      .where('state', '=', 'running')
      .execute();
    await trx
      .updateTable('batch_lines')
      .set({ state: 'not_sent', reason: 'batch.interrupted', at })
      .where('batch_id', 'in', ids)
      .where('state', '=', 'waiting')
      .execute();
  });

export const createBatches = ({ clock, log, ...deps }: BatchesDeps): Batches => {
  const { db } = deps;
  const running = new Map<string, Promise<void>>();
  const pauses = new Set<() => void>();
  let stopped = false;

  const pause = (ms: number): Promise<void> =>
    new Promise((resolve) => {
      const over = () => {
        cancel();
        pauses.delete(over);
        resolve();
      };
      const cancel = clock.after(ms, over);
      pauses.add(over);
    });
  const beat = (batchId: string) =>
    db
      .updateTable('batches')
      .set({ beat_at: new Date(clock.now()) })
      .where('id', '=', batchId)
      .where('state', '=', 'running')
      .execute();

  /** Processes lines until none is left, with a pause of `paceMs` between two lines. */
  const work = async (batchId: string, paceMs: number, atOnce: number): Promise<void> => {
    let failures = 0;
    let beatenAt = clock.steady();
    while (!stopped) {
      try {
        if ((await stepBatch(deps, batchId, { now: clock.now(), limit: atOnce, silentMs })) === 0) return;
        failures = 0;
        if (clock.steady() - beatenAt >= beatMs) {
          beatenAt = clock.steady();
          await beat(batchId);
        }
      } catch (error) {
        failures += 1;
        if (failures >= mostFailures) throw error;
        log.warn({ err: error, batch: batchId }, 'one-key: lines were not asked for at once');
      }
      // A step that took long shortens no pause: the inrush currents must not add up.
      if (paceMs > 0) await pause(paceMs);
    }
  };
  const runWhole = async (batchId: string, paceMs: number): Promise<void> => {
    try {
      if (paceMs > 0) await work(batchId, paceMs, 1);
      else await Promise.all(Array.from({ length: openWorkers }, () => work(batchId, 0, openedAtOnce)));
    } catch (error) {
      log.error({ err: error, batch: batchId }, 'one-key: a batch was given up');
    }
    const left = await db
      .selectFrom('batch_lines')
      .select('position')
      .where('batch_id', '=', batchId)
      .where('state', '=', 'waiting')
      .limit(1)
      .executeTakeFirst();
    if (left) return interrupt(db, [batchId], clock.now());
    await db
      .updateTable('batches')
      .set({ state: 'done', ended_at: new Date(clock.now()) })
      .where('id', '=', batchId)
      .where('state', '=', 'running')
      .execute();
  };

  const rounds = createRounds({
    name: 'batches',
    clock,
    log,
    longestMs: 30_000,
    async round() {
      const rows = await db
        .selectFrom('batches')
        .select(['id', 'beat_at'])
        .where('state', '=', 'running')
        .execute();
      const others = rows.filter((row) => !running.has(row.id));
      const silent = others.filter((row) => row.beat_at.getTime() <= clock.now() - silentMs);
      await interrupt(
        db,
        silent.map((row) => row.id),
        clock.now(),
      );
      return others.length > silent.length ? clock.now() + silentMs : null;
    },
  });

  return {
    async start() {
      rounds.start();
    },
    async stop() {
      stopped = true;
      for (const over of pauses) over();
      await Promise.all(running.values());
      await rounds.stop();
    },
    run(batchId, paceMs) {
      const whole = runWhole(batchId, paceMs)
        .catch((error: unknown) => log.error({ err: error, batch: batchId }, 'one-key: a batch was left'))
        .finally(() => running.delete(batchId));
      running.set(batchId, whole);
    },
  };
};
