import { sql } from 'kysely';
import type { dashboardEndpoints } from '#contract/dashboard.ts';
import type { ReplyOf } from '#contract/endpoint.ts';
import type { Db } from '#database/connect.ts';
import { alarmsInScope } from '#server/core/alarm-scope.ts';
import type { Scope } from '#server/core/scope.ts';

type Latest = ReplyOf<typeof dashboardEndpoints.latest>;
type StoredRow = Omit<Latest['list'][number], 'time' | 'status'> & { time: Date; handled: boolean };

/**
 * Up to this number of projects, the newest alarms of each are merged; above it, reading all alarms backwards
 * from now is faster.
 */
const fewProjects = 200;

/** The newest alarms in the scope. */
export const latestAlarms = async (db: Db, scope: Scope, limit: number, now: number): Promise<Latest> => {
  const shown = sql`shown_alarms(${new Date(now)}) a`;
  const mine = alarmsInScope(scope);
  const projectIds = scope.all ? [] : [...scope.projectIds, ...scope.partProjectIds];
  const newest =
    scope.all || projectIds.length > fewProjects
      ? sql`select line_id, id from ${shown} where ${mine} order by raised_at desc, id desc limit ${limit}`
      : sql`
        select found.line_id, found.id from unnest(${projectIds}::int[]) as project (id)
        cross join (values (true), (false)) as handled (yet)
        cross join lateral (
          select line_id, a.id, raised_at from ${shown}
          where project_id = project.id and processed = handled.yet and ${mine}
          order by raised_at desc, a.id desc limit ${limit}) found
        order by found.raised_at desc, found.id desc limit ${limit}`;
  const { rows } = await sql<StoredRow>`
    select alarms.id, alarms.work_order, alarms.code as "typeNumber", alarms.level, alarms.severity,
      alarms.raised_at as time, alarms.project_id, coalesce(projects.name, '') as project_name, alarms.device_id,
      coalesce(devices.number, '') as device_number, coalesce(lines.name, '') as line_name, alarms.cleared_at is null as active,
      alarms.handled_at is not null as handled, alarms.value, alarms.value_type
    from (${newest}) newest
    join alarms on alarms.line_id = newest.line_id and alarms.id = newest.id
    left join devices on devices.id = alarms.device_id
    left join lines on lines.id = alarms.line_id
    left join projects on projects.id = alarms.project_id
    order by alarms.raised_at desc, alarms.id desc`.execute(db);
  return {
    list: rows.map(({ handled, ...row }) => ({
      ...row,
      time: row.time.toISOString(),
      status: handled ? 'processed' : 'unprocessed',
    })),
  };
};
