import type pg from 'pg';
import type { Bus } from '#server/core/bus.ts';
import type { Clock } from '#server/core/clock.ts';
import { transact } from '#server/core/in-transaction.ts';
import type { TimedWork } from '#server/core/scheduled.ts';
import { writersEnded } from '#server/core/under-way.ts';
import { moveCut, moveFolded, moveThrough, readFolded, readThrough } from './cut.ts';
import { minuteMs, minuteOf } from './energy.ts';
import { foldMinutes } from './fold.ts';
import { type Folds, foldsOf } from './folds-due.ts';
import { markWeek, sumLoad } from './load.ts';
import type { MinuteSums } from './minutes.ts';
import { rebuildSome } from './rebuild.ts';
import { recompute, type Touched, writeRunning } from './rollups.store.ts';
import { RunningMinutes } from './running.ts';

interface RollupDeps {
  pool: pg.Pool;
  clock: Clock;
  /**
   * How long readings and minutes are kept; hours and days are kept forever. Older periods are not
   * recalculated.
   */
  retentionDays?: () => Promise<number>;
  /** Reports readings that this process stored. */
  bus?: Pick<Bus, 'on'>;
  /** How long a round waits for transactions that store readings. */
  patienceMs?: number;
  /** While fewer lines than this are added up, a round also folds all minutes that it writes. */
  manyLines?: number;
}
export interface Rollups {
  /** Does the due work; rounds never overlap. Returns how many lines were recalculated. */
  round(): Promise<number>;
  /** Number of lines whose minutes were added up, or had to be read. */
  readonly counts: { added: number; read: number };
  stop(): Promise<void>;
}

const hourMs = 3_600_000;
const dayMs = 86_400_000;
/** After the end of each minute, when its last readings are stored. */
const roundAtMs = 12_000;
/** Most readings are stored within this time after they were measured; a round reads this much again. */
const slackMs = 10_000;
/** How long a round waits for transactions that store readings; if they last longer, the next round repeats it. */
const patienceMs = 2_000;
/** Maximum difference between the clocks of two nodes that store readings of one line. */
const skewMs = minuteMs;
/** How long a round calculates old sums of projects again. The rest is left to later rounds, so that fresh figures do not wait. */
const mostSumsMs = 10_000;
const linesAtOnce = 200;
/** Every statement has a fixed cost, so batches are large; their readings must fit into memory. */
const mostFresh = { lines: 1000, ms: 1000 * 3 * minuteMs };
const freshAtOnce = (stretchMs: number) =>
  Math.max(20, Math.min(mostFresh.lines, Math.floor(mostFresh.ms / stretchMs)));
/** If few lines wait, a line that was offline for long is processed in long stretches. */
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
  bus,
  retentionDays = async () => 90,
  patienceMs: patience = patienceMs,
  manyLines = 200,
}: RollupDeps): Rollups => {
  const running = bus ? new RunningMinutes() : null;
  const unlisten = running && bus?.on('readings.stored', running.take);
  const counts = { added: 0, read: 0 };
  let working: Promise<number> | null = null;
  let stopped = false;

  const markDirty = (client: pg.ClientBase, hours: readonly { lineId: number; hour: number }[]) =>
    client.query(
      `insert into rollup_dirty as d (line_id, hour) select distinct * from unnest($1::int[], $2::timestamptz[])
       order by 1, 2 on conflict (line_id, hour) do update set since = null, until = null`,
      [hours.map((one) => one.lineId), hours.map((one) => new Date(one.hour))],
    );
  const furtherOf = async (client: pg.ClientBase, further: readonly Touched[]) => {
    if (further.length > 0)
      await markDirty(
        client,
        further.map(({ lineId, since }) => ({ lineId, hour: Math.floor(since / hourMs) * hourMs })),
      );
  };

  /** Writes the added-up minutes; for the other lines it reads the readings. */
  const writeFresh = async (
    client: pg.ClientBase,
    lineIds: readonly number[],
    { since, until }: { since: number; until: number },
    folds: Folds,
  ) => {
    const added = running
      ? await writeRunning(client, lineIds, { since, until }, running)
      : { minutes: [], zones: new Map<number, string>(), left: lineIds };
    counts.added += added.zones.size;
    counts.read += added.left.length;
    const touched = added.left.map((lineId) => ({ lineId, since, until: null }));
    const seeds = running && {
      reading: (lines: readonly { lineId: number; uploadSeconds: number }[]) => running.await(lines),
      read: (lineId: number, sums: MinuteSums) => running.seed(lineId, sums, until),
    };
    const read = touched.length === 0 ? null : await recompute(client, touched, seeds);
    if (read) await furtherOf(client, read.further);
    const zones = new Map([...added.zones, ...(read?.zones ?? [])]);
    const due = [...folds.now(added.minutes), ...(read?.minutes ?? []), ...folds.waiting([...zones.keys()])];
    if (due.length > 0) await foldMinutes(client, due, zones);
  };

  const workFresh = async (client: pg.ClientBase, now: number) => {
    const since = (await readThrough(client)) ?? now - dayMs;
    const cut = await moveCut(client, now - slackMs, now);
    const isWhole = await writersEnded(client, 'readings', patience);
    // Only complete minutes are added up, so the present minute is left to the next round.
    const until = running ? minuteOf(cut) : cut;
    running?.begin(since);
    const mayWait = running !== null && running.size >= manyLines;
    const folds = foldsOf({ since, until, folded: await readFolded(client), mayWait });
    // A reading is never newer than its receipt. If the server clock went back, receipts prove nothing.
    const wentBack = cut > now - slackMs;
    const lines = await client.query<{ line_id: number }>(
      'select line_id from line_latest where received_at >= $1 or $2 order by line_id',
      [new Date(folds.since - skewMs), wentBack],
    );
    const reporting = lines.rows.map((row) => row.line_id);
    const lineIds = running ? running.withLeft(reporting) : reporting;
    const atOnce = freshAtOnce(Math.max(1, now - since));
    for (let first = 0; first < lineIds.length && !stopped; first += atOnce) {
      const batch = lineIds.slice(first, first + atOnce);
      await transact(client, () => writeFresh(client, batch, { since, until }, folds));
    }
    if (stopped) return 0;
    if (!isWhole) return lineIds.length;
    if (folds.areAllDue) await moveFolded(client, until, now);
    const through = await moveThrough(client, until, now);
    if (through === until) running?.end(until, reporting);
    return lineIds.length;
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
        if (touched.length > 0) {
          for (const { lineId } of touched) running?.forget(lineId);
          const { further, minutes, zones } = await recompute(client, touched);
          await furtherOf(client, further);
          await foldMinutes(client, minutes, zones);
        }
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
        const begun = performance.now();
        const isInTime = () => performance.now() - begun < mostSumsMs;
        while (isInTime() && !stopped && (await transact(client, () => markWeek(client))))
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
    working ??= work().finally(() => {
      working = null;
    });
    return working;
  };

  return {
    round,
    counts,
    async stop() {
      stopped = true;
      unlisten?.();
      await working?.catch(() => {});
    },
  };
};

export const rollupWork = (rollups: Pick<Rollups, 'round'>): TimedWork => ({
  name: 'rollups',
  next: (last, now) => (last === null ? now : minuteOf(last - roundAtMs) + minuteMs + roundAtMs),
  run: async () => ({ changed: await rollups.round() }),
});
