import { sql } from 'kysely';
import * as z from 'zod';
import type { AlarmFilter, AlarmRow } from '#contract/alarms.ts';
import type { Db } from '#database/connect.ts';
import { cursorKey, cursorOf, storedInstant } from '#server/core/cursor.ts';
import { shareOf } from '#server/core/growth.ts';
import type { Scope } from '#server/core/scope.ts';
import { alarmDetail } from './detail.ts';
import { all, type Condition, conditionsOf } from './filter.ts';
import { shelfOf } from './shelved.ts';
import { countMatching, countOf } from './totals.ts';
import { alarmOnWire, type JoinedAlarm, joinedAlarms } from './view.ts';

interface ListRequest {
  page: number;
  limit: number;
  sort?: string | undefined;
  cursor?: string | undefined;
}
const exportBatch = 1000;

interface PageRequest {
  filter: AlarmFilter;
  sort: string | undefined;
  mark: Mark | null;
  limit: number;
  offset: number;
}
interface Mark {
  processed: boolean;
  severity: number;
  ended: boolean;
  at: string;
  id: number;
}

const bit = z.union([z.literal(0), z.literal(1)]);
const place = z.tuple([bit, z.int(), bit, storedInstant, z.int()]);
const markOf = (row: JoinedAlarm): string =>
  cursorOf(row.processed ? 1 : 0, row.severity, row.cleared_at === null ? 0 : 1, row.raised_text, row.id);
const readMark = (cursor: string): Mark => {
  const [processed, severity, ended, at, id] = cursorKey(cursor, place);
  return { processed: processed === 1, severity, ended: ended === 1, at, id };
};

/** `now` decides which alarms are still shelved. */
export const alarmStore = (db: Db, now: number) => ({
  /** One page. Totals are exact; with a cursor any page costs the same. */
  async list(request: ListRequest & AlarmFilter, scope: Scope) {
    const { page, limit, sort, cursor, ...filter } = request;
    const shelf = await shelfOf(db, now);
    const matching = await conditionsOf(db, scope, filter);
    const conditions = [...matching, ...shelf.shows(filter)];
    const mark = cursor === undefined ? null : readMark(cursor);
    const [rows, whole, aside] = await Promise.all([
      pageOf(db, conditions, { filter, sort, mark, limit, offset: mark ? 0 : (page - 1) * limit }),
      filter.shelved === true ? countOf(db, conditions) : countMatching(db, scope, filter, matching),
      filter.shelved === true ? 0 : shelf.countIn(matching),
    ]);
    const total = whole - aside;
    const last = rows.at(-1);
    return {
      list: rows.map(alarmOnWire),
      total,
      page,
      limit,
      next_cursor: rows.length === limit && last ? markOf(last) : null,
    };
  },

  /** Every matching row, newest first, fetched while it is read. */
  async *every(filter: AlarmFilter, scope: Scope): AsyncGenerator<AlarmRow> {
    const shelf = await shelfOf(db, now);
    const conditions = [...(await conditionsOf(db, scope, filter)), ...shelf.shows(filter)];
    for (let mark: Mark | null = null; ; ) {
      const page: PageRequest = { filter, sort: '-time', mark, limit: exportBatch, offset: 0 };
      const rows: JoinedAlarm[] = await pageOf(db, conditions, page);
      yield* rows.map(alarmOnWire);
      const last = rows.at(-1);
      if (!last || rows.length < exportBatch) return;
      mark = readMark(markOf(last));
    }
  },

  /** Conditions on `a` (alarms) for those that figures of past days count: shelved ones too (decision 0085). */
  async counted(filter: Omit<AlarmFilter, 'shelved'>, scope: Scope): Promise<Condition> {
    return all(await conditionsOf(db, scope, filter));
  },

  detail: (id: number, scope: Scope) => alarmDetail(db, id, scope, now),

  /** Ids and lines of all that match, newest first. */
  async matching(filter: AlarmFilter, scope: Scope, most: number): Promise<{ count: number; ids: number[] }> {
    const shelf = await shelfOf(db, now);
    const conditions = [...(await conditionsOf(db, scope, filter)), ...shelf.shows(filter)];
    const rows = await sql<{ id: number }>`select a.id from alarms a where ${all(conditions)}
      order by a.raised_at desc, a.id desc limit ${most + 1}`.execute(db);
    const count = rows.rows.length > most ? await countOf(db, conditions) : rows.rows.length;
    return { count, ids: rows.rows.map((row) => row.id) };
  },

  async census(filter: AlarmFilter, scope: Scope) {
    const shelf = await shelfOf(db, now);
    const matching = await conditionsOf(db, scope, filter);
    const conditions = [...matching, ...shelf.shows(filter)];
    const { rows } = await sql<{
      total: number;
      unprocessed: number;
      alarms: number;
      active: number;
      urged: number;
    }>`select count(*) as total, count(*) filter (where not a.processed) as unprocessed,
        count(*) filter (where a.level = 2) as alarms, count(*) filter (where a.cleared_at is null) as active,
        count(*) filter (where a.urged > 0) as urged
      from alarms a where ${all(conditions)}`.execute(db);
    const { total = 0, unprocessed = 0, alarms = 0, active = 0, urged = 0 } = rows[0] ?? {};
    return {
      total,
      unprocessed,
      processed: total - unprocessed,
      alarms,
      early_warnings: total - alarms,
      active,
      shelved: await shelf.countIn(matching),
      urged,
      handling_rate: shareOf(total - unprocessed, total),
    };
  },

  async spread(filter: AlarmFilter, scope: Scope) {
    const shelf = await shelfOf(db, now);
    const conditions = [...(await conditionsOf(db, scope, filter)), ...shelf.shows(filter)];
    const { rows } = await sql<{ typeNumber: number; count: number; unprocessed: number; active: number }>`
      select a.code as "typeNumber", count(*) as count, count(*) filter (where not a.processed) as unprocessed,
        count(*) filter (where a.cleared_at is null) as active
      from alarms a where ${all(conditions)} group by a.code order by count desc, a.code`.execute(db);
    return { types: rows };
  },

  async tips(scope: Scope) {
    const shelf = await shelfOf(db, now);
    const conditions = [...(await conditionsOf(db, scope, { status: 'unprocessed' })), ...shelf.shows({})];
    const [counts, newest] = await Promise.all([
      sql<{ level: number; critical: number; count: number }>`
        select a.level, count(*) as count, count(*) filter (where a.severity = 1) as critical
        from alarms a where ${all(conditions)} group by a.level`.execute(db),
      pageOf(db, conditions, {
        filter: { status: 'unprocessed' },
        sort: '-time',
        mark: null,
        limit: 5,
        offset: 0,
      }),
    ]);
    const ofLevel = (level: number) => counts.rows.find((row) => row.level === level)?.count ?? 0;
    return {
      unprocessed: ofLevel(1) + ofLevel(2),
      alarms: ofLevel(2),
      early_warnings: ofLevel(1),
      critical: counts.rows.reduce((sum, row) => sum + row.critical, 0),
      newest: newest.map(alarmOnWire).map(tipOf),
    };
  },
});

const tipOf = ({
  id,
  typeNumber,
  level,
  severity,
  time,
  project_name,
  device_number,
  line_name,
}: AlarmRow) => ({
  id,
  typeNumber,
  level,
  severity,
  time,
  project_name,
  device_number,
  line_name,
});

type Order = 'oldest' | 'newest' | 'gravest';
const orders: Readonly<Record<Order, Condition>> = {
  oldest: sql`a.raised_at, a.id`,
  newest: sql`a.raised_at desc, a.id desc`,
  // The same expressions as the index alarms_gravest.
  gravest: sql`a.severity, (a.cleared_at is not null), a.raised_at desc, a.id desc`,
};
/** Rows after a given row in this order. */
const after = (mark: Mark, order: Order): Condition => {
  const older = sql`(a.raised_at, a.id) < (${mark.at}::timestamptz, ${mark.id}::bigint)`;
  if (order === 'oldest') return sql`(a.raised_at, a.id) > (${mark.at}::timestamptz, ${mark.id}::bigint)`;
  if (order === 'newest') return older;
  return sql`a.severity >= ${mark.severity} and ((a.severity, (a.cleared_at is not null)) > (${mark.severity}, ${mark.ended})
    or (a.severity = ${mark.severity} and (a.cleared_at is not null) = ${mark.ended} and ${older}))`;
};

/**
 * The keys of a page come from one of the list's indexes; the other data is joined for these rows only. The
 * default order has two runs: unprocessed alarms, most severe first, then processed ones, newest first. A
 * cursor continues within its run.
 */
const pageOf = async (
  db: Db,
  conditions: readonly Condition[],
  request: PageRequest,
): Promise<JoinedAlarm[]> => {
  const { filter, sort, mark, limit, offset } = request;
  const rowsOf = async (order: Order, extra: readonly Condition[], from: Mark | null, skip: number) => {
    const page = sql`(select a.line_id, a.id from alarms a
      where ${all([...conditions, ...extra, ...(from ? [after(from, order)] : [])])}
      order by ${orders[order]} limit ${limit} offset ${skip})`;
    return (await sql<JoinedAlarm>`${joinedAlarms(page)} order by ${orders[order]}`.execute(db)).rows;
  };
  if (sort !== undefined) return rowsOf(sort === 'time' ? 'oldest' : 'newest', [], mark, offset);
  if (filter.status === 'processed') return rowsOf('newest', [], mark, offset);
  const run = (processed: boolean, skip: number) =>
    rowsOf(
      processed ? 'newest' : 'gravest',
      [processed ? sql`a.handled_at is not null` : sql`a.handled_at is null`],
      mark?.processed === processed ? mark : null,
      skip,
    );
  if (filter.status === 'unprocessed') return run(false, offset);
  const unprocessed = mark?.processed ? [] : await run(false, offset);
  if (unprocessed.length === limit) return unprocessed;
  const before =
    offset === 0 || unprocessed.length > 0
      ? offset + unprocessed.length
      : await countOf(db, [...conditions, sql`a.handled_at is null`]);
  const processed = await run(true, Math.max(0, offset - before));
  return [...unprocessed, ...processed].slice(0, limit);
};
