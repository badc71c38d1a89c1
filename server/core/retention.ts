/** How long old rows are kept: one entry per table, for the tables of all features. */

import { type RawBuilder, sql } from 'kysely';
import { limits } from '#contract/limits.ts';
import type { SettingValues } from '#contract/settings.ts';
import type { Db, Tables } from '#database/connect.ts';
import { readSettings } from './installation-settings.ts';
import { notDeleted } from './not-deleted.ts';

const dayMs = 86_400_000;
/** Maximum number of rows that one statement deletes, so that no transaction waits long for it. */
const atOnce = 5000;
/** Unread messages are kept this many times as long as read ones. */
const unreadTimes = 4;
/** How long an ended session can still explain why it ended. */
const endedSessionDays = 30;
const failedSignInDays = 90;
const mostFailedSignIns = 10_000;
/** A browser that was not used for this long is unknown again. */
export const browserMs = 180 * dayMs;

/** `ago(days)`: this many days before now. */
interface Given extends SettingValues<'retention'> {
  ago: (days: number) => Date;
}
interface Kept {
  table: keyof Tables;
  gone: (given: Given) => RawBuilder<unknown>;
}

/** Deliveries, plans and messages; unsent ones stay, and plans of active alarms, whose end is still to be announced. */
const ledgers: readonly Kept[] = [
  {
    table: 'deliveries',
    gone: ({ ago, deliveriesDays }) =>
      sql`created_at < ${ago(deliveriesDays)} and state not in ('queued', 'sent')`,
  },
  {
    table: 'alarm_notices',
    gone: ({ ago }) => sql`next_at is null and checked_at < ${ago(1)} and not exists (
      select from alarms a where a.line_id = alarm_notices.line_id and a.id = alarm_notices.alarm_id
        and (not a.processed or a.cleared_at is null) and ${notDeleted('a')})`,
  },
  {
    table: 'messages',
    gone: ({ ago, messagesDays }) =>
      sql`at < ${ago(messagesDays)} and (read_at is not null or at < ${ago(messagesDays * unreadTimes)})`,
  },
  { table: 'shelved_alarms', gone: ({ ago }) => sql`until < ${ago(1)}` },
  { table: 'alarm_events', gone: ({ ago, readingsDays }) => sql`at < ${ago(readingsDays)}` },
];

/** Rows of sign-ins and repeated calls. */
const sessions: readonly Kept[] = [
  { table: 'serials', gone: ({ ago }) => sql`created_at < ${ago(limits.serialMs / dayMs)}` },
  { table: 'sessions', gone: ({ ago }) => sql`expires_at < ${ago(endedSessionDays)}` },
  { table: 'sign_in_tries', gone: ({ ago }) => sql`last_at < ${ago(1)}` },
  { table: 'known_browsers', gone: ({ ago }) => sql`used_at < ${ago(browserMs / dayMs)}` },
  { table: 'two_step_tickets', gone: ({ ago }) => sql`expires_at < ${ago(0)}` },
  { table: 'sms_codes', gone: ({ ago }) => sql`expires_at < ${ago(1)}` },
  { table: 'sms_outbox', gone: ({ ago }) => sql`at < ${ago(1)}` },
  { table: 'captchas', gone: ({ ago }) => sql`expires_at < ${ago(0)}` },
  { table: 'one_time_links', gone: ({ ago }) => sql`expires_at < ${ago(0)}` },
  {
    table: 'failed_sign_ins',
    gone: ({ ago }) => sql`last_at < greatest(${ago(failedSignInDays)}, (
      select last_at from failed_sign_ins order by last_at desc offset ${mostFailedSignIns} limit 1))`,
  },
];

const kinds = { ledgers, sessions };

/** Deletes old rows in small groups; returns their number. */
export const forget = async (db: Db, kind: keyof typeof kinds, now: number): Promise<number> => {
  const given: Given = {
    ...(await readSettings(db, 'retention')),
    ago: (days) => new Date(now - days * dayMs),
  };
  let removed = 0;
  for (const { table, gone } of kinds[kind])
    for (let taken = atOnce; taken === atOnce; removed += taken) {
      const { numAffectedRows = 0n } = await sql`
        delete from ${sql.table(table)} where ctid = any(array(
          select ctid from ${sql.table(table)} where ${gone(given)} limit ${atOnce}))`.execute(db);
      taken = Number(numAffectedRows);
    }
  return removed;
};
