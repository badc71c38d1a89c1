import { sql } from 'kysely';
import type { Db } from '#database/connect.ts';
import { clocksDifferMs } from '#server/core/recent.ts';
import { defaultZone } from '#server/core/zone.ts';
import { opensAt } from './notices.rules.ts';

interface Waiting {
  id: number;
  from: string | null;
  to: string | null;
  zone: string;
}

/**
 * The clock was set back, perhaps while the server was down: what waits for a time that was counted by the former clock
 * would wait for the length of the step as well. Deliveries are due now, or when their time window opens by the clock
 * as it is, and the next step of each alarm is looked for. Doing it twice changes nothing. Decision 0564.
 */
export const dueAfterSetBack = async (db: Db, now: number): Promise<void> => {
  const future = new Date(now + clocksDifferMs);
  await sql`update deliveries set due_at = ${new Date(now)}
    where state = 'queued' and reason is distinct from 'window' and due_at > ${new Date(now)}
      and coalesce(sent_at, created_at) > ${future}`.execute(db);
  const { rows } = await sql<Waiting>`
    select d.id, n.window_from as from, n.window_to as to, coalesce(p.time_zone, ${defaultZone}) as zone
    from deliveries d
      left join notices n on n.id = d.notice_id
      left join alarms a on a.line_id = d.line_id and a.id = d.alarm_id
      left join projects p on p.id = a.project_id
    where d.state = 'queued' and d.reason = 'window' and d.created_at > ${future}`.execute(db);
  for (const [dueAt, waiting] of Map.groupBy(rows, (row) => opensAt(row, now, row.zone) ?? now))
    await db
      .updateTable('deliveries')
      .set({ due_at: new Date(dueAt) })
      .where(
        'id',
        'in',
        waiting.map(({ id }) => id),
      )
      .where('state', '=', 'queued')
      .execute();
  await sql`update alarm_notices set next_at = ${new Date(now)}
    where next_at > ${new Date(now)} and checked_at > ${future}`.execute(db);
};
