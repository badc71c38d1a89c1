import { sql } from 'kysely';
import type { ReplyOf } from '#contract/endpoint.ts';
import type { lineEndpoints } from '#contract/lines.ts';
import type { Db } from '#database/connect.ts';
import { alarmsInScope } from '#server/core/alarm-scope.ts';
import type { Scope } from '#server/core/scope.ts';
import { lastStarts, zoneOf } from '#server/core/zone.ts';
import { lineInScope } from './lines.store.ts';

/** Alarms of a line by day in its project's zone; throws `line.missing` outside the scope. */
export const lineAlarmTrend = async (
  db: Db,
  scope: Scope,
  lineId: number,
  days: number,
  now: number,
): Promise<ReplyOf<typeof lineEndpoints.alarmTrend>> => {
  const { project_id, seen_from } = await lineInScope(db, scope, lineId);
  const zone = await zoneOf(db, scope, project_id ?? undefined);
  const periods = lastStarts('day', days, now, zone);
  const { rows } = await sql<{ day: string; code: number; level: number; count: number; processed: number }>`
    select to_char(raised_at at time zone ${zone}, 'YYYY-MM-DD') as day, code, level, count(*) as count,
      count(handled_at) as processed
    from counted_alarms() a
    where ${alarmsInScope(scope)} and line_id = ${lineId} and raised_at >= ${seen_from} and raised_at >= ${periods[0]?.start ?? new Date(now)}
    group by 1, 2, 3`.execute(db);
  return {
    days: periods.map(({ label }) => {
      const ofDay = rows.filter((row) => row.day === label);
      const sum = (of: (row: (typeof rows)[number]) => number) =>
        ofDay.reduce((total, row) => total + of(row), 0);
      const types = Map.groupBy(ofDay, (row) => row.code);
      return {
        day: label,
        alarms: sum((row) => (row.level === 2 ? row.count : 0)),
        early_warnings: sum((row) => (row.level === 1 ? row.count : 0)),
        processed: sum((row) => row.processed),
        types: [...types]
          .map(([typeNumber, found]) => ({
            typeNumber,
            count: found.reduce((total, row) => total + row.count, 0),
          }))
          .sort((a, b) => b.count - a.count || a.typeNumber - b.typeNumber),
      };
    }),
  };
};
