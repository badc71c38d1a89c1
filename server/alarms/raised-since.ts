import { sql } from 'kysely';
import type { Db } from '#database/connect.ts';
import { alarmsInScope } from '#server/core/alarm-scope.ts';
import type { AlarmChange } from '#server/core/bus.ts';
import type { Scope } from '#server/core/scope.ts';

/** An alarm that is older than this is not new, whenever it was received. */
const longestGapMs = 86_400_000;
const mostRows = 1_000;

/**
 * Unprocessed alarms of a scope that were raised, rose or appeared (had been a consequence) since this time
 * (ms), most severe first. Those of a backlog are left out that did not pop up, either.
 */
export const raisedSince = async (db: Db, scope: Scope, since: number): Promise<AlarmChange[]> => {
  const { rows } = await sql<Omit<AlarmChange, 'quiet'>>`
    select a.line_id as "lineId", a.id as "alarmId", a.device_id as "deviceId", a.project_id as "projectId",
      a.part_id as "partId", a.code, a.level, a.severity,
      case when a.received_at >= ${new Date(since)} or steps.appeared then 'raised' else 'escalated' end as kind
    from shown_alarms(now()) a
      cross join lateral (
        select count(*) > 0 as any, count(*) filter (where h.kind = 'released') > 0 as appeared
        from alarm_history h
        where h.line_id = a.line_id and h.alarm_id = a.id and (h.kind = 'escalated' or h.kind = 'released' and not h.data ? 'shown')
          and h.at >= ${new Date(since)}) steps
    where not a.processed and (not a.late or a.received_at <= a.raised_at + interval '15 minutes') and ${alarmsInScope(scope)}
      and (a.cleared_at is null or a.raised_at > ${new Date(since - longestGapMs)})
      and (a.received_at >= ${new Date(since)} and a.raised_at > ${new Date(since - longestGapMs)} or steps.any)
    order by a.severity, a.id desc
    limit ${mostRows}`.execute(db);
  return rows.map((row) => ({ ...row, quiet: false }));
};
