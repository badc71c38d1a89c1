/**
 * Reads the alarm log: occurrences that are not alarms to handle, because they were shorter than two seconds,
 * found in late readings, or of a switched-off type.
 */
import { sql } from 'kysely';
import * as z from 'zod';
import { alarmPhases, alarmTypeOf, valueTypes } from '#contract/alarm-catalogue.ts';
import { type AlarmLogRow, type alarmEndpoints, alarmLogCounted } from '#contract/alarms.ts';
import type { BodyOf, ReplyOf } from '#contract/endpoint.ts';
import type { Db } from '#database/connect.ts';
import { containing } from '#server/core/containing.ts';
import { cursorKey, cursorOf, storedInstant } from '#server/core/cursor.ts';
import { inOwnTime } from '#server/core/ownership.ts';
import { holds, inScope, type Scope } from '#server/core/scope.ts';
import { all, type Condition, projectsNamed } from './filter.ts';

type Request = BodyOf<typeof alarmEndpoints.log>;
type Filter = BodyOf<typeof alarmEndpoints.exportLog>;
const place = z.tuple([storedInstant, z.int(), z.int(), z.int()]);

interface LogRow {
  line_id: number;
  at: Date;
  at_text: string;
  ended_at: Date | null;
  code: number;
  phase: number;
  level: number;
  value: number | null;
  threshold: number | null;
  late: boolean;
  line_n: number | null;
  line_name: string | null;
  device_id: number | null;
  device_number: string | null;
  project_id: number | null;
  project_name: string | null;
  part_name: string | null;
  alarm_id: number | null;
  alarm_project_id: number | null;
  alarm_part_id: number | null;
}

/** An entry that has only an end belongs to an alarm of the lists. `e` is the log entry, `d` its device. */
const conditionsOf = async (db: Db, scope: Scope, filter: Filter): Promise<Condition[]> => {
  const conditions: Condition[] = [sql`e.kind = 'raised'`];
  if (!scope.all)
    conditions.push(
      sql`${inScope(scope, 'd.project_id', 'd.part_id')} and ${inOwnTime(scope, 'd.id', 'e.at')}`,
    );
  if (filter.level !== undefined) conditions.push(sql`e.level = ${filter.level}`);
  if (filter.typeNumber !== undefined && filter.typeNumber.length > 0)
    conditions.push(sql`e.code = any(${filter.typeNumber}::smallint[])`);
  if (filter.line_id !== undefined) conditions.push(sql`e.line_id = ${filter.line_id}`);
  if (filter.device_id !== undefined) conditions.push(sql`d.id = ${filter.device_id}`);
  if (filter.number !== undefined) conditions.push(sql`d.number ilike ${containing(filter.number)}`);
  if (filter.project_id !== undefined) conditions.push(sql`d.project_id = ${filter.project_id}`);
  if (filter.project_name !== undefined)
    conditions.push(sql`d.project_id = any(${await projectsNamed(db, filter.project_name)}::int[])`);
  if (filter.from !== undefined) conditions.push(sql`e.at >= ${filter.from}::timestamptz`);
  if (filter.to !== undefined) conditions.push(sql`e.at < ${filter.to}::timestamptz`);
  return conditions;
};

/** Joins that no condition uses cost nothing: the database removes them. */
const source = sql`alarm_events e left join lines l on l.id = e.line_id left join devices d on d.id = l.device_id`;

interface Page {
  conditions: readonly Condition[];
  oldestFirst: boolean;
  cursor: string | undefined;
  limit: number;
  offset: number;
}
const pageOf = async (
  db: Db,
  { conditions, oldestFirst, cursor, limit, offset }: Page,
): Promise<LogRow[]> => {
  const order = (direction: Condition) =>
    sql.join(['at', 'line_id', 'code', 'phase'].map((key) => sql`${sql.ref(`e.${key}`)} ${direction}`));
  const inOrder = order(oldestFirst ? sql`asc` : sql`desc`);
  const after = cursor === undefined ? null : cursorKey(cursor, place);
  const beyond = after && [
    sql`(e.at, e.line_id, e.code, e.phase) ${oldestFirst ? sql`>` : sql`<`}
      (${after[0]}::timestamptz, ${after[1]}::int, ${after[2]}::smallint, ${after[3]}::smallint)`,
  ];
  const { rows } =
    await sql<LogRow>`select e.line_id, e.at, e.at::text as at_text, ending.at as ended_at, e.code, e.phase, e.level, e.value,
        e.threshold, e.late, l.n as line_n, l.name as line_name, d.id as device_id, d.number as device_number, d.project_id,
        p.name as project_name, part.name as part_name, a.id as alarm_id, a.project_id as alarm_project_id,
        a.part_id as alarm_part_id
      from (select e.* from ${source} where ${all([...conditions, ...(beyond ?? [])])}
          order by ${inOrder} limit ${limit} offset ${after ? 0 : offset}) e
        left join lines l on l.id = e.line_id
        left join devices d on d.id = l.device_id
        left join projects p on p.id = d.project_id
        left join project_parts part on part.id = d.part_id
        left join lateral (select c.at from alarm_events c
          where c.line_id = e.line_id and c.at >= e.at and c.kind = 'cleared' and c.code = e.code
            and c.phase = e.phase and c.event_id = e.event_id order by c.at limit 1) ending on true
        left join alarms a on a.line_id = e.line_id and a.event_id = e.event_id and a.code = e.code
          and a.raised_at = e.at
      order by ${inOrder}`.execute(db);
  return rows;
};
const markOf = ({ at_text, line_id, code, phase }: LogRow) => cursorOf(at_text, line_id, code, phase);

/** One page, newest first by default; with a cursor any page costs the same. */
export const alarmLog = async (
  db: Db,
  scope: Scope,
  body: Request,
): Promise<ReplyOf<typeof alarmEndpoints.log>> => {
  const { page, limit, cursor, sort } = body;
  const conditions = await conditionsOf(db, scope, body);
  const oldestFirst = sort === 'time';
  const [rows, total] = await Promise.all([
    pageOf(db, { conditions, oldestFirst, cursor, limit, offset: (page - 1) * limit }),
    countOf(db, conditions),
  ]);
  const last = rows.at(-1);
  return {
    list: rows.map((row) => onWire(row, scope)),
    total: Math.min(total, alarmLogCounted),
    more: total > alarmLogCounted,
    page,
    limit,
    next_cursor: last && rows.length === limit ? markOf(last) : null,
  };
};

const readAtOnce = 1000;
/** Every matching entry, newest first, fetched while it is read. */
export const everyLogged = async function* (
  db: Db,
  scope: Scope,
  filter: Filter,
): AsyncGenerator<AlarmLogRow> {
  const conditions = await conditionsOf(db, scope, filter);
  for (let cursor: string | undefined; ; ) {
    const rows = await pageOf(db, { conditions, oldestFirst: false, cursor, limit: readAtOnce, offset: 0 });
    for (const row of rows) yield onWire(row, scope);
    const last = rows.at(-1);
    if (!last || rows.length < readAtOnce) return;
    cursor = markOf(last);
  }
};

const countOf = async (db: Db, conditions: readonly Condition[]): Promise<number> => {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from (
      select from ${source} where ${all(conditions)} limit ${alarmLogCounted + 1}) found`.execute(db);
  return rows[0]?.count ?? 0;
};

const onWire = (row: LogRow, scope: Scope): AlarmLogRow => ({
  device_id: row.device_id ?? 0,
  device_number: row.device_number ?? '',
  project_id: row.project_id,
  project_name: row.project_name ?? '',
  part_name: row.part_name ?? '',
  line_id: row.line_id,
  line_n: row.line_n ?? 0,
  line_name: row.line_name ?? '',
  time: row.at.toISOString(),
  ended_time: row.ended_at?.toISOString() ?? null,
  level: row.level,
  typeNumber: row.code,
  phase: alarmPhases[row.phase] ?? '',
  value_type: alarmTypeOf(row.code)?.valueType ?? valueTypes.state,
  value: row.value,
  threshold: row.threshold,
  reason: row.late ? 'late' : row.alarm_id === null ? 'off' : 'short',
  // At that time the device may have been at another project.
  alarm_id:
    row.alarm_id !== null && holds(scope, row.alarm_project_id, row.alarm_part_id) ? row.alarm_id : null,
});
