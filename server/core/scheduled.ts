import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import type { JobCount, QueueJob, ScheduledJobName, TimedJob } from '#contract/scheduled.ts';
import type { Db } from '#database/connect.ts';
import type { CoreDeps } from '#server/core/core-deps.ts';
import { createBackground } from './background.ts';
import { fault } from './fault.ts';
import { createRounds, type RoundReport } from './rounds.ts';

type JobResult = Partial<Record<JobCount, number>>;
export interface TimedWork {
  name: TimedJob;
  /** When it is due, given the start of the last run (null: it never ran); null: only on request. */
  next(last: number | null, now: number): number | null | Promise<number | null>;
  /** Does the work. `signal` aborts when the node stops or another node has taken over the job. */
  run(given: { now: number; signal: AbortSignal }): Promise<JobResult>;
}
/** Due at once if it never ran, then at this interval after each start. */
export const every =
  (ms: number): TimedWork['next'] =>
  (last, now) =>
    last === null ? now : last + ms;

export interface Scheduled {
  add(work: TimedWork): void;
  /** A job with its own queue: `wake` runs a round. Returns a function that records the report of each round. */
  watch(name: QueueJob, wake: () => void): (round: RoundReport) => void;
  /** The result of `next` has changed. */
  replan(name: TimedJob): Promise<void>;
  start(): Promise<void>;
  stop(): Promise<void>;
}

/** The job of a dead node is free for other nodes after this time. */
const leaseMs = 60_000;
const renewMs = 20_000;
/** A failed run is retried after this time, if it is not due earlier. */
const retryMs = 5 * 60_000;
/** Minimum interval for recording a queue that works well. */
const noteMs = 30_000;
const longestError = 500;

const errorText = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).slice(0, longestError);

/**
 * Runs registered jobs when they are due, each once however many nodes there are: a node claims a job's row
 * with a lease, renews it while the job runs, and records the result.
 */
export const createScheduled = ({ db, bus, clock, log }: CoreDeps): Scheduled => {
  const node = randomUUID();
  const works = new Map<string, TimedWork>();
  const queues = new Map<QueueJob, () => void>();
  const running = new Map<string, Promise<void>>();
  const notedAt = new Map<QueueJob, number>();
  const notes = createBackground((error, job) => log.warn({ err: error, job }, 'round was not noted'));
  const stopping = new AbortController();
  let listening = () => {};

  const planOf = async (work: TimedWork, last: number | null): Promise<Date | null> => {
    const at = await work.next(last, clock.now());
    return at === null ? null : new Date(at);
  };
  /** Sets when a job is due, unless it has started since `last` was read. */
  const setDue = async (name: TimedJob, last: Date | null, next_at: Date | null): Promise<boolean> => {
    const { numInsertedOrUpdatedRows } = await db
      .insertInto('scheduled_jobs')
      .values({ name, next_at, result: '{}' })
      .onConflict((conflict) =>
        conflict
          .column('name')
          .doUpdateSet({
            // The retry of a failed run stays due.
            next_at: sql<Date | null>`case when scheduled_jobs.failures > 0
            then least(scheduled_jobs.next_at, excluded.next_at) else excluded.next_at end`,
          })
          .where(sql<boolean>`scheduled_jobs.started_at is not distinct from ${last}::timestamptz`),
      )
      .executeTakeFirst();
    return numInsertedOrUpdatedRows === 1n;
  };
  const replan = async (name: TimedJob): Promise<void> => {
    const work = works.get(name);
    if (!work) return;
    for (;;) {
      const row = await db
        .selectFrom('scheduled_jobs')
        .select('started_at')
        .where('name', '=', name)
        .executeTakeFirst();
      const last = row?.started_at ?? null;
      // Another node may start the job meanwhile; if the time planned after the previous run were kept, the
      // job would run twice.
      if (await setDue(name, last, await planOf(work, last?.getTime() ?? null))) break;
    }
    rounds.wake();
  };

  /** Claims the job if it is due or requested and no other node has it. */
  const claim = async (name: string, now: number) => {
    const held_until = new Date(now + leaseMs);
    const started_at = new Date(now);
    const { numUpdatedRows } = await db
      .updateTable('scheduled_jobs')
      .set({ holder: node, held_until, started_at, asked_at: null })
      .where('name', '=', name)
      .where(({ eb, or }) => or([eb('next_at', '<=', started_at), eb('asked_at', 'is not', null)]))
      .where(({ eb, or }) => or([eb('holder', 'is', null), eb('held_until', '<=', started_at)]))
      .executeTakeFirst();
    return numUpdatedRows === 1n;
  };

  /** Renews the lease until `end`; `lost` is called when another node has the job. */
  const keep = (name: string, lost: () => void): (() => void) => {
    let cancel = () => {};
    const renew = async () => {
      const { numUpdatedRows } = await db
        .updateTable('scheduled_jobs')
        .set({ held_until: new Date(clock.now() + leaseMs) })
        .where('name', '=', name)
        .where('holder', '=', node)
        .executeTakeFirst();
      if (numUpdatedRows === 0n) lost();
    };
    const later = () => {
      cancel = clock.after(renewMs, () => {
        later();
        renew().catch((error: unknown) => log.warn({ err: error, job: name }, 'lease was not renewed'));
      });
    };
    later();
    return () => cancel();
  };

  const run = async (work: TimedWork, startedAt: number): Promise<void> => {
    const { name } = work;
    const taken = new AbortController();
    const letGo = keep(name, () => taken.abort());
    const began = clock.now();
    let result: JobResult = {};
    let error: string | null = null;
    try {
      const signal = AbortSignal.any([stopping.signal, taken.signal]);
      result = await work.run({ now: startedAt, signal });
    } catch (thrown) {
      error = errorText(thrown);
      if (!stopping.signal.aborted) log.error({ err: thrown, job: name }, 'scheduled job failed');
    } finally {
      letGo();
    }
    const ended = clock.now();
    const next = await planOf(work, startedAt);
    const again =
      next === null || error === null ? next : new Date(Math.min(next.getTime(), ended + retryMs));
    await db
      .updateTable('scheduled_jobs')
      .set({
        holder: null,
        held_until: null,
        ended_at: new Date(ended),
        duration_ms: ended - began,
        outcome: error === null ? 'done' : 'failed',
        result: JSON.stringify(result),
        error,
        next_at: again,
        failures: error === null ? 0 : sql<number>`failures + 1`,
        runs: sql<number>`runs + 1`,
      })
      .where('name', '=', name)
      .where('holder', '=', node)
      .execute();
  };

  const wakeAskedQueues = async (): Promise<void> => {
    if (queues.size === 0) return;
    const asked = await db
      .updateTable('scheduled_jobs')
      .set({ asked_at: null })
      .where('name', 'in', [...queues.keys()])
      .where('asked_at', 'is not', null)
      .returning('name')
      .execute();
    for (const { name } of asked) queues.get(name as QueueJob)?.();
  };
  /** Records that a run ended with its node, before another run begins. */
  const noteLost = (now: Date) =>
    db
      .updateTable('scheduled_jobs')
      .set({
        holder: null,
        held_until: null,
        ended_at: now,
        duration_ms: null,
        outcome: 'lost',
        error: null,
        next_at: sql<Date | null>`least(next_at, ${new Date(now.getTime() + retryMs)}::timestamptz)`,
        failures: sql<number>`failures + 1`,
      })
      .where('held_until', '<=', now)
      .execute();

  const rounds = createRounds({
    name: 'scheduled work',
    clock,
    log,
    async round() {
      const now = clock.now();
      await noteLost(new Date(now));
      await wakeAskedQueues();
      for (const work of works.values()) {
        if (running.has(work.name) || stopping.signal.aborted || !(await claim(work.name, now))) continue;
        const done = run(work, now)
          .catch((error: unknown) => log.error({ err: error, job: work.name }, 'run was not noted'))
          .finally(() => {
            running.delete(work.name);
            rounds.wake();
          });
        running.set(work.name, done);
      }
      const idle = [...works.keys()].filter((name) => !running.has(name));
      if (idle.length === 0) return null;
      const { at } = await db
        .selectFrom('scheduled_jobs')
        // A job of another node is checked again when its lease ends.
        .select(({ fn }) => fn.min<Date | null>(fn.coalesce('held_until', 'next_at')).as('at'))
        .where('name', 'in', idle)
        .executeTakeFirstOrThrow();
      return at?.getTime() ?? null;
    },
  });

  const note = async (name: QueueJob, round: RoundReport): Promise<void> => {
    const error = round.error === undefined ? null : errorText(round.error);
    const values = {
      started_at: new Date(round.startedAt),
      ended_at: new Date(round.endedAt),
      duration_ms: round.endedAt - round.startedAt,
      outcome: error === null ? ('done' as const) : ('failed' as const),
      next_at: round.nextAt === null ? null : new Date(round.nextAt),
      error,
    };
    await db
      .insertInto('scheduled_jobs')
      .values({ name, ...values, result: '{}', runs: 1, failures: error === null ? 0 : 1 })
      .onConflict((conflict) =>
        conflict.column('name').doUpdateSet({
          ...values,
          runs: sql<number>`scheduled_jobs.runs + 1`,
          failures: error === null ? 0 : sql<number>`scheduled_jobs.failures + 1`,
        }),
      )
      .execute();
  };

  return {
    add: (work) => works.set(work.name, work),
    watch(name, wake) {
      queues.set(name, wake);
      return (round) => {
        const last = notedAt.get(name) ?? Number.NEGATIVE_INFINITY;
        if (round.error === undefined && round.endedAt - last < noteMs) return;
        notedAt.set(name, round.error === undefined ? round.endedAt : Number.NEGATIVE_INFINITY);
        notes.run(name, () => note(name, round));
      };
    },
    replan,
    async start() {
      for (const work of works.values()) await replan(work.name);
      listening = bus.on('scheduled.asked', () => rounds.wake());
      rounds.start();
    },
    async stop() {
      listening();
      stopping.abort();
      await rounds.stop();
      await Promise.all([...running.values(), notes.settled()]);
    },
  };
};

/**
 * Requests a run of a job, by any node that runs jobs. Throws if no node has registered it, or it is running.
 */
export const askForRun = async (db: Db, name: ScheduledJobName, now: number): Promise<void> => {
  const row = await db
    .selectFrom('scheduled_jobs')
    .select(['holder', 'held_until'])
    .where('name', '=', name)
    .forUpdate()
    .executeTakeFirst();
  if (!row) return fault('scheduled.missing');
  if (row.holder !== null && row.held_until!.getTime() > now) fault('scheduled.running');
  await db
    .updateTable('scheduled_jobs')
    .set({ asked_at: new Date(now) })
    .where('name', '=', name)
    .execute();
};
