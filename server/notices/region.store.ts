import { sql } from 'kysely';
import type { Db } from '#database/connect.ts';

/**
 * A project is in another region now: the next look at its alarms calls the administrators of that one, if those of the
 * former were called. Decision 0548.
 */
export const callNewRegion = async (trx: Db, projectId: number, now: number): Promise<void> => {
  await sql`
    with held as (
      select n.alarm_id from alarm_notices n join alarms a on a.line_id = n.line_id and a.id = n.alarm_id
      where a.project_id = ${projectId} and not a.processed and n.called_in is not null
      order by n.alarm_id for update of n)
    update alarm_notices n set next_at = least(n.next_at, ${new Date(now)}) from held where n.alarm_id = held.alarm_id`.execute(
    trx,
  );
};
