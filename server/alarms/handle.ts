/** Acts of operators on alarms: handle, remind, delete. One transaction, one result per alarm. */

import { type RawBuilder, sql } from 'kysely';
import { type AlarmFilter, type AlarmResults, batchLimit } from '#contract/alarms.ts';
import type { Db } from '#database/connect.ts';
import type { AlarmChange } from '#server/core/bus.ts';
import { fault } from '#server/core/fault.ts';
import { notDeleted, notDeletedSql } from '#server/core/not-deleted.ts';
import { isRecent } from '#server/core/recent.ts';
import { holds, type Scope } from '#server/core/scope.ts';
import { unexplained } from '#server/core/unexplained.ts';
import { alarmStore } from './alarms.store.ts';
import { noteChangedDays } from './closed-days.ts';

export interface Selection {
  id?: number | undefined;
  ids?: readonly number[] | undefined;
  filter?: AlarmFilter | undefined;
  /** The number that the operator confirmed. */
  expected?: number | undefined;
}
export interface Actor {
  readonly userId: number;
  readonly scope: Scope;
  readonly channel: string;
  readonly now: number;
}
export interface Outcome {
  readonly reply: AlarmResults;
  readonly changes: AlarmChange[];
}

interface ActedRow {
  line_id: number;
  id: number;
  revision: number;
  device_id: number;
  project_id: number | null;
  part_id: number | null;
  code: number;
  level: 1 | 2;
  severity: number;
  processed: boolean;
  cleared_at: Date | null;
  urged_at: Date | null;
  late: boolean;
  suppressed_by: number | null;
}
interface Act {
  readonly kind: 'handled' | 'urged' | 'deleted' | 'shelved' | 'unshelved';
  /** Null: may be done; else the reason why it is skipped. */
  readonly refuses: (row: ActedRow) => string | null;
  /** The change of the row itself; null: only its history changes. */
  readonly set: RawBuilder<unknown> | null;
  readonly data: Record<string, unknown>;
}

/** At most one reminder per alarm in this time. */
const urgeEveryMs = 10 * 60_000;

/** The text, and if it was written offline: when, and for which revision of the alarm. */
export interface Handling {
  readonly content: string;
  readonly revision?: number | undefined;
  readonly written_at?: string | undefined;
}

export const handleAlarms = (
  db: Db,
  actor: Actor,
  selection: Selection,
  { content, revision, written_at }: Handling,
): Promise<Outcome> =>
  act(db, actor, selection, {
    kind: 'handled',
    refuses: (row) => {
      if (row.processed) return 'processed';
      return revision !== undefined && row.revision !== revision ? 'changed' : null;
    },
    set: sql`handled_at = ${new Date(actor.now)}, handled_by = ${actor.userId}, handled_channel = ${actor.channel},
      handling_content = ${content}`,
    data: { content, channel: actor.channel, ...(written_at === undefined ? {} : { written_at }) },
  });

export const urgeAlarms = (db: Db, actor: Actor, selection: Selection): Promise<Outcome> =>
  act(db, actor, selection, {
    kind: 'urged',
    refuses: (row) => {
      if (row.processed) return 'processed';
      return row.urged_at !== null && isRecent(row.urged_at.getTime(), actor.now, urgeEveryMs)
        ? 'recently'
        : null;
    },
    set: sql`urged = a.urged + 1, urged_at = ${new Date(actor.now)}`,
    data: { channel: actor.channel },
  });

/** An active or unprocessed alarm cannot be deleted. */
export const deleteAlarms = (db: Db, actor: Actor, selection: Selection): Promise<Outcome> =>
  act(db, actor, selection, {
    kind: 'deleted',
    refuses: (row) => (row.cleared_at === null ? 'active' : row.processed ? null : 'unprocessed'),
    set: sql`deleted_at = ${new Date(actor.now)}, deleted_by = ${actor.userId}`,
    data: { channel: actor.channel },
  });

const idsOf = async (db: Db, actor: Actor, selection: Selection): Promise<readonly number[]> => {
  if (selection.id !== undefined) return [selection.id];
  if (selection.ids !== undefined) return [...new Set(selection.ids)];
  const { count, ids } = await alarmStore(db, actor.now).matching(
    selection.filter ?? {},
    actor.scope,
    batchLimit,
  );
  if (count > batchLimit) return fault('alarm.tooMany', { with: { count, limit: batchLimit } });
  if (selection.expected !== undefined && selection.expected !== count)
    return fault('alarm.changed', { with: { count, expected: selection.expected }, data: { count } });
  return ids;
};

export const act = async (db: Db, actor: Actor, selection: Selection, what: Act): Promise<Outcome> => {
  const ids = await idsOf(db, actor, selection);
  const { rows } = await sql<ActedRow>`
    select a.line_id, a.id, a.revision, a.device_id, a.project_id, a.part_id, a.code, a.level, a.severity, a.processed,
      a.cleared_at, a.urged_at, a.late, a.suppressed_by
    from alarms a where a.id = any(${ids}::bigint[]) and ${notDeleted('a')}
    order by a.line_id, a.id for update`.execute(db);
  const found = new Map(rows.map((row) => [row.id, row]));
  const results: AlarmResults['results'] = [];
  const done: ActedRow[] = [];
  for (const id of ids) {
    const row = found.get(id);
    if (!row || !holds(actor.scope, row.project_id, row.part_id)) {
      results.push({ id, result: 'denied', reason: 'missing' });
      continue;
    }
    const reason = what.refuses(row);
    results.push(reason === null ? { id, result: 'done' } : { id, result: 'skipped', reason });
    if (reason === null) done.push(row);
  }
  if (done.length > 0) await write(db, actor, what, done);
  const count = (result: string) => results.filter((entry) => entry.result === result).length;
  return {
    reply: { results, done: count('done'), skipped: count('skipped'), denied: count('denied') },
    changes: done.map((row) => ({
      lineId: row.line_id,
      alarmId: row.id,
      deviceId: row.device_id,
      projectId: row.project_id,
      partId: row.part_id,
      code: row.code,
      level: row.level,
      severity: row.severity,
      kind: what.kind,
      quiet: true,
    })),
  };
};

const write = (db: Db, actor: Actor, what: Act, rows: readonly ActedRow[]) =>
  sql`with given as (
      select line_id, id, processed
      from unnest(${rows.map((row) => row.line_id)}::int[], ${rows.map((row) => row.id)}::bigint[],
        ${rows.map((row) => row.processed)}::boolean[]) as given (line_id, id, processed)
    ), done as (
      update alarms a set ${what.set ? sql`${what.set},` : sql``} revision = a.revision + 1
      from given where a.line_id = given.line_id and a.id = given.id
      returning a.line_id, a.id, a.revision, a.code, a.level, a.severity, a.processed, a.deleted_at, a.suppressed_by,
        a.raised_at, given.processed as processed_before
    ), noted as (
      ${sql.raw(noteChangedDays('done', `processed <> processed_before or not (${notDeletedSql('done')})`))}
    ), tallied as (
      insert into alarm_tallies (code, level, severity, processed, n)
      select code, level, severity, processed, sum(n) from (
        select code, level, severity, processed_before as processed, -1 as n from done where ${unexplained('done')}
        union all
        select code, level, severity, processed, 1 from done
        where ${unexplained('done')} and ${notDeleted('done')}) change
      group by 1, 2, 3, 4 having sum(n) <> 0
    )
    insert into alarm_history (line_id, alarm_id, seq, at, kind, user_id, data)
    select line_id, id, revision, ${new Date(actor.now)}, ${what.kind}, ${actor.userId}, ${JSON.stringify(what.data)}::jsonb
    from done`.execute(db);
