import { sql } from 'kysely';
import type { FaultCode } from '#contract/faults/codes.ts';
import type { Db } from '#database/connect.ts';
import type { TimerRun } from '#server/core/bus.ts';
import { notDeleted } from '#server/core/not-deleted.ts';
import { mostLateMs, nextRun, runsBetween, zoneNamed } from './timers.rules.ts';

export const claimedAtOnce = 500;
const mostMissed = 400;

/**
 * Claims due timers that this node can lock, and writes a run for each: due, or missed if it is too late. In
 * the same transaction the timer moves on to its next run, so none comes due twice.
 */
export const claimDue = (
  db: Db,
  now: number,
): Promise<{ claimed: number; missed: TimerRun[]; ended: number[] }> =>
  db.transaction().execute(async (trx) => {
    const due = await trx
      .selectFrom('timers')
      .innerJoin('devices', 'devices.id', 'timers.device_id')
      .leftJoin('projects', 'projects.id', 'devices.project_id')
      .selectAll('timers')
      .select(['devices.project_id as is_in', 'devices.part_id', 'devices.deleted_at', 'projects.time_zone'])
      .where('timers.next_at', '<=', new Date(now))
      .orderBy('timers.next_at')
      .limit(claimedAtOnce)
      .forUpdate('timers')
      .skipLocked()
      .execute();
    if (due.length === 0) return { claimed: 0, missed: [], ended: [] };
    const runs: { timer: (typeof due)[number]; at: number; missed: FaultCode | null }[] = [];
    const moved = due.map((timer) => {
      const since = timer.next_at!.getTime() - 1;
      // The due run belongs to the zone in which it was calculated.
      const passed = runsBetween(timer, zoneNamed(timer.zone), since, now);
      const hasMoved = timer.time_zone !== null && timer.time_zone !== timer.zone;
      const tooLate = (at: number): FaultCode | null => (now - at > mostLateMs ? 'timer.late' : null);
      if (timer.run_by === 'server')
        for (const at of passed.slice(-mostMissed))
          runs.push({ timer, at, missed: hasMoved ? 'timer.moved' : tooLate(at) });
      const zone = timer.time_zone ?? timer.zone;
      const next = timer.deleted_at === null ? nextRun(timer, zoneNamed(zone), now) : null;
      return { id: timer.id, next: next === null ? null : new Date(next), zone };
    });
    await sql`
      update timers set next_at = moved.next_at, zone = moved.zone,
        done_at = case when moved.next_at is null then ${new Date(now)}::timestamptz end,
        slot = case when moved.next_at is not null then slot end
      from unnest(${moved.map((timer) => timer.id)}::int[], ${moved.map((timer) => timer.next)}::timestamptz[],
        ${moved.map((timer) => timer.zone)}::text[]) as moved (id, next_at, zone)
      where timers.id = moved.id`.execute(trx);
    if (runs.length > 0)
      await sql`
        insert into timer_runs (timer_id, due_at, device_id, line_id, action, author_id, project_id, outcome, reason, at,
          after_number)
        select id, due_at, timers.device_id, timers.line_id, timers.action, timers.author_id, timers.project_id,
          case when run.missed is null then 'due' else 'missed' end, run.missed, ${new Date(now)},
          coalesce((select max(number) from commands where commands.device_id = timers.device_id), 0)
        from unnest(${runs.map((run) => run.timer.id)}::int[], ${runs.map((run) => new Date(run.at))}::timestamptz[],
          ${runs.map((run) => run.missed)}::text[]) as run (id, due_at, missed)
        join timers using (id)
        on conflict (timer_id, due_at) do update set device_id = excluded.device_id, line_id = excluded.line_id,
          action = excluded.action, author_id = excluded.author_id, project_id = excluded.project_id,
          outcome = excluded.outcome, reason = excluded.reason, reason_with = excluded.reason_with, at = excluded.at,
          after_number = excluded.after_number
          where timer_runs.outcome in ('skipped', 'missed')`.execute(trx);
    const lastMissed = new Map(
      runs.flatMap(({ missed, ...run }) => (missed ? [[run.timer.id, { ...run, missed }] as const] : [])),
    );
    return {
      claimed: due.length,
      missed: [...lastMissed.values()].map(({ timer, at, missed }) => ({
        timerId: timer.id,
        deviceId: timer.device_id,
        lineId: timer.line_id,
        projectId: timer.is_in,
        partId: timer.part_id,
        authorId: timer.author_id,
        dueAt: at,
        action: timer.action,
        outcome: 'missed',
        reason: missed,
      })),
      ended: due
        .filter((timer) => moved.some((one) => one.id === timer.id && !one.next))
        .map((timer) => timer.device_id),
    };
  });

export const nextDue = async (db: Db): Promise<number | null> => {
  const row = await db
    .selectFrom('timers')
    .select('next_at')
    .where('next_at', 'is not', null)
    .orderBy('next_at')
    .limit(1)
    .executeTakeFirst();
  return row?.next_at?.getTime() ?? null;
};

/**
 * Recalculates timers whose project has another zone than they were calculated in. Returns their devices. A
 * timer of an unbound device keeps its zone.
 */
export const followZones = (db: Db, now: number, deviceId?: number): Promise<number[]> =>
  db.transaction().execute(async (trx) => {
    const strays = await trx
      .selectFrom('timers')
      .innerJoin('devices', 'devices.id', 'timers.device_id')
      .innerJoin('projects', 'projects.id', 'devices.project_id')
      .selectAll('timers')
      .select('projects.time_zone')
      .whereRef('timers.zone', '<>', 'projects.time_zone')
      .$if(deviceId !== undefined, (query) => query.where('timers.device_id', '=', deviceId!))
      .orderBy('timers.id')
      .limit(claimedAtOnce)
      .forUpdate('timers')
      .skipLocked()
      .execute();
    for (const timer of strays) {
      const zone = timer.time_zone;
      const next = timer.next_at === null ? null : nextRun(timer, zoneNamed(zone), now);
      await trx
        .updateTable('timers')
        .set({
          zone,
          next_at: next === null ? null : new Date(next),
          ...(timer.next_at !== null && next === null ? { done_at: new Date(now) } : {}),
        })
        .where('id', '=', timer.id)
        .execute();
    }
    return [...new Set(strays.map((timer) => timer.device_id))];
  });

/** Between two runs of a weekly timer lies at least a day, less a change of its clocks. */
const leastPause = sql`interval '21 hours'`;
/**
 * Brings back runs after `since` that timers moved on past while the clock was ahead, or that were not yet reckoned
 * with when they were saved then. A run that fired does not happen again: its row stays. Returns the devices of these
 * timers. Decision 0568.
 */
export const followClock = async (db: Db, since: number): Promise<number[]> => {
  const deviceIds = new Set<number>();
  for (let from: number | null = 0; from !== null; ) {
    const { back, last }: Awaited<ReturnType<typeof bringBack>> = await bringBack(db, since, from);
    for (const id of back) deviceIds.add(id);
    from = last;
  }
  return [...deviceIds];
};
const bringBack = async (db: Db, since: number, afterId: number) => {
  const seen = await db
    .selectFrom('timers')
    .innerJoin('devices', 'devices.id', 'timers.device_id')
    .selectAll('timers')
    .where('timers.id', '>', afterId)
    .where('timers.run_by', '=', 'server')
    .where('timers.enabled', '=', true)
    .where(notDeleted('devices'))
    .where(
      sql<boolean>`(timers.next_at > ${new Date(since)}::timestamptz + ${leastPause} and timers.type = 'weekly'
        or timers.done_at > ${new Date(since)})`,
    )
    .orderBy('timers.id')
    .limit(claimedAtOnce)
    .execute();
  const back = seen.flatMap((timer) => {
    const next = nextRun(timer, zoneNamed(timer.zone), since);
    return next !== null && (timer.next_at === null || next < timer.next_at.getTime())
      ? [{ ...timer, next: new Date(next) }]
      : [];
  });
  if (back.length > 0)
    await sql`
      update timers set next_at = back.next_at, done_at = null
      from unnest(${back.map(({ id }) => id)}::int[], ${back.map(({ next_at }) => next_at)}::timestamptz[],
        ${back.map(({ revision }) => revision)}::int[], ${back.map(({ next }) => next)}::timestamptz[])
        as back (id, was_at, revision, next_at)
      where timers.id = back.id and timers.revision = back.revision
        and timers.next_at is not distinct from back.was_at`.execute(db);
  return {
    back: back.map(({ device_id }) => device_id),
    last: seen.length === claimedAtOnce ? seen.at(-1)!.id : null,
  };
};
