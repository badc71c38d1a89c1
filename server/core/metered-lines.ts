import { notDeletedSql } from './not-deleted.ts';

/** Rules of energy and load, as SQL. */

/**
 * Whether a line of the view `energy_lines` (as `e`) counts for a whole project: if the project has an incoming
 * line, only such lines do, for the past too. `line`: the same line of the table.
 */
export const countsInProject = (projectColumn: string, line = 'l'): string => `
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
