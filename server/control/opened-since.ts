import { sql } from 'kysely';
import type { Db } from '#database/connect.ts';
import { holdDirectory } from './facts.ts';

/** An act on a line that waits for its turn. */
export interface Waiting {
  action: string;
  device_id: number;
  line_id: number;
}

/**
 * When an act was asked for: after the command of its device with this number, and for one that waits for a time,
 * at that time. Numbers do not depend on clocks: they know the order also after a clock was set back, and of nodes
 * with different clocks.
 */
interface Asked {
  after: number;
  at?: Date;
}

/**
 * The closes whose line got a newer request to open. The newer request counts, also if that open failed. Locks all
 * their devices and lines until the transaction ends, in one order: a simultaneous open waits or is found.
 */
export const openedSince = async <Act extends Waiting>(
  db: Db,
  acts: readonly Act[],
  askedOf: (act: Act) => Asked,
): Promise<ReadonlySet<Act>> => {
  const closes = acts.filter(({ action }) => action === 'close');
  if (closes.length === 0) return new Set();
  await holdDirectory(
    db,
    acts.map((act) => act.device_id),
    acts.map((act) => act.line_id),
  );
  const asked = closes.map(askedOf);
  const { rows } = await sql<{ place: number }>`
    select place::int from unnest(${closes.map((close) => close.device_id)}::int[],
      ${closes.map((close) => close.line_id)}::int[], ${asked.map(({ at }) => at ?? null)}::timestamptz[],
      ${asked.map(({ after }) => after)}::bigint[])
      with ordinality as close (device_id, line_id, at, after, place)
    where exists (select from commands c where c.line_id = close.line_id and c.verb = 'open'
      and c.created_at >= close.at)
    or exists (select from commands c where c.device_id = close.device_id and c.number > close.after
      and c.line_id = close.line_id and c.verb = 'open')`.execute(db);
  return new Set(rows.map(({ place }) => closes[place - 1]!));
};
