import type pg from 'pg';
import type { Clock } from '#server/core/clock.ts';
import { transact } from '#server/core/in-transaction.ts';
import { every, type TimedWork } from '#server/core/scheduled.ts';
import { writersEnded } from '#server/core/under-way.ts';
import { moveCut, moveThrough, readThrough } from './cut.ts';
import { sumLoad } from './load.ts';
import { rebuildSome } from './rebuild.ts';
import { recompute, type Touched } from './rollups.store.ts';

export interface RollupDeps {
  pool: pg.Pool;
  clock: Clock;
  /**
   * How long readings and minutes are kept; hours and days are kept forever. Older periods are not
   * recalculated.
   */
  retentionDays?: () => Promise<number>;
  /** How long a round waits for transactions that store readings. */
  patienceMs?: number;
}
export interface Rollups {
  /** Does the due work; rounds never overlap. Returns how many lines were recalculated. */
  round(): Promise<number>;
  stop(): Promise<void>;
}

const minuteMs = 60_000;
const hourMs = 3_600_000;
const dayMs = 86_400_000;
const roundMs = minuteMs;
/** Most readings are stored this soon after their time; a round reads this much again. */
const slackMs = 10_000;
/** How long a round waits for transactions that store readings; if they last longer, the next round repeats it. */
const patienceMs = 2_000;
/** The clocks of two nodes that store readings of a line, one after the other, differ by less. */
const skewMs = minuteMs;
const linesAtOnce = 200;
/** A statement costs much by itself, so a batch is large; what it reads must fit into memory. */
const mostFresh = { lines: 1000, ms: 1000 * 3 * minuteMs };
const freshAtOnce = (stretchMs: number) =>
  Math.max(20, Math.min(mostFresh.lines, Math.floor(mostFresh.ms / stretchMs)));
/** A line that was away for long is processed in long stretches if few lines wait. */
const longestStretchHours = 7 * 24;
const hoursAtOnce = 1000;
/** One node at a time processes the rollups; another takes over when its connection ends. */
const workerLock = 7_204_010;

/**
 * Keeps minutes, quarters, hours, days, months and the load of projects up to date with the readings. Fresh
 * readings are those since the cut of the last finished round, found by `line_latest.received_at`; those that
 * are stored later mark themselves in `rollup_dirty`. Both are in the database, so a crash loses nothing
 * (decision 0310).
 */
export const createRollups = ({
  pool,
  clock,
  retentionDays = async () => 90,
  patienceMs: patience = patienceMs,
}: RollupDeps): Rollups => {
  let running: Promise<number> | null = null;
  let stopped = false;

  const markDirty = (client: pg.ClientBase, hours: readonly { lineId: number; hour: number }[]) =>
    client.query(
      `insert into rollup_dirty as d (line_id, hour) select distinct * from unnest($1::int[], $2::timestamptz[])
       order by 1, 2 on conflict (line_id, hour) do update set since = null, until = null`,
      [hours.map((one) => one.lineId), hours.map((one) => new Date(one.hour))],
    );
  const write = async (client: pg.ClientBase, touched: readonly Touched[]) => {
    const further = await recompute(client, touched);
    if (further.length > 0)
      await markDirty(
        client,
        further.map(({ lineId, since }) => ({ lineId, hour: Math.floor(since / hourMs) * hourMs })),
      );
  };

  const workFresh = async (client: pg.ClientBase, now: number) => {
    const since = (await readThrough(client)) ?? now - dayMs;
    const cut = await moveCut(client, now - slackMs, now);
    const isWhole = await writersEnded(client, 'readings', patience);
    // A reading is never newer than its receipt.
    const lines = await client.query<{ line_id: number }>(
      'select line_id from line_latest where received_at >= $1 order by line_id',
      [new Date(since - skewMs)],
    );
    const atOnce = freshAtOnce(Math.max(1, now - since));
    for (let first = 0; first < lines.rows.length && !stopped; first += atOnce) {
      const batch = lines.rows.slice(first, first + atOnce);
      await transact(client, () =>
        write(
          client,
          batch.map((row) => ({ lineId: row.line_id, since, until: null })),
        ),
      );
    }
    if (stopped) return 0;
    if (isWhole) await moveThrough(client, cut, now);
    return lines.rows.length;
  };

  /** One stretch per line at a time, because the next one starts from the result of the previous one. */
  const workDirty = async (client: pg.ClientBase) => {
    const oldest = clock.now() - ((await retentionDays()) - 2) * dayMs;
    let lines = 0;
    for (let claimed = 1; claimed > 0 && !stopped; lines += claimed)
      claimed = await transact(client, async () => {
        const { rows } = await client.query<{ line_id: number; since: Date; until: Date }>(
          `with first as (
             select d.line_id, d.hour from rollup_dirty d
             where not exists (select from rollup_dirty e where e.line_id = d.line_id and e.hour < d.hour)
             order by d.line_id limit ${linesAtOnce} for update skip locked),
           mine as (
             delete from rollup_dirty d using first, (select count(*) as lines from first) all_lines
             where d.line_id = first.line_id
               and d.hour < first.hour + greatest(1, least(${longestStretchHours}, ${hoursAtOnce} / all_lines.lines)) * interval '1 hour'
             returning d.line_id, d.hour, d.since, d.until)
           select line_id, min(coalesce(since, hour)) as since,
             max(coalesce(until + interval '1 millisecond', hour + interval '1 hour')) as until
           from mine group by line_id`,
        );
        const touched = rows
          .map((row) => ({
            lineId: row.line_id,
            since: row.since.getTime(),
            until: row.until.getTime(),
          }))
          .filter((one) => one.until > oldest)
          .map((one) => ({ ...one, since: Math.max(one.since, oldest) }));
        if (touched.length > 0) await write(client, touched);
        return rows.length;
      });
    return lines;
  };
  /** Small steps, each in a transaction: days after a change of zone, and the load of projects. */
  const workStep = async (client: pg.ClientBase, step: (client: pg.ClientBase) => Promise<boolean>) => {
    for (let more = true; more && !stopped; ) more = await transact(client, () => step(client));
  };

  const work = async () => {
    const now = clock.now();
    const client = await pool.connect();
    let broken = true;
    let lines = 0;
    try {
      const { rows } = await client.query<{ mine: boolean }>('select pg_try_advisory_lock($1) as mine', [
        workerLock,
      ]);
      if (rows[0]?.mine) {
        lines = (await workFresh(client, now)) + (await workDirty(client));
        await workStep(client, rebuildSome);
        await workStep(client, sumLoad);
        await client.query('select pg_advisory_unlock($1)', [workerLock]);
      }
      broken = false;
    } finally {
      client.release(broken);
    }
    return lines;
  };
  const round = (): Promise<number> => {
    running ??= work().finally(() => {
      running = null;
    });
    return running;
  };

  return {
    round,
    async stop() {
      stopped = true;
      await running?.catch(() => {});
    },
  };
};

export const rollupWork = (rollups: Pick<Rollups, 'round'>): TimedWork => ({
  name: 'rollups',
  next: every(roundMs),
  run: async () => ({ changed: await rollups.round() }),
});
