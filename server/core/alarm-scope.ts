import { type RawBuilder, type SqlBool, sql } from 'kysely';
import { holds, inScope, type Scope, seesProject } from './scope.ts';

/** An outage of a whole project belongs to no line: it is stored under the project's negative id. */
export const projectLine = (projectId: number): number => -projectId;

/**
 * Whether a scope sees an alarm: alarms of its own, and for users of a part also an outage of the whole
 * project.
 */
export const seesAlarm = (
  scope: Scope,
  alarm: { lineId: number; projectId: number | null; partId: number | null },
): boolean =>
  holds(scope, alarm.projectId, alarm.partId) || (alarm.lineId < 0 && seesProject(scope, alarm.projectId));

/** The condition on alarms `a` that the scope sees them. */
export const alarmsInScope = (scope: Scope): RawBuilder<SqlBool> => {
  const own = sql<SqlBool>`${inScope(scope, 'a.project_id', 'a.part_id')}`;
  if (scope.all || scope.partProjectIds.length === 0) return own;
  const outages = scope.partProjectIds.map(projectLine);
  return sql<SqlBool>`(${own} or a.line_id = any(${outages}::int[]))`;
};
