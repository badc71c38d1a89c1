import { createHash } from 'node:crypto';
import { type Selectable, sql } from 'kysely';
import type { Db, Tables } from '#database/connect.ts';

export interface Operation {
  at: Date;
  userId: number | null;
  operator: string;
  key: string;
  channel: string;
  address: string;
  requestId: string;
  outcome: 'done' | 'refused';
  code: number;
  projectId: number | null;
  deviceId: number | null;
  parameters: Record<string, unknown>;
}

const sorted = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(sorted);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, inner]) => [key, sorted(inner)]),
  );
};
const hashOf = (previous: Buffer, operation: Operation): Buffer =>
  createHash('sha256')
    .update(previous)
    .update(JSON.stringify(sorted({ ...operation, at: operation.at.toISOString() })))
    .digest();

/**
 * Appends rows to the hash chain: sha256(previous hash, canonical JSON of the row). Runs inside the caller's
 * transaction and is its last write, because it locks the head of the chain until commit.
 */
export const appendOperations = async (trx: Db, operations: readonly Operation[]): Promise<void> => {
  if (operations.length === 0) return;
  const head = await sql<{ hash: Buffer }>`select hash from lock_operation_log()`.execute(trx);
  let last = head.rows[0]!.hash;
  const rows = operations.map((operation) => {
    const plain: Operation = {
      ...operation,
      parameters: JSON.parse(JSON.stringify(operation.parameters)) as Record<string, unknown>,
    };
    const previous = last;
    last = hashOf(previous, plain);
    return {
      ...plain,
      previous_hash: previous.toString('hex'),
      hash: last.toString('hex'),
    };
  });
  // Ids are given in the order of the rows, because the chain is verified in that order. One parameter,
  // because many are slow.
  await sql`select append_operation_log(${JSON.stringify(rows.map((row, n) => ({ ...row, n })))}::jsonb)`.execute(
    trx,
  );
};
export const appendOperation = (trx: Db, operation: Operation): Promise<void> =>
  appendOperations(trx, [operation]);

export interface ChainCheck {
  /** Number of rows whose hash was calculated again. */
  checked: number;
  /** The last valid row, to continue from; 0: none. */
  last: { id: number; hash: string };
  /** Every row that existed when the check began is checked. */
  done: boolean;
  /**
   * The first invalid row, and when it was written. `changed`: its content was changed; `missing`: rows
   * before it are missing or were replaced; `end`: the newest rows are missing; `added`: it follows the
   * newest row that was written.
   */
  broken: { id: number; at: Date | null; why: 'changed' | 'missing' | 'end' | 'added' } | null;
}
const pageRows = 2000;
/** Times are written and hashed in milliseconds: a row with a finer stored time was changed. */
const isWhole = sql<boolean>`at = date_trunc('milliseconds', at)`;

/**
 * Verifies the chain in pages, at most `most` rows after row `after` (which the caller checked before), up to
 * the head at the start. An attacker who rewrites a row, all later rows and the head is only detected by a
 * row's hash stored elsewhere: `ChainCheck.last`.
 */
export const checkOperations = async (
  db: Db,
  { after = 0, most = Number.POSITIVE_INFINITY }: { after?: number; most?: number } = {},
): Promise<ChainCheck> => {
  const head = await headNow(db);
  const before = await db
    .selectFrom('operation_log')
    .select(['id', 'hash'])
    .where('id', '<=', after)
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
  let last = before ?? { id: 0, hash: Buffer.alloc(0) };
  let checked = 0;
  const result = (done: boolean, broken: ChainCheck['broken'] = null): ChainCheck => ({
    checked,
    last: { id: last.id, hash: last.hash.toString('hex') },
    done: done || broken !== null,
    broken,
  });
  while (last.id < head.id && checked < most) {
    const rows = await db
      .selectFrom('operation_log')
      .selectAll()
      .select(isWhole.as('is_whole'))
      .where('id', '>', last.id)
      .where('id', '<=', head.id)
      .orderBy('id')
      .limit(Math.min(pageRows, most - checked))
      .execute();
    for (const row of rows) {
      checked += 1;
      const broken = (why: 'changed' | 'missing') => result(true, { id: row.id, at: row.at, why });
      const holds = row.is_whole && row.hash.equals(hashOf(row.previous_hash, operationIn(row)));
      if (!holds) return broken('changed');
      if (!row.previous_hash.equals(last.hash)) return broken('missing');
      last = { id: row.id, hash: row.hash };
    }
    if (rows.length === 0) return result(true, { id: last.id + 1, at: null, why: 'end' });
  }
  if (last.id < head.id) return result(false);
  if (last.id === head.id && !last.hash.equals(head.hash))
    return result(true, { id: last.id, at: null, why: 'changed' });
  return result(true, head.added && { ...head.added, why: 'added' });
};

/** The head of the chain, and the first row behind it at the same instant, which normally does not exist. */
const headNow = async (db: Db) => {
  const [row] = (
    await sql<{ id: number; hash: Buffer; added_id: number | null; added_at: Date | null }>`
      select head.id, head.hash, added.id as added_id, added.at as added_at from operation_log_head head
      left join lateral (select id, at from operation_log where id > head.id order by id limit 1) added on true`.execute(
      db,
    )
  ).rows;
  const { id, hash, added_id, added_at } = row!;
  return { id, hash, added: added_id === null ? null : { id: added_id, at: added_at } };
};

/** A stored row in its hashed form. */
export const operationIn = (row: Selectable<Tables['operation_log']>): Operation => ({
  at: row.at,
  userId: row.user_id,
  operator: row.operator,
  key: row.key,
  channel: row.channel,
  address: row.address,
  requestId: row.request_id,
  outcome: row.outcome === 'done' ? 'done' : 'refused',
  code: row.code,
  projectId: row.project_id,
  deviceId: row.device_id,
  parameters: row.parameters,
});

/** The hash of one row, to compare with one stored elsewhere; null: there is no such row. */
export const operationHash = async (db: Db, id: number): Promise<string | null> => {
  const row = await db.selectFrom('operation_log').select('hash').where('id', '=', id).executeTakeFirst();
  return row?.hash.toString('hex') ?? null;
};
