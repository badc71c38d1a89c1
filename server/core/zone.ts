import { DateTime } from 'luxon';
import type { Db } from '#database/connect.ts';
import { projectInScope, type Scope } from './scope.ts';

/** The zone for days when projects of several zones are shown together. */
export const defaultZone = 'Asia/Shanghai';

/** The zone of the one project requested or in scope, else the default zone. */
export const zoneOf = async (db: Db, scope: Scope, projectId?: number): Promise<string> => {
  if (projectId === undefined && scope.all) return defaultZone;
  const projects = await db
    .selectFrom('projects')
    .select('time_zone')
    .where(projectInScope(scope, 'projects.id'))
    .$if(projectId !== undefined, (query) => query.where('id', '=', projectId!))
    .limit(2)
    .execute();
  return projects.length === 1 ? projects[0]!.time_zone : defaultZone;
};

type Unit = 'hour' | 'day' | 'month';

/** Start of the hour, day or month that contains an instant, in that zone. */
export const startOf = (unit: Unit, at: number, zone: string): Date =>
  DateTime.fromMillis(at, { zone }).startOf(unit).toJSDate();

/** The day of an instant in that zone: 2026-11-20. */
export const dayOf = (at: number, zone: string): string =>
  DateTime.fromMillis(at, { zone }).toFormat('yyyy-MM-dd');

/** The last `count` starts of days or months up to that of `at`, oldest first; `label` is 2026-11-20 or 2026-11. */
export const lastStarts = (
  unit: 'day' | 'month',
  count: number,
  at: number,
  zone: string,
): { start: Date; end: Date; label: string }[] => {
  const current = DateTime.fromMillis(at, { zone }).startOf(unit);
  return Array.from({ length: count }, (_, index) => {
    const start = current.minus({ [unit]: count - 1 - index });
    return {
      start: start.toJSDate(),
      end: start.plus({ [unit]: 1 }).toJSDate(),
      label: start.toFormat(unit === 'day' ? 'yyyy-MM-dd' : 'yyyy-MM'),
    };
  });
};
