import { type RawBuilder, sql } from 'kysely';
import * as z from 'zod';
import { type BodyOf, instant, type ReplyOf } from '#contract/endpoint.ts';
import type { Language } from '#contract/languages.ts';
import {
  mostCountedOperations,
  type OperationRow,
  type operationLogEndpoints,
} from '#contract/operation-log.ts';
import { operationText } from '#contract/operation-words.ts';
import type { Db } from '#database/connect.ts';
import { isCalled } from '#server/core/account-search.ts';
import { containing } from '#server/core/containing.ts';
import { cursorKey, cursorOf } from '#server/core/cursor.ts';
import { inOwnTime } from '#server/core/ownership.ts';
import { type Scope, seesProject } from '#server/core/scope.ts';

type List = BodyOf<typeof operationLogEndpoints.list>;
type OperationFilter = Omit<List, 'page' | 'limit' | 'sort' | 'cursor'>;
export interface Reader {
  readonly userId: number;
  readonly scope: Scope;
}
interface StoredOperation {
  id: number;
  at: Date;
  operator: string;
  key: string;
  channel: string;
  address: string;
  outcome: string;
  code: number;
  project_id: number | null;
  project_name: string | null;
  device_id: number | null;
  device_number: string | null;
  request_id: string;
  parameters: Record<string, unknown>;
  hash: Buffer;
}
type Condition = RawBuilder<unknown>;
/** Times are whole milliseconds. */
const place = z.tuple([instant, z.int()]);
const readAtOnce = 1000;

/** Rows contain the project to which the device belonged at that time. */
export const visibleTo = ({ userId, scope }: Reader): Condition | null => {
  if (scope.all) return null;
  const ofPart = sql`(log.project_id = any(${[...scope.partProjectIds]}::int[])
    and log.device_id in (select id from devices where part_id = any(${[...scope.partIds]}::int[]))
    and ${inOwnTime(scope, 'log.device_id', 'log.at')})`;
  return sql`(log.user_id = ${userId} or log.project_id = any(${[...scope.projectIds]}::int[])
    or ${scope.partIds.length > 0 ? ofPart : sql`false`})`;
};

/** Accounts are few, so their ids are looked up first and the rows are found by an index. */
const accountsCalled = async (db: Db, name: string): Promise<number[]> => {
  const users = await db.selectFrom('users').select('id').where(isCalled(name)).execute();
  return users.map(({ id }) => id);
};

/**
 * The names under which parts of the server act. They are few, so the query jumps through the index from name
 * to name.
 */
const partsCalled = async (db: Db, name: string): Promise<string[]> => {
  const { rows } = await sql<{ operator: string }>`
    with recursive part (operator) as (
      (select operator from operation_log where user_id is null order by operator limit 1)
      union all
      select (select log.operator from operation_log log where log.user_id is null and log.operator > part.operator
        order by log.operator limit 1)
      from part where part.operator is not null)
    select operator from part where operator ilike ${containing(name)}`.execute(db);
  return rows.map(({ operator }) => operator);
};

/** Without an `or` one index answers the condition, so a side that finds nothing is left out. */
const operatorIs = async (db: Db, name: string): Promise<Condition> => {
  const [accounts, parts] = await Promise.all([accountsCalled(db, name), partsCalled(db, name)]);
  const byAccount = sql`log.user_id = any(${accounts}::int[])`;
  const byPart = sql`(log.user_id is null and log.operator = any(${parts}::text[]))`;
  if (parts.length === 0) return byAccount;
  return accounts.length === 0 ? byPart : sql`(${byAccount} or ${byPart})`;
};

/** An act, or with its first word only all acts on that subject. */
const keyIs = (key: string): Condition =>
  key.includes('.') ? sql`log.key = ${key}` : sql`(log.key >= ${key} and log.key < ${`${key}/`})`;

const conditionsOf = async (db: Db, reader: Reader, filter: OperationFilter): Promise<Condition[]> => {
  const { from, to, operator, key, outcome, project_id, device_id } = filter;
  const visible = visibleTo(reader);
  return [
    sql`true`,
    ...(visible ? [visible] : []),
    ...(from ? [sql`log.at >= ${from}::timestamptz`] : []),
    ...(to ? [sql`log.at < ${to}::timestamptz`] : []),
    ...(operator ? [await operatorIs(db, operator)] : []),
    ...(key ? [keyIs(key)] : []),
    ...(outcome ? [sql`log.outcome = ${outcome}`] : []),
    ...(project_id ? [sql`log.project_id = ${project_id}`] : []),
    ...(device_id ? [sql`log.device_id = ${device_id}`] : []),
  ];
};

/** Compares the time first, because the filters use it: one index then finds rows of half a year ago. */
const olderThan = (at: string, id: number): Condition =>
  sql`(log.at, log.id) < (${at}::timestamptz, ${id}::bigint)`;

const rowsOf = async (
  db: Db,
  conditions: readonly Condition[],
  tail: Condition,
): Promise<StoredOperation[]> =>
  (
    await sql<StoredOperation>`
      select log.id, log.at, log.operator, log.key, log.channel, log.address, log.outcome, log.code, log.project_id,
        projects.name as project_name, log.device_id, devices.number as device_number, log.request_id, log.parameters,
        log.hash
      from (select * from operation_log log where ${sql.join(conditions, sql` and `)} ${tail}) log
        left join projects on projects.id = log.project_id
        left join devices on devices.id = log.device_id
      order by log.at desc, log.id desc`.execute(db)
  ).rows;

/** The caller's own rows may be of a project that they do not see now: its present names are not theirs to read. */
const viewOf = (row: StoredOperation, language: Language, scope: Scope): OperationRow => ({
  id: row.id,
  time: row.at.toISOString(),
  operator: row.operator,
  key: row.key,
  description: operationText(row.key, language),
  channel: row.channel,
  client_ip: row.address,
  outcome: row.outcome === 'done' ? 'done' : 'refused',
  code: row.code,
  project_id: row.project_id,
  project_name: seesProject(scope, row.project_id) ? row.project_name : null,
  device_id: row.device_id,
  device_number: seesProject(scope, row.project_id) ? row.device_number : null,
  request_id: row.request_id,
  parameters: row.parameters,
  hash: row.hash.toString('hex'),
});

export const operationLogStore = (db: Db, reader: Reader) => ({
  /** One page, newest first; with a cursor each page costs the same. */
  async list(body: List, language: Language): Promise<ReplyOf<typeof operationLogEndpoints.list>> {
    const conditions = await conditionsOf(db, reader, body);
    const after = body.cursor === undefined ? null : cursorKey(body.cursor, place);
    const direction = body.sort === 'time' ? sql`asc` : sql`desc`;
    const beyond = after === null ? [] : [olderThan(...after)];
    const offset = after === null ? (body.page - 1) * body.limit : 0;
    const [rows, counted] = await Promise.all([
      rowsOf(
        db,
        [...conditions, ...beyond],
        sql`order by log.at ${direction}, log.id ${direction} limit ${body.limit} offset ${offset}`,
      ),
      sql<{ n: number }>`select count(*) as n from (select 1 from operation_log log
        where ${sql.join(conditions, sql` and `)} limit ${mostCountedOperations + 1}) rows`.execute(db),
    ]);
    const total = counted.rows[0]?.n ?? 0;
    const last = rows.at(-1);
    const list = rows.map((row) => viewOf(row, language, reader.scope));
    return {
      list: body.sort === 'time' ? list.reverse() : list,
      total: Math.min(total, mostCountedOperations),
      more: total > mostCountedOperations,
      page: body.page,
      limit: body.limit,
      next_cursor:
        last && rows.length === body.limit && body.sort !== 'time'
          ? cursorOf(last.at.toISOString(), last.id)
          : null,
    };
  },

  /** Every row that fits, read in pages. */
  async *all(filter: OperationFilter, language: Language): AsyncGenerator<OperationRow> {
    const conditions = await conditionsOf(db, reader, filter);
    for (let before: StoredOperation | null = null; ; ) {
      const rows: StoredOperation[] = await rowsOf(
        db,
        before === null ? conditions : [...conditions, olderThan(before.at.toISOString(), before.id)],
        sql`order by log.at desc, log.id desc limit ${readAtOnce}`,
      );
      for (const row of rows) yield viewOf(row, language, reader.scope);
      const last = rows.at(-1);
      if (last === undefined || rows.length < readAtOnce) return;
      before = last;
    }
  },
});
