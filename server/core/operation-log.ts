import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import type { Db } from '#database/connect.ts';

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
 * transaction and is its last write, because it holds the head of the chain until commit.
 */
export const appendOperations = async (trx: Db, operations: readonly Operation[]): Promise<void> => {
  if (operations.length === 0) return;
  const head = await trx.selectFrom('operation_log_head').selectAll().forUpdate().executeTakeFirstOrThrow();
  let last = head.hash;
  const rows = operations.map((operation) => {
    const plain: Operation = {
      ...operation,
      parameters: JSON.parse(JSON.stringify(operation.parameters)) as Record<string, unknown>,
    };
    const previous = last;
    last = hashOf(previous, plain);
    return {
      at: plain.at,
      user_id: plain.userId,
      operator: plain.operator,
      key: plain.key,
      channel: plain.channel,
      address: plain.address,
      request_id: plain.requestId,
      outcome: plain.outcome,
      code: plain.code,
      project_id: plain.projectId,
      device_id: plain.deviceId,
      parameters: JSON.stringify(plain.parameters),
      previous_hash: previous,
      hash: last,
    };
  });
  // Ids are given in the order of the rows: the chain is walked by them.
  const made = await trx.insertInto('operation_log').values(rows).returning('id').execute();
  await trx
    .updateTable('operation_log_head')
    .set({ id: Math.max(...made.map((row) => row.id)), hash: last })
    .execute();
};
export const appendOperation = (trx: Db, operation: Operation): Promise<void> =>
  appendOperations(trx, [operation]);

/** Walks the chain and returns the id of the first row whose hash does not hold, or null; also checks that the end is there. */
export const firstBrokenOperation = async (db: Db): Promise<number | null> => {
  let previous: Buffer = Buffer.alloc(0);
  let last = 0;
  for (;;) {
    const rows = await db
      .selectFrom('operation_log')
      .selectAll()
      .where('id', '>', last)
      .orderBy('id')
      .limit(5000)
      .execute();
    for (const row of rows) {
      const expected = hashOf(previous, {
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
      if (!row.previous_hash.equals(previous) || !row.hash.equals(expected)) return row.id;
      previous = row.hash;
      last = row.id;
    }
    if (rows.length === 0) break;
  }
  const head = await sql<{ id: number; hash: Buffer }>`select id, hash from operation_log_head`.execute(db);
  return head.rows[0]?.hash.equals(previous) ? null : last + 1;
};
