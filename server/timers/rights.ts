import { sql } from 'kysely';
import type { Db } from '#database/connect.ts';
import { holds } from '#server/core/scope.ts';
import { rightfulAuthors } from './authors.ts';

/** An author's timers in the devices of one project part: they are suspended and resumed together. */
interface Held {
  author_id: number;
  project_id: number | null;
  part_id: number | null;
}
const nameOf = ({ author_id, project_id, part_id }: Held): string => `${author_id} ${project_id} ${part_id}`;
const mostDevices = 500;

/**
 * Checks whether authors of timers in devices may still run them, because a device does not ask the server.
 */
export const createRightsWatch = (db: Db) => {
  /** Suspended at the last look. */
  let resting = new Set<string>();

  /** Devices that report enabled timers of such authors as running. */
  const running = async (places: readonly Held[]): Promise<number[]> => {
    if (places.length === 0) return [];
    const { rows } = await sql<{ device_id: number }>`
      select distinct timers.device_id from timers
      join devices on devices.id = timers.device_id
      join timer_copies copy on copy.device_id = timers.device_id and copy.state <> 'pending'
      join unnest(${places.map((place) => place.author_id)}::int[], ${places.map((place) => place.project_id)}::int[],
        ${places.map((place) => place.part_id)}::int[]) as place (author_id, project_id, part_id)
        on place.author_id = timers.author_id and place.project_id is not distinct from devices.project_id
          and place.part_id is not distinct from devices.part_id
      join device_reported reported on reported.device_id = timers.device_id and reported.kind = 'cfg'
      where timers.slot is not null and timers.enabled and reported.payload -> 'timers' @>
        jsonb_build_array(jsonb_build_object('i', timers.slot, 'en', 1))
      order by timers.device_id limit ${mostDevices}`.execute(db);
    return rows.map((row) => row.device_id);
  };

  /**
   * `toRest`: devices that run timers which should be disabled; `regained`: disabled timers may run again, because
   * their author regained the permission or their device moved.
   */
  return async (): Promise<{ toRest: number[]; regained: boolean }> => {
    const { rows } = await sql<Held>`
      select distinct timers.author_id, devices.project_id, devices.part_id from timer_copies copy
      join timers on timers.device_id = copy.device_id and timers.slot is not null and timers.enabled
      join devices on devices.id = copy.device_id`.execute(db);
    const authors = await rightfulAuthors(
      db,
      rows.map((row) => row.author_id),
    );
    const unrightful = rows.filter((row) => {
      const author = authors.get(row.author_id);
      return author === undefined || !holds(author.scope, row.project_id, row.part_id);
    });
    const now = new Set(unrightful.map(nameOf));
    const toRest = await running(unrightful);
    const regained = [...resting].some((name) => !now.has(name));
    resting = now;
    return { toRest, regained };
  };
};
