import type pg from 'pg';
import type { Clock } from '#server/core/clock.ts';
import { transact } from '#server/core/in-transaction.ts';
import { every, type TimedWork } from '#server/core/scheduled.ts';
import { sumLoad } from './load.ts';
import { rebuildSome } from './rebuild.ts';
import { recompute, type Touched } from './rollups.store.ts';

export interface RollupDeps {
  pool: pg.Pool;
  clock: Clock;
  /** Readings and minutes are kept so long, hours and days for good: what is older is not computed again. */
  retentionDays?: () => Promise<number>;
}
export interface Rollups {
  /** Does what is due now; rounds never overlap. Returns how many lines were recomputed. */
  round(): Promise<number>;
  stop(): Promise<void>;
}

const minuteMs = 60_000;
const hourMs = 3_600_000;
const dayMs = 86_400_000;
const roundMs = minuteMs;
/** Fresh readings are at most so much older than their receipt; older ones, and those behind the latest, are in `rollup_dirty`. */
const freshMs = 2 * minuteMs;
/** A reading is committed at most so long after its receipt. */
const commitMs = 10 * minuteMs;
const linesAtOnce = 200;
/** A line that was away for long is worked off in long stretches where few lines wait. */
const longestStretchHours = 7 * 24;
const hoursAtOnce = 1000;
const watermark = 'rollups.through';
/** One node at a time works through the rollups; another takes over when its connection ends. */
const workerLock = 7_204_010;

/**
 * Keeps minutes, quarters, hours, days, months and the load of projects in step with the readings. Fresh readings are
 * found by `line_latest.received_at` since the last finished round, late ones by `rollup_dirty`: both are in the
 * database, so a crash loses nothing.
 */
export const createRollups = ({ pool, clock, retentionDays = async () => 90 }: RollupDeps): Rollups => {
  let running: Promise<number> | null = null;
  let stopped = false;

  const markDirty = (client: pg.ClientBase, hours: readonly { lineId: number; hour: number }[]) =>
    client.query(
      `insert into rollup_dirty as d (line_id, hour) select distinct * from unnest($1::int[], $2::timestamptz[])
       order by 1, 2 on conflict (line_id, hour) do update set hour = excluded.hour`,
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
    const { rows } = await client.query<{ value: number }>('select value from settings where key = $1', [
      watermark,
    ]);
    const through = rows[0]?.value ?? now - dayMs;
    const lines = await client.query<{ line_id: number }>(
      'select line_id from line_latest where received_at > $1 order by line_id',
      [new Date(through - commitMs)],
    );
    const since = Math.floor((through - commitMs - freshMs) / minuteMs) * minuteMs;
    for (let first = 0; first < lines.rows.length && !stopped; first += linesAtOnce) {
      const batch = lines.rows.slice(first, first + linesAtOnce);
      await transact(client, () =>
        write(
          client,
          batch.map((row) => ({ lineId: row.line_id, since, until: null })),
        ),
      );
    }
    if (stopped) return 0;
    await client.query(
      `insert into settings (key, value, updated_at) values ($1, $2, $3)
       on conflict (key) do update set value = excluded.value, updated_at = excluded.updated_at`,
      [watermark, JSON.stringify(now), new Date(now)],
    );
    return lines.rows.length;
  };

  /** One stretch of each line at a time: the next of a line starts from what the one before gave. */
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
             returning d.line_id, d.hour)
           select line_id, min(hour) as since, max(hour) + interval '1 hour' as until from mine group by line_id`,
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
  /** Small steps, each a transaction: days after a change of zone, load of projects. */
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
