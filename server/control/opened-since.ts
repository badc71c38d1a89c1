import { sql } from 'kysely';
import type { Db } from '#database/connect.ts';

/** A close that waits for its turn, and when it was asked for. */
export interface WaitingClose {
  lineId: number;
  askedAt: Date;
}

/**
 * The closes whose line somebody has asked to open since: the newer wish counts, whatever became of that open.
 * Call it after `holdDirectory`: an open that is asked for now waits, or is seen.
 */
export const openedSince = async <Close extends WaitingClose>(
  db: Db,
  closes: readonly Close[],
): Promise<Close[]> => {
  if (closes.length === 0) return [];
  const { rows } = await sql<{ place: number }>`
    select place::int from unnest(${closes.map(({ lineId }) => lineId)}::int[],
      ${closes.map(({ askedAt }) => askedAt)}::timestamptz[]) with ordinality as close (line_id, asked_at, place)
    where exists (select from commands c where c.line_id = close.line_id and c.verb = 'open'
      and c.created_at >= close.asked_at)`.execute(db);
  return rows.map(({ place }) => closes[place - 1]!);
};
