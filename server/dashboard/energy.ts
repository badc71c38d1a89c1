import { sql } from 'kysely';
import { DateTime } from 'luxon';
import { notDeleted } from '#server/core/not-deleted.ts';
import { projectInScope, type Scope } from '#server/core/scope.ts';
import { lastStarts } from '#server/core/zone.ts';
import type { View } from './alarms.ts';

const quarterS = 900;

/** Of a project, in its own days; null: without any reading. */
export interface EnergyFigures {
  energy_today_kwh: number | null;
  energy_yesterday_kwh: number | null;
  /** Of yesterday until the same local time. */
  energy_same_time_kwh: number | null;
}

/** The sums of whole projects, or of those of their parts that the caller sees. */
const sumsOf = (scope: Scope) =>
  scope.all
    ? sql`part_id = 0`
    : sql`(part_id = 0 and projects.id = any(${[...scope.projectIds]}::int[])
        or part_id = any(${[...scope.partIds]}::int[]))`;

/** A quarter of an hour with readings, or whose energy is known without them: by a register or a correction. */
const measured = sql`(covered_s > 0 or energy_kwh <> 0 or energy_flags <> 0)`;

/**
 * Energy of the projects of the scope, or of those with these ids: the sums of owners that the statistics show. Of
 * the quarter of an hour of the same time yesterday only the elapsed share counts.
 */
export const energyOfProjects = async (
  { db, scope, now }: View,
  ids?: readonly number[],
): Promise<ReadonlyMap<number, EnergyFigures>> => {
  const wanted = sql`${notDeleted('projects')} and ${projectInScope(scope, 'projects.id')}
    and ${ids === undefined ? sql`true` : sql`projects.id = any(${[...ids]}::int[])`}`;
  const zones = await sql<{ zone: string }>`
    select distinct time_zone as zone from projects where ${wanted}`.execute(db);
  const times = zones.rows.map(({ zone }) => {
    const [yesterday, today] = lastStarts('day', 2, now, zone);
    const sameTime = DateTime.fromMillis(now, { zone }).minus({ days: 1 }).toJSDate();
    return { zone, yesterday: yesterday!.start, today: today!.start, sameTime };
  });
  const { rows } = await sql<EnergyFigures & { project_id: number }>`
    select projects.id as project_id,
      sum(energy_kwh) filter (where bucket >= today) as energy_today_kwh,
      sum(energy_kwh) filter (where bucket < today) as energy_yesterday_kwh,
      sum(energy_kwh * least(1, date_part('epoch', same_time - bucket) / ${quarterS}))
        filter (where bucket < least(today, same_time)) as energy_same_time_kwh
    from unnest(${times.map(({ zone }) => zone)}::text[], ${times.map(({ yesterday }) => yesterday)}::timestamptz[],
      ${times.map(({ today }) => today)}::timestamptz[], ${times.map(({ sameTime }) => sameTime)}::timestamptz[])
      as times (zone, yesterday, today, same_time)
    join projects on projects.time_zone = times.zone
    join load_quarter on load_quarter.project_id = projects.id and bucket >= yesterday and bucket <= ${new Date(now)}
    where ${wanted} and ${sumsOf(scope)} and ${measured}
    group by 1`.execute(db);
  return new Map(rows.map(({ project_id, ...figures }) => [project_id, figures]));
};
