/** Exact totals without scanning a million rows. */
import { sql } from 'kysely';
import type { AlarmFilter } from '#contract/alarms.ts';
import type { Db } from '#database/connect.ts';
import type { Scope } from '#server/core/scope.ts';
import { all, type Condition, conditionsOf } from './filter.ts';

/** Below this number of alarms counting the rows themselves is as fast. */
const worthATally = 20_000;
const tallied: ReadonlySet<string> = new Set(['status', 'level', 'severity', 'typeNumber']);

export const countOf = async (db: Db, conditions: readonly Condition[]): Promise<number> => {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from alarms a where ${all(conditions)}`.execute(db);
  return rows[0]?.count ?? 0;
};
const count = async (db: Db, scope: Scope, filter: AlarmFilter) =>
  countOf(db, await conditionsOf(db, scope, filter));

/**
 * The number of alarms that a filter shows. For a user who sees everything it is the sum of the stored
 * totals. Active alarms are few, so ended ones are the total minus the active ones; alarms outside a long
 * range are subtracted likewise. `known`: the filter's conditions, if they were already looked up.
 */
export const countMatching = async (
  db: Db,
  scope: Scope,
  filter: AlarmFilter,
  known?: readonly Condition[],
): Promise<number> => {
  const counted = () => (known ? countOf(db, known) : count(db, scope, filter));
  const { active, ...open } = filter;
  if (active === false && filter.suppressed !== true) {
    const [both, standing] = await Promise.all([
      countMatching(db, scope, open),
      count(db, scope, { ...open, active: true }),
    ]);
    return both - standing;
  }
  const { from, to, ...timeless } = filter;
  const given = Object.entries(timeless).filter(([, value]) => value !== undefined);
  if (!scope.all || given.some(([name]) => !tallied.has(name))) return counted();
  const tally = await tallyOf(db, filter);
  if (tally === null) return counted();
  if (from === undefined && to === undefined) return tally;
  if (!(await isMostOfTime(db, from, to))) return counted();
  const [before, after] = await Promise.all([
    from === undefined ? 0 : count(db, scope, { ...timeless, to: from }),
    to === undefined ? 0 : count(db, scope, { ...timeless, from: to }),
  ]);
  return tally - before - after;
};

/** Null: with so few alarms the caller counts the rows instead. */
const tallyOf = async (db: Db, filter: AlarmFilter): Promise<number | null> => {
  const conditions: Condition[] = [sql`true`];
  if (filter.status !== undefined) conditions.push(sql`processed = ${filter.status === 'processed'}`);
  if (filter.level !== undefined) conditions.push(sql`level = ${filter.level}`);
  if (filter.severity !== undefined) conditions.push(sql`severity = ${filter.severity}`);
  if (filter.typeNumber?.length) conditions.push(sql`code = any(${filter.typeNumber}::smallint[])`);
  const { rows } = await sql<{ everything: number; matching: number }>`
    select coalesce(sum(n), 0)::bigint as everything,
      coalesce(sum(n) filter (where ${all(conditions)}), 0)::bigint as matching
    from alarm_tallies`.execute(db);
  const { everything = 0, matching = 0 } = rows[0] ?? {};
  return everything < worthATally ? null : matching;
};

/** Whether a range covers more than half of the time since the first alarm. */
const isMostOfTime = async (db: Db, from: string | undefined, to: string | undefined): Promise<boolean> => {
  const { rows } = await sql<{ first: Date | null; last: Date | null }>`
    select min(raised_at) as first, max(raised_at) as last from counted_alarms()`.execute(db);
  const first = rows[0]?.first?.getTime() ?? 0;
  const last = rows[0]?.last?.getTime() ?? 0;
  const begin = Math.max(first, from === undefined ? first : Date.parse(from));
  const end = Math.min(last, to === undefined ? last : Date.parse(to));
  return end - begin > (last - first) / 2;
};
