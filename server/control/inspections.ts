import { type Expression, type SqlBool, sql } from 'kysely';
import type { Db } from '#database/connect.ts';
import { readSettings } from '#server/core/installation-settings.ts';

interface UninspectedTrip {
  lineId: number;
  deviceId: number;
  /** Number of the line on its device. */
  n: number;
  code: number;
}

/** Trips that keep their line open until an inspection is recorded; the installation sets which ones. */
export const uninspectedTrips = async (db: Db, where: Expression<SqlBool>): Promise<UninspectedTrip[]> => {
  const rows = await db
    .selectFrom('uninspected_trips')
    .select(({ selectFrom }) => [
      'line_id',
      'device_id',
      'code',
      'grave',
      selectFrom('lines').select('lines.n').whereRef('lines.id', '=', 'line_id').as('n'),
    ])
    .where(where)
    .orderBy('line_id')
    .execute();
  if (rows.length === 0) return [];
  const { inspectAfter } = await readSettings(db, 'control');
  return rows
    .filter(({ grave }) => inspectAfter === 'any' || (inspectAfter === 'grave' && grave))
    .map((row) => ({ lineId: row.line_id, deviceId: row.device_id, n: row.n!, code: row.code }));
};

export const tripsOfLines = (lineIds: readonly number[]): Expression<SqlBool> =>
  sql<SqlBool>`line_id = any(${lineIds}::int[])`;
export const tripsOfDevice = (deviceId: number): Expression<SqlBool> => sql<SqlBool>`device_id = ${deviceId}`;
export const uninspectedLines = async (db: Db, lineIds: readonly number[]): Promise<ReadonlySet<number>> =>
  new Set((await uninspectedTrips(db, tripsOfLines(lineIds))).map(({ lineId }) => lineId));
