/** Rules of energy and load, as SQL. */

/**
 * Whether a line of the view `energy_lines` (as `e`) counts for a whole project: if the project has an incoming
 * line, only such lines do, for the past too. `line`: the same line of the table.
 */
export const countsInProject = (projectColumn: string, line = 'l'): string => `
  case when ${projectColumn} in (select feeder.project_id from lines fed join devices feeder on feeder.id = fed.device_id
      where fed.supplies = 'project' and feeder.project_id is not null and feeder.deleted_at is null)
    then ${line}.supplies is not distinct from 'project' else e.in_parts end`;
