/** Delays that were running when the process ended, and counters: the stored readings show them. */
import type pg from 'pg';
import type { LineRef } from '#server/core/group.ts';
import { Draft } from './changes.ts';
import { holdMs, isRunning, type Watch } from './delays.ts';
import { judgeReading } from './evaluate-reading.ts';
import { type LineChecks, sharedChecks } from './limits.ts';
import { AlarmMemory, freshCondition } from './memory.ts';
import { judgedReading, lineRefOf, type StoredLine, storedLine } from './stored-lines.ts';

interface NewestRow extends StoredLine {
  at: Date;
  position: 0 | 1 | null;
  channels: string;
}
interface SampleRow {
  line_id: number;
  at: Date;
  position: 0 | 1 | null;
  flags: number | null;
  channels: (number | null)[];
}
interface Sample {
  at: number;
  position: 0 | 1 | null;
  channels: readonly (number | null)[];
  faults: readonly number[];
}
interface Line {
  ref: LineRef;
  checks: LineChecks;
  newest: Sample;
}
type Running = Pick<Watch, 'early' | 'alarm' | 'normal'> & {
  code: number;
  phase: number;
  key: number;
  longestMs: number;
};

const linesAtOnce = 25_000;
const replayedAtOnce = 200;
/** Per line; a delay that began earlier counts from the oldest of them. */
const mostSamples = 1000;
const reportedFault = 8;

/**
 * Restores since when values have been beyond their limits, or normal again during an active alarm. Only
 * lines whose newest reading shows either are replayed, and only for the length of their delay.
 */
export const restoreDelays = async (pool: pg.Pool, memory: AlarmMemory): Promise<void> => {
  memory.forgetDelays();
  const checksOf = sharedChecks(() => () => Number.POSITIVE_INFINITY);
  let rows = await newestAfter(pool, 0);
  while (rows.length > 0) {
    const lines = rows.map((row) => lineOf(row, checksOf));
    for (const line of lines) restoreCounter(memory, line);
    const pending = lines.flatMap((line) => {
      const delayMs = Math.max(0, ...runningOf(memory, line, [line.newest]).map((each) => each.longestMs));
      return delayMs > 0 ? [{ line, delayMs }] : [];
    });
    for (let from = 0; from < pending.length; from += replayedAtOnce)
      await replay(pool, memory, pending.slice(from, from + replayedAtOnce));
    rows = await newestAfter(pool, rows.at(-1)?.line_id ?? 0);
  }
};

/** What a limiter counted before the process ended: an increase meanwhile is a short circuit. */
const restoreCounter = (memory: AlarmMemory, { ref, checks, newest }: Line): void => {
  const counted = newest.channels[checks.remembered.shortCircuits];
  if (typeof counted === 'number') memory.line(ref.lineId, ref.deviceId).memory.shortCircuits = counted;
};

const replay = async (
  pool: pg.Pool,
  memory: AlarmMemory,
  pending: readonly { line: Line; delayMs: number }[],
): Promise<void> => {
  const before = Map.groupBy(await samplesBefore(pool, pending), (row) => row.line_id);
  for (const { line } of pending) {
    const samples = (before.get(line.ref.lineId) ?? []).map(sampleOf);
    const { conditions } = memory.line(line.ref.lineId, line.ref.deviceId);
    for (const { code, phase, key, early, alarm, normal } of runningOf(memory, line, [
      ...samples,
      line.newest,
    ])) {
      const condition = conditions.get(key) ?? freshCondition(code, phase);
      conditions.set(key, Object.assign(condition, { early, alarm, normal }));
    }
  }
};

/**
 * The delays that are running after these samples. They are evaluated in a separate memory that raises and
 * ends nothing.
 */
const runningOf = (memory: AlarmMemory, line: Line, samples: readonly Sample[]): Running[] => {
  const { ref, checks, newest } = line;
  const replayed = new AlarmMemory();
  const state = replayed.line(ref.lineId, ref.deviceId);
  for (const { active } of memory.known(ref.lineId)?.conditions.values() ?? [])
    if (active) replayed.take({ ...active }, false);
  const draft = new Draft(() => false);
  for (const sample of samples)
    judgeReading(
      draft,
      { state, checks, orphans: [] },
      judgedReading(ref, { ...sample, channels: [...sample.channels] }),
      () => true,
    );
  if (state.conditions.size === 0) return [];
  return checks.checks.flatMap(({ type, phase, key, timing }) => {
    const condition = state.conditions.get(key);
    if (!condition) return [];
    const onMs = timing.atOnce ? 0 : timing.onMs;
    const offMs = newest.at < condition.chatteringUntil ? holdMs(timing.offMs) : timing.offMs;
    const since = (from: number, delayMs: number) =>
      isRunning(from, newest.at, delayMs) ? from : Number.NaN;
    const stands = memory.known(ref.lineId)?.conditions.get(key)?.active;
    const early = since(condition.early, onMs);
    const alarm = since(condition.alarm, onMs);
    const normal = stands ? since(condition.normal, offMs) : Number.NaN;
    if ([early, alarm, normal].every(Number.isNaN)) return [];
    const longestMs = Number.isNaN(normal) ? onMs : offMs;
    return [{ code: type.code, phase, key, early, alarm, normal, longestMs }];
  });
};

const sampleOf = ({ at, position, flags, channels }: SampleRow): Sample => ({
  at: at.getTime(),
  position,
  channels,
  faults:
    (flags ?? 0) & reportedFault ? channels.flatMap((value, index) => (value === null ? [index] : [])) : [],
});

const lineOf = (row: NewestRow, checksOf: (line: LineRef) => LineChecks): Line => {
  const ref = lineRefOf(row);
  const checks = checksOf(ref);
  const channels = JSON.parse(
    `[${row.channels.slice(1, -1).replaceAll(/NULL|NaN|-?Infinity/g, 'null')}]`,
  ) as (number | null)[];
  return { ref, checks, newest: { at: row.at.getTime(), position: row.position, channels, faults: [] } };
};

const newestAfter = async (pool: pg.Pool, lineId: number): Promise<NewestRow[]> => {
  const { rows } = await pool.query<NewestRow>(
    `select ${storedLine.columns}, t.at, t.position, t.channels::text as channels
     from (select * from line_latest where line_id > $1 order by line_id limit ${linesAtOnce}) t
       join lines l on l.id = t.line_id
       ${storedLine.joins}
     order by t.line_id`,
    [lineId],
  );
  return rows;
};

/**
 * Readings before the newest one of each line, for the length of its delay, oldest first; without backlog.
 */
const samplesBefore = async (
  pool: pg.Pool,
  pending: readonly { line: Line; delayMs: number }[],
): Promise<SampleRow[]> => {
  const { rows } = await pool.query<SampleRow>(
    `select r.* from unnest($1::int[], $2::timestamptz[], $3::timestamptz[]) as asked (line_id, since, until)
       cross join lateral (
         select line_id, at, position, flags, channels from readings
         where line_id = asked.line_id and at >= asked.since and at < asked.until
           and coalesce(flags, 0) & 1 = 0
         order by at desc limit ${mostSamples}) r
     order by r.line_id, r.at`,
    [
      pending.map(({ line }) => line.ref.lineId),
      pending.map(({ line, delayMs }) => new Date(line.newest.at - delayMs)),
      pending.map(({ line }) => new Date(line.newest.at)),
    ],
  );
  return rows;
};
