/** The alarms that are shelved now. They are few, so each list has their ids in its conditions. */
import { sql } from 'kysely';
import type { AlarmFilter } from '#contract/alarms.ts';
import type { Db } from '#database/connect.ts';
import type { Condition } from './filter.ts';
import { countOf } from './totals.ts';

interface Shelf {
  /** The condition that a list with this filter adds. */
  shows(filter: Pick<AlarmFilter, 'shelved'>): Condition[];
  /** How many of the matching alarms are shelved. */
  countIn(conditions: readonly Condition[]): Promise<number>;
}

export const shelfOf = async (db: Db, now: number): Promise<Shelf> => {
  const { rows } = await sql<{ id: number }>`
    select alarm_id as id from shelvings where until > ${new Date(now)}`.execute(db);
  const ids = rows.map((row) => row.id);
  const aside = sql`a.id = any(${ids}::bigint[])`;
  return {
    shows: ({ shelved }) => {
      if (shelved === true) return [aside];
      return ids.length === 0 ? [] : [sql`a.id <> all(${ids}::bigint[])`];
    },
    countIn: async (conditions) => (ids.length === 0 ? 0 : countOf(db, [...conditions, aside])),
  };
};
