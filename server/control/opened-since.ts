import { sql } from 'kysely';
import type { Db } from '#database/connect.ts';
import { holdDirectory } from './facts.ts';

/** An act on a line that waits for its turn, and when it was asked for. */
export interface Waiting {
  action: string;
  device_id: number;
  line_id: number;
}

/**
 * The closes among these whose line somebody has asked to open since: the newer wish counts, whatever became of
 * that open. Locks the devices and lines of all of them until the transaction ends, in one order, so that an open
 * that is asked for now waits, or is seen.
 */
export const openedSince = async <Act extends Waiting>(
  db: Db,
  acts: readonly Act[],
  askedAt: (act: Act) => Date,
): Promise<ReadonlySet<Act>> => {
  const closes = acts.filter(({ action }) => action === 'close');
  if (closes.length === 0) return new Set();
  await holdDirectory(
    db,
    acts.map((act) => act.device_id),
    acts.map((act) => act.line_id),
  );
  const { rows } = await sql<{ place: number }>`
    select place::int from unnest(${closes.map((close) => close.line_id)}::int[],
      ${closes.map(askedAt)}::timestamptz[]) with ordinality as close (line_id, asked_at, place)
    where exists (select from commands c where c.line_id = close.line_id and c.verb = 'open'
      and c.created_at >= close.asked_at)`.execute(db);
  return new Set(rows.map(({ place }) => closes[place - 1]!));
};
