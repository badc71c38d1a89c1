import { notDeletedSql } from './not-deleted.ts';

/** Rules of energy and load, as SQL. */

/**
 * Whether a line of the view `metered_times` (as `own`) counts for its whole project at an instant: while the
 * project has an incoming line, only such lines do. `feeders`: the times of incoming lines, few rows.
 */
export const countsInProject = (own: string, at: string, feeders: string): string => `
  case when exists (select from ${feeders} feeder where feeder.project_id = ${own}.project_id
      and feeder.since <= ${at} and feeder.until > ${at})
    then ${own}.incoming else ${own}.in_parts end`;

/** The same at present, for a line of the view `energy_lines` (as `e`); `line`: the same line of the table. */
export const countsInProjectNow = (projectColumn: string, line: string): string => `
  case when ${projectColumn} in (select feeder.project_id from lines fed join devices feeder on feeder.id = fed.device_id
      where fed.supplies = 'project' and feeder.project_id is not null and ${notDeletedSql('feeder')})
    then ${line}.supplies is not distinct from 'project' else e.in_parts end`;

/**
 * Mean power, W, of a quarter of an hour of a line. If only its register is known: the energy of the time that
 * readings cover, without that of gaps, whose time is not known.
 */
export const loadOf = (quarter: string): string => `
  coalesce(${quarter}.power_avg, case when ${quarter}.covered_s > 0
    then greatest(0, ${quarter}.energy_kwh - ${quarter}.estimated_kwh) * 3600000 / ${quarter}.covered_s end)::double precision`;
