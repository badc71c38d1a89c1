/** Takes away what nobody asks for any more, so that ledger, plans, messages and the log of occurrences stay small. */
import { type RawBuilder, sql } from 'kysely';
import type { Db } from '#database/connect.ts';
import { every, type TimedWork } from '#server/core/scheduled.ts';

const day = 86_400_000;
const everyMs = 6 * 3_600_000;
const atOnce = 5000;
/** Who was told of an alarm can be shown for longer than its readings are kept. */
export const ledgerDays = 400;
const readMessageDays = 90;
const unreadMessageDays = 365;

/** One statement for each table: takes at most `atOnce` rows, so that nobody waits long for one. */
const stalePlans = (at: Date) => sql`alarm_notices where alarm_id in (
  select n.alarm_id from alarm_notices n left join alarms a on a.line_id = n.line_id and a.id = n.alarm_id
  where n.next_at is null and n.checked_at < ${at} and (a.id is null or a.processed or a.deleted_at is not null)
  limit ${atOnce})`;
const oldest = (table: string, condition: RawBuilder<unknown>) =>
  sql`${sql.table(table)} where ctid = any(array(
    select ctid from ${sql.table(table)} where ${condition} limit ${atOnce}))`;

/** One round; returns how many rows went. */
export const tidyNotices = async (db: Db, now: number, retentionDays: number): Promise<number> => {
  const ago = (days: number) => new Date(now - days * day);
  const waste = [
    oldest('deliveries', sql`created_at < ${ago(ledgerDays)} and state not in ('queued', 'sent')`),
    stalePlans(ago(1)),
    oldest(
      'messages',
      sql`at < ${ago(readMessageDays)} and (read_at is not null or at < ${ago(unreadMessageDays)})`,
    ),
    oldest('shelved_alarms', sql`until < ${ago(1)}`),
    oldest('alarm_events', sql`at < ${ago(retentionDays)}`),
  ];
  let gone = 0;
  for (const what of waste)
    for (;;) {
      const { numAffectedRows = 0n } = await sql`delete from ${what}`.execute(db);
      gone += Number(numAffectedRows);
      if (Number(numAffectedRows) < atOnce) break;
    }
  return gone;
};

export const ledgerUpkeep = (db: Db, retentionDays: number): TimedWork => ({
  name: 'ledgerUpkeep',
  next: every(everyMs),
  run: async ({ now }) => ({ removed: await tidyNotices(db, now, retentionDays) }),
});
