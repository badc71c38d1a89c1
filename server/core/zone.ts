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

type Unit = 'hour' | 'day' | 'week' | 'month' | 'year';

/**
 * The first instant of a unit. In some zones clocks change at midnight: a day then begins at 01:00, or shows
 * 00:00 twice and begins with the first.
 */
export const firstOf = (unit: Unit, at: DateTime): DateTime => {
  const start = at.startOf(unit);
  if (unit === 'hour') return start;
  const before = start.minus({ hours: 1 });
  return before.day === start.day ? before : start;
};
/** The first instant of the unit that is this many units later, or earlier, than the one of `at`. */
export const firstAfter = (unit: Unit, at: DateTime, count = 1): DateTime =>
  firstOf(unit, at.startOf(unit).plus({ [unit]: count }));

/** Start of the hour, day or month that contains an instant, in that zone. */
export const startOf = (unit: Unit, at: number, zone: string): Date =>
  firstOf(unit, DateTime.fromMillis(at, { zone })).toJSDate();

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
  const current = DateTime.fromMillis(at, { zone });
  return Array.from({ length: count }, (_, index) => {
    const start = firstAfter(unit, current, index + 1 - count);
    return {
      start: start.toJSDate(),
      end: firstAfter(unit, start).toJSDate(),
      label: start.toFormat(unit === 'day' ? 'yyyy-MM-dd' : 'yyyy-MM'),
    };
  });
};
