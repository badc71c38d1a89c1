import { sql } from 'kysely';
import * as z from 'zod';
import type { BodyOf, ReplyOf } from '#contract/endpoint.ts';
import type { FaultCode } from '#contract/faults/codes.ts';
import { staysBehind, timerHazard } from '#contract/hazards.ts';
import type { Language } from '#contract/languages.ts';
import { mostPreviewRuns, type TimerRow, type timerEndpoints } from '#contract/timers.ts';
import type { Db } from '#database/connect.ts';
import { uninspectedLines } from '#server/control/inspections.ts';
import { isLineLocked, remoteControlOff } from '#server/control/remote-control.ts';
import type { Account } from '#server/core/account.ts';
import { cursorKey, cursorOf } from '#server/core/cursor.ts';
import { displayName } from '#server/core/display-name.ts';
import { fault } from '#server/core/fault.ts';
import { notDeleted } from '#server/core/not-deleted.ts';
import { inOwnTime, ownedSince } from '#server/core/ownership.ts';
import { messageOf } from '#server/core/reason.ts';
import { holds, inScope, type Scope } from '#server/core/scope.ts';
import { defaultZone } from '#server/core/zone.ts';
import { tagBadges } from '#server/tags/badges.store.ts';
import { rightfulAuthors } from './authors.ts';
import { namedDays, nextRun, runsBetween, withConflicts, zoneNamed } from './timers.rules.ts';

interface Within {
  device_id?: number | undefined;
  line_id?: number | undefined;
  project_id?: number | undefined;
}
const place = z.tuple([z.int().min(0).max(Date.UTC(9999, 0)), z.int32()]);
const previewDays = 7;
const mostPreviewTimers = 2000;

const inside = (db: Db, scope: Scope, within: Within) => {
  let query = db
    .selectFrom('timers')
    .innerJoin('devices', 'devices.id', 'timers.device_id')
    .innerJoin('lines', 'lines.id', 'timers.line_id')
    .leftJoin('projects', 'projects.id', 'devices.project_id')
    .leftJoin('timer_copies as copies', (join) =>
      join.onRef('copies.device_id', '=', 'timers.device_id').on('timers.run_by', '=', 'device'),
    )
    .where(notDeleted('devices'))
    .where(inScope(scope, 'devices.project_id', 'devices.part_id'));
  if (within.device_id !== undefined) query = query.where('timers.device_id', '=', within.device_id);
  if (within.line_id !== undefined) query = query.where('timers.line_id', '=', within.line_id);
  if (within.project_id !== undefined) query = query.where('devices.project_id', '=', within.project_id);
  return query;
};
type Run = ReplyOf<typeof timerEndpoints.runs>['list'][number];
interface StoredRun {
  timer_id: number;
  due_at: Date;
  device_id: number;
  line_id: number;
  action: 'open' | 'close';
  outcome: Run['outcome'];
  reason: string | null;
  reason_with: Record<string, string | number>;
  command_id: string | null;
  command_state: string | null;
  at: Date;
}
const runReply = ({ reason_with, due_at, at, ...run }: StoredRun, language: Language): Run => ({
  ...run,
  due_at: due_at.toISOString(),
  at: at.toISOString(),
  message: messageOf(run.reason, reason_with, language),
});
const runColumns = [
  'timer_runs.timer_id',
  'timer_runs.due_at',
  'timer_runs.device_id',
  'timer_runs.line_id',
  'timer_runs.action',
  'timer_runs.outcome',
  'timer_runs.reason',
  'timer_runs.reason_with',
  'timer_runs.command_id',
  'commands.state as command_state',
  'timer_runs.at',
] as const;

interface EnabledTimer {
  id: number;
  line_id: number;
  author_id: number;
  action: 'open' | 'close';
  critical: boolean;
  run_by: string;
  /** Where it was saved last, and where its device is. */
  project_id: number | null;
  is_in: number | null;
  part_id: number | null;
  remote_off: boolean;
  locked: boolean;
}
/** With what `whyItRests` asks for. */
const restable = (query: ReturnType<typeof inside>) =>
  query
    .leftJoin('line_latest', 'line_latest.line_id', 'timers.line_id')
    .selectAll('timers')
    .select([
      'devices.project_id as is_in',
      'devices.part_id',
      'lines.critical',
      remoteControlOff('devices').as('remote_off'),
      isLineLocked('line_latest').as('locked'),
    ]);
/** Why an enabled timer rests; null: it does not. */
const whyItRests = (
  row: EnabledTimer,
  author: Account | undefined,
  isUninspected: boolean,
): FaultCode | null => {
  if (
    row.is_in !== null &&
    staysBehind(timerHazard({ action: row.action, en: 1 }), row.project_id, row.is_in)
  )
    return 'timer.stayedBehind';
  // The server asks everything else when it runs the timer, and shows the outcome then.
  if (row.run_by === 'server') return null;
  if (author === undefined || !holds(author.scope, row.is_in, row.part_id)) return 'timer.author';
  if (row.action === 'open') return row.critical ? 'control.critical_line' : null;
  if (row.remote_off) return 'control.net_ctrl_off';
  if (row.locked) return 'control.locked';
  return isUninspected ? 'control.uninspected' : null;
};
/** The same for many timers, by id. */
const whyTheyRest = async (
  db: Db,
  held: readonly EnabledTimer[],
): Promise<ReadonlyMap<number, FaultCode | null>> => {
  const authors = await rightfulAuthors(
    db,
    held.map((row) => row.author_id),
  );
  const uninspected = await uninspectedLines(
    db,
    held.map((row) => row.line_id),
  );
  return new Map(
    held.map((row) => [row.id, whyItRests(row, authors.get(row.author_id), uninspected.has(row.line_id))]),
  );
};

const lastRuns = (db: Db, timerIds: readonly number[]): Promise<StoredRun[]> =>
  db
    .selectFrom('timer_runs')
    .leftJoin('commands', 'commands.id', 'timer_runs.command_id')
    .distinctOn('timer_runs.timer_id')
    .select(runColumns)
    .where('timer_runs.timer_id', 'in', timerIds)
    .where('timer_runs.at', '>=', ownedSince('timer_runs.device_id'))
    .orderBy('timer_runs.timer_id')
    .orderBy('timer_runs.due_at', 'desc')
    .execute();

/** The runs after `now` that fired before the clock was set back: they do not happen again. */
const firedAhead = async (db: Db, timerIds: readonly number[], now: number) => {
  const runs = await db
    .selectFrom('timer_runs')
    .select(['timer_id', 'due_at'])
    .where('timer_id', '=', sql<number>`any(${[...timerIds]}::int[])`)
    .where('due_at', '>', new Date(now))
    .where('outcome', '=', 'fired')
    .execute();
  return (timerId: number, at: number): boolean =>
    runs.some((run) => run.timer_id === timerId && run.due_at.getTime() === at);
};

export const timerStore = (db: Db) => {
  const rowsOf = async (
    scope: Scope,
    ids: readonly number[],
    now: number,
    language: Language,
  ): Promise<TimerRow[]> => {
    if (ids.length === 0) return [];
    const rows = await restable(inside(db, { all: true }, {}))
      .innerJoin('users', 'users.id', 'timers.author_id')
      .where('timers.id', 'in', ids)
      .select([
        'devices.number',
        'devices.name as device_name',
        'projects.name as project_name',
        'projects.time_zone',
        'lines.n',
        'lines.name as line_name',
        'users.username',
        'users.nickname',
        'copies.state as sync',
        'copies.reason as sync_reason',
      ])
      .select(ownedSince('timers.device_id').as('owned_since'))
      .execute();
    const rests = await whyTheyRest(
      db,
      rows.filter((row) => row.enabled),
    );
    const mayKnow = (row: (typeof rows)[number]) => row.created_at >= row.owned_since;
    const last = await lastRuns(db, ids);
    const hasFired = await firedAhead(db, ids, now);
    const placeOf = (row: (typeof rows)[number]) => ({
      lineId: row.line_id,
      deviceId: row.device_id,
      projectId: row.is_in,
    });
    const tagsOn = await tagBadges(db, scope, rows.map(placeOf));
    return ids.flatMap((id) => {
      const row = rows.find((one) => one.id === id);
      if (!row) return [];
      const zone = zoneNamed(row.time_zone ?? row.zone);
      const run = last.find((one) => one.timer_id === id);
      let next = row.enabled && row.done_at === null ? nextRun(row, zone, now) : null;
      while (next !== null && hasFired(row.id, next)) next = nextRun(row, zone, next);
      return {
        timer_id: row.id,
        device_id: row.device_id,
        device_number: row.number,
        device_name: row.device_name,
        project_id: row.is_in,
        project_name: row.project_name ?? '',
        line_id: row.line_id,
        n: row.n,
        line_name: row.line_name,
        type: row.type,
        ...namedDays(row.days),
        date: row.date,
        time: row.time,
        action: row.action,
        enabled: row.enabled,
        done: row.done_at !== null,
        run_by: row.run_by,
        sync: row.run_by === 'device' ? (row.sync ?? 'pending') : null,
        sync_message: messageOf(
          rests.get(row.id) ?? (row.run_by === 'device' ? row.sync_reason : null),
          {},
          language,
        ),
        next_at: next === null ? null : new Date(next).toISOString(),
        time_zone: zone.name,
        // An author from a former owner is not shown.
        author: mayKnow(row) ? displayName(row) : '',
        last_run: run ? runReply(run, language) : null,
        tags: tagsOn(placeOf(row)),
        revision: row.revision,
      };
    });
  };

  return {
    async list(scope: Scope, body: BodyOf<typeof timerEndpoints.list>, now: number, language: Language) {
      const { page, limit, sort = '-timer_id', action, enabled, run_by, sync, ...within } = body;
      let query = inside(db, scope, within);
      if (action !== undefined) query = query.where('timers.action', '=', action);
      if (enabled !== undefined) query = query.where('timers.enabled', '=', enabled);
      if (run_by !== undefined) query = query.where('timers.run_by', '=', run_by);
      if (sync !== undefined)
        query = query.where('timers.run_by', '=', 'device').where('copies.state', '=', sync);
      const field = sort.replace('-', '');
      const column =
        field === 'next_at' ? 'timers.next_at' : field === 'time' ? 'timers.time' : ('timers.id' as const);
      const down = sort.startsWith('-');
      const [counted, ids] = await Promise.all([
        query.select((eb) => eb.fn.countAll<number>().as('total')).executeTakeFirstOrThrow(),
        query
          .select('timers.id')
          .orderBy(column, (order) => (down ? order.desc().nullsLast() : order.asc().nullsLast()))
          .orderBy('timers.id', down ? 'desc' : 'asc')
          .limit(limit)
          .offset((page - 1) * limit)
          .execute(),
      ]);
      const list = await rowsOf(
        scope,
        ids.map((row) => row.id),
        now,
        language,
      );
      return { list, total: counted.total, page, limit };
    },

    async one(scope: Scope, timerId: number, now: number, language: Language): Promise<TimerRow> {
      const row = await inside(db, scope, {})
        .select('timers.id')
        .where('timers.id', '=', timerId)
        .executeTakeFirst();
      const [ordered] = row ? await rowsOf(scope, [row.id], now, language) : [];
      return ordered ?? fault('timer.missing');
    },

    async preview(
      scope: Scope,
      within: Within,
      now: number,
      language: Language,
    ): Promise<ReplyOf<typeof timerEndpoints.preview>> {
      const timers = await restable(inside(db, scope, within))
        .select('projects.time_zone')
        .where('timers.enabled', '=', true)
        .where('timers.done_at', 'is', null)
        .orderBy('timers.line_id')
        .limit(mostPreviewTimers + 1)
        .execute();
      const rests = await whyTheyRest(db, timers);
      const hasFired = await firedAhead(
        db,
        timers.map(({ id }) => id),
        now,
      );
      const to = now + previewDays * 86_400_000;
      const runs = timers.slice(0, mostPreviewTimers).flatMap((timer) => {
        const zone = zoneNamed(timer.time_zone ?? timer.zone);
        const coming = runsBetween(timer, zone, now, to).filter((at) => !hasFired(timer.id, at));
        return coming.map((at) => {
          const local = new Date(at + zone.offset(at) * 60_000).toISOString();
          return {
            timer_id: timer.id,
            device_id: timer.device_id,
            lineId: timer.line_id,
            at,
            date: local.slice(0, 10),
            time: local.slice(11, 16),
            action: timer.action,
            run_by: timer.run_by,
            rests: messageOf(rests.get(timer.id) ?? null, {}, language),
          };
        });
      });
      const ordered = withConflicts(runs).sort((a, b) => a.at - b.at || a.lineId - b.lineId);
      return {
        from: new Date(now).toISOString(),
        to: new Date(to).toISOString(),
        time_zone: timers[0]?.time_zone ?? timers[0]?.zone ?? defaultZone,
        truncated: ordered.length > mostPreviewRuns || timers.length > mostPreviewTimers,
        runs: ordered.slice(0, mostPreviewRuns).map(({ lineId, at, ...run }) => ({
          ...run,
          line_id: lineId,
          at: new Date(at).toISOString(),
        })),
      };
    },

    async runs(scope: Scope, body: BodyOf<typeof timerEndpoints.runs>, language: Language) {
      let query = db
        .selectFrom('timer_runs')
        .innerJoin('devices', 'devices.id', 'timer_runs.device_id')
        .leftJoin('commands', 'commands.id', 'timer_runs.command_id')
        .select(runColumns)
        .where(inScope(scope, 'devices.project_id', 'devices.part_id'))
        .where(inOwnTime(scope, 'devices.id', 'timer_runs.at'));
      if (body.timer_id !== undefined) query = query.where('timer_runs.timer_id', '=', body.timer_id);
      if (body.device_id !== undefined) query = query.where('timer_runs.device_id', '=', body.device_id);
      if (body.line_id !== undefined) query = query.where('timer_runs.line_id', '=', body.line_id);
      const after = body.cursor === undefined ? null : cursorKey(body.cursor, place);
      if (after)
        query = query.where(
          sql<boolean>`(timer_runs.due_at, timer_runs.timer_id) < (${new Date(after[0])}, ${after[1]})`,
        );
      const rows = await query
        .orderBy('timer_runs.due_at', 'desc')
        .orderBy('timer_runs.timer_id', 'desc')
        .limit(body.limit)
        .execute();
      const end = rows.length === body.limit ? rows.at(-1) : undefined;
      return {
        list: rows.map((row) => runReply(row, language)),
        next_cursor: end ? cursorOf(end.due_at.getTime(), end.timer_id) : null,
      };
    },
  };
};
