import { sql } from 'kysely';
import { type FaultCode, faults } from '#contract/faults/codes.ts';
import type { Db } from '#database/connect.ts';
import type { Control } from '#server/control/commands.ts';
import { openedSince } from '#server/control/opened-since.ts';
import type { Account } from '#server/core/account.ts';
import { createAfterCommit } from '#server/core/after-commit.ts';
import type { Bus, TimerRun } from '#server/core/bus.ts';
import { appendOperations, type Operation } from '#server/core/operation-log.ts';
import { defaultZone } from '#server/core/zone.ts';
import { rightfulAuthors } from './authors.ts';
import { mostLateMs, runsAt, zoneNamed } from './timers.rules.ts';

type Answer = Awaited<ReturnType<Control['requestMany']>>[number];
interface Ending {
  outcome: TimerRun['outcome'];
  reason: FaultCode | null;
  with: Readonly<Record<string, string | number>>;
  commandId: string | null;
}
const because = (outcome: 'skipped' | 'missed', reason: FaultCode, parameters = {}): Ending => ({
  outcome,
  reason,
  with: parameters,
  commandId: null,
});
/** The device could not be reached: the run is missed. Any other refusal skips it. */
const unreachable: readonly FaultCode[] = ['control.offline', 'control.stale', 'control.unbound'];

const waiting = (trx: Db, limit: number) =>
  trx
    .selectFrom('timer_runs as run')
    .innerJoin('devices', 'devices.id', 'run.device_id')
    .leftJoin('projects', 'projects.id', 'devices.project_id')
    .leftJoin('timers', 'timers.id', 'run.timer_id')
    .selectAll('run')
    .select([
      'devices.project_id as is_in',
      'devices.part_id',
      'devices.deleted_at',
      'projects.time_zone',
      'timers.enabled',
      'timers.action as asks',
      'timers.run_by',
      'timers.type',
      'timers.days',
      'timers.date',
      'timers.time',
    ])
    .where('run.outcome', '=', 'due')
    .orderBy('run.due_at')
    .orderBy('run.device_id')
    .orderBy('run.line_id')
    .limit(limit)
    .forUpdate('run')
    .skipLocked()
    .execute();
type Waiting = Awaited<ReturnType<typeof waiting>>[number];

/** Whether a timer opens the line of a closing run in the same minute, on the server or in a device. */
const opensToo = async (trx: Db, runs: readonly Waiting[]): Promise<(run: Waiting) => boolean> => {
  const closing = runs.filter((run) => run.action === 'close');
  if (closing.length === 0) return () => false;
  const lineIds = [...new Set(closing.map((run) => run.line_id))];
  const [timers, ran] = [
    await trx
      .selectFrom('timers')
      .selectAll()
      .where('line_id', 'in', lineIds)
      .where('action', '=', 'open')
      .where('enabled', '=', true)
      .execute(),
    await trx
      .selectFrom('timer_runs')
      .select(['line_id', 'due_at'])
      .where('line_id', 'in', lineIds)
      .where('action', '=', 'open')
      .where(
        'due_at',
        'in',
        closing.map((run) => run.due_at),
      )
      .execute(),
  ];
  return (run) =>
    run.action === 'close' &&
    (ran.some((one) => one.line_id === run.line_id && one.due_at.getTime() === run.due_at.getTime()) ||
      timers.some(
        (timer) =>
          timer.line_id === run.line_id &&
          runsAt(timer, zoneNamed(run.time_zone ?? defaultZone), run.due_at.getTime()),
      ));
};

const eventOf = ({ run, ending }: { run: Waiting; ending: Ending }) => ({
  timerId: run.timer_id,
  deviceId: run.device_id,
  lineId: run.line_id,
  projectId: run.is_in,
  partId: run.part_id,
  authorId: run.author_id,
  dueAt: run.due_at.getTime(),
  action: run.action,
  outcome: ending.outcome,
  reason: ending.reason,
});

/**
 * Carries out waiting runs, up to `limit` in one transaction: each through the guard, for its author with the
 * present permissions. With `whatever` a run that fails without a refusal of the guard ends as missed instead
 * of undoing the transaction. Returns how many it processed.
 */
export const fireWaiting = async (
  { db, bus, control }: { db: Db; bus: Bus; control: Pick<Control, 'requestMany'> },
  now: number,
  { limit, whatever }: { limit: number; whatever: boolean },
): Promise<number> => {
  const later = createAfterCommit(bus);
  const taken = await db.transaction().execute(async (trx) => {
    const runs = await waiting(trx, limit);
    if (runs.length === 0) return 0;
    const opens = await opensToo(trx, runs);
    const authors = await rightfulAuthors(
      trx,
      runs.map((run) => run.author_id),
    );
    const judged = runs.map((run) => {
      const author = authors.get(run.author_id) ?? null;
      return { run, author, refused: refusalOf(run, author, opens, now) };
    });
    const going = judged.flatMap(({ run, refused }) => (refused ? [] : run));
    const opened = await openedSince(trx, going, ({ due_at, after_number }) => ({
      at: due_at,
      after: after_number,
    }));
    const asked = judged.map((one) =>
      opened.has(one.run) ? { ...one, refused: because('skipped', 'control.superseded') } : one,
    );
    const asking = asked.flatMap(({ run, author, refused }) => (author && !refused ? [{ run, author }] : []));
    let broken: Ending = because('missed', 'server.failed');
    if (whatever) await sql`savepoint runs`.execute(trx);
    const answers = await control
      .requestMany(
        { db: trx, now, ...later },
        asking.map(({ run, author }) => ({
          deviceId: run.device_id,
          lineId: run.line_id,
          verb: run.action,
          cause: 'timer',
          askedIn: run.project_id,
          by: { ...author, address: '', identityProved: true },
        })),
      )
      .catch(async (error: unknown) => {
        if (!whatever) throw error;
        await sql`rollback to savepoint runs`.execute(trx);
        later.forget();
        broken = because('missed', 'server.failed', { error: String(error) });
        return [];
      });
    const answerTo = new Map(asking.map(({ run }, index) => [run, answers[index]]));
    const ended = asked.map(({ run, author, refused }) => {
      const answer = answerTo.get(run);
      const ending = refused ?? (answer ? endingOf(answer) : broken);
      return { run, author, ending, about: answer?.about ?? {} };
    });
    for (const one of ended) later.emit('timer.ran', eventOf(one));
    await write(
      trx,
      ended.map(({ run, ending }) => ({ run, ...ending })),
      now,
    );
    await appendOperations(
      trx,
      ended.map(({ run, author, ending, about }) => operationOf(run, author, ending, about, now)),
    );
    return runs.length;
  });
  later.release();
  return taken;
};

/** Whether the timer still exists and still has this run: it may have been changed since it came due. */
const standsAs = ({ type, days, date, time, ...run }: Waiting): boolean =>
  type !== null &&
  days !== null &&
  time !== null &&
  run.enabled === true &&
  run.run_by === 'server' &&
  run.asks === run.action &&
  runsAt({ type, days, date, time }, zoneNamed(run.time_zone ?? defaultZone), run.due_at.getTime());

/** Why a run is refused before the guard; null: the guard decides. */
const refusalOf = (
  run: Waiting,
  author: Account | null,
  opens: (run: Waiting) => boolean,
  now: number,
): Ending | null => {
  if (now - run.due_at.getTime() > mostLateMs) return because('missed', 'timer.late');
  if (run.deleted_at !== null) return because('missed', 'device.missing');
  if (run.is_in === null) return because('missed', 'control.unbound');
  if (!standsAs(run)) return because('skipped', 'timer.gone');
  if (opens(run)) return because('skipped', 'timer.openWins');
  return author ? null : because('skipped', 'timer.author');
};
const endingOf = ({ requested, refusal }: Answer): Ending => {
  if (requested) return { outcome: 'fired', reason: null, with: {}, commandId: requested.commandId };
  if (refusal.code === 'device.missing') return because('skipped', 'timer.author');
  // Authors without the permission to switch were refused earlier: the remaining case is opening a critical
  // line.
  if (refusal.code === 'permission.denied') return because('skipped', 'control.critical_line');
  return because(
    unreachable.includes(refusal.code) ? 'missed' : 'skipped',
    refusal.code,
    refusal.details.with ?? {},
  );
};

const write = (trx: Db, endings: readonly (Ending & { run: Waiting })[], now: number) =>
  sql`
    update timer_runs set outcome = ended.outcome, reason = ended.reason, reason_with = ended.reason_with,
      command_id = ended.command_id, at = ${new Date(now)}
    from unnest(${endings.map(({ run }) => run.timer_id)}::int[], ${endings.map(({ run }) => run.due_at)}::timestamptz[],
      ${endings.map((ending) => ending.outcome)}::text[], ${endings.map((ending) => ending.reason)}::text[],
      ${endings.map((ending) => JSON.stringify(ending.with))}::jsonb[],
      ${endings.map((ending) => ending.commandId)}::uuid[])
      as ended (timer_id, due_at, outcome, reason, reason_with, command_id)
    where timer_runs.timer_id = ended.timer_id and timer_runs.due_at = ended.due_at`.execute(trx);

const operationOf = (
  run: Waiting,
  author: Account | null,
  ending: Ending,
  notes: Record<string, unknown>,
  now: number,
): Operation => {
  const { projectId: _project, deviceId: _device, ...about } = notes;
  return {
    at: new Date(now),
    userId: run.author_id,
    operator: author?.username ?? '',
    key: 'timer.fire',
    channel: 'timer',
    address: '',
    requestId: `timer-${run.timer_id}-${run.due_at.toISOString()}`,
    outcome: ending.outcome === 'fired' ? 'done' : 'refused',
    code: ending.reason === null ? 200 : faults[ending.reason].code,
    projectId: run.is_in,
    deviceId: run.device_id,
    parameters: {
      timer_id: run.timer_id,
      line_id: run.line_id,
      due_at: run.due_at.toISOString(),
      action: run.action,
      ...about,
      ...(ending.reason === null
        ? {}
        : {
            fault: ending.reason,
            outcome: ending.outcome,
          }),
    },
  };
};
