import { sql } from 'kysely';
import { DateTime } from 'luxon';
import type pg from 'pg';
import type { Db } from '#database/connect.ts';
import { defaultZone, firstAfter } from '#server/core/zone.ts';
import { foldDays, foldMonths } from './fold.ts';

const linesAtOnce = 20;

/**
 * Marks the days and months of a project's lines for recalculation from their quarters, after its time zone
 * changed. Called in the transaction of that change; the next round of rollups does the work.
 */
export const rebuildDays = async (trx: Db, projectId: number): Promise<void> => {
  await sql`
    insert into rollup_rebuild (line_id)
    select l.id from lines l join devices d on d.id = l.device_id where d.project_id = ${projectId} and l.n > 0
    on conflict do nothing`.execute(trx);
};

/**
 * Marks the load of the present and former projects of a device for recalculation, after the set of its lines that
 * count changed. Called in the transaction of that change.
 */
export const rebuildLoad = async (trx: Db, deviceId: number): Promise<void> => {
  await sql`
    insert into load_rebuild (project_id) select distinct project_id from device_ownerships where device_id = ${deviceId}
    on conflict (project_id) do update set before = excluded.before`.execute(trx);
};

/**
 * Marks the days and months of devices that move to a project of another time zone for recalculation. Called in the
 * transaction of the move, before it.
 */
export const rebuildMoved = async (
  trx: Db,
  deviceIds: readonly number[],
  to: number | null,
): Promise<void> => {
  const ids = [...deviceIds];
  await sql`
    insert into rollup_rebuild (line_id)
    select l.id from lines l join devices d on d.id = l.device_id left join projects p on p.id = d.project_id
    where d.id = any(${ids}::int[]) and l.n > 0 and coalesce(p.time_zone, ${defaultZone})
      <> coalesce((select time_zone from projects where id = ${to}::int), ${defaultZone})
    on conflict do nothing`.execute(trx);
};

/** Recalculates the days and months of some of the lines; false: no line is left. Inside a transaction. */
export const rebuildSome = async (client: pg.ClientBase): Promise<boolean> => {
  const { rows } = await client.query<{ line_id: number; zone: string }>(
    `delete from rollup_rebuild using (
       select line_id from rollup_rebuild order by line_id limit ${linesAtOnce} for update skip locked) mine
     join lines l on l.id = mine.line_id join devices d on d.id = l.device_id left join projects p on p.id = d.project_id
     where rollup_rebuild.line_id = mine.line_id
     returning rollup_rebuild.line_id, coalesce(p.time_zone, '${defaultZone}') as zone`,
  );
  if (rows.length === 0) return false;
  const zones = new Map(rows.map((row) => [row.line_id, row.zone]));
  const lineIds = [...zones.keys()];
  const firsts = await client.query<{ line_id: number; first: Date; older: boolean }>(
    `select u.line_id, q.first,
       exists (select from rollup_day d where d.line_id = u.line_id and d.bucket < q.first - interval '26 hours') as older
     from unnest($1::int[]) as u (line_id)
     cross join lateral (select min(bucket) as first from rollup_quarter where line_id = u.line_id) q where q.first is not null`,
    [lineIds],
  );
  // Days older than the quarters do not change; the first recalculated day is the first that the quarters
  // cover completely.
  const since = firsts.rows.map(({ line_id, first, older }) => ({
    line_id,
    from: older
      ? firstAfter('day', DateTime.fromJSDate(first, { zone: zones.get(line_id)! })).toJSDate()
      : first,
    kept: older ? first : new Date(0),
  }));
  await client.query(
    `delete from rollup_day d using unnest($1::int[], $2::timestamptz[]) as u (line_id, kept)
     where d.line_id = u.line_id and d.bucket >= u.kept`,
    [since.map((one) => one.line_id), since.map((one) => one.kept)],
  );
  await client.query(`delete from rollup_month where line_id = any($1)`, [lineIds]);
  // Both ends of every six-hour stretch, because a day may begin within it.
  const stretches = await client.query<{ line_id: number; bucket: Date }>(
    `select distinct q.line_id, date_bin('6 hours', q.bucket, '2000-01-01T00:00:00Z') as bucket
     from unnest($1::int[], $2::timestamptz[]) as u (line_id, since)
     join rollup_quarter q on q.line_id = u.line_id and q.bucket >= u.since`,
    [since.map((one) => one.line_id), since.map((one) => one.from)],
  );
  const from = new Map(since.map((one) => [one.line_id, one.from.getTime()]));
  await foldDays(
    client,
    stretches.rows.flatMap(({ line_id, bucket }) => [
      { lineId: line_id, bucket: Math.max(bucket.getTime(), from.get(line_id)!) },
      { lineId: line_id, bucket: bucket.getTime() + 6 * 3_600_000 - 1 },
    ]),
    zones,
  );
  const days = await client.query<{ line_id: number; bucket: Date }>(
    `select line_id, bucket from rollup_day where line_id = any($1)`,
    [lineIds],
  );
  await foldMonths(
    client,
    days.rows.map(({ line_id, bucket }) => ({ lineId: line_id, bucket: bucket.getTime() })),
    zones,
  );
  return true;
};
