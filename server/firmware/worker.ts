import { sql } from 'kysely';
import type { RolloutDeviceState } from '#contract/firmware.ts';
import type { Db } from '#database/connect.ts';
import type { Control } from '#server/control/commands.ts';
import { type Account, accountOf } from '#server/core/account.ts';
import { createAfterCommit } from '#server/core/after-commit.ts';
import { createBackground } from '#server/core/background.ts';
import type { Events } from '#server/core/bus.ts';
import type { CoreDeps } from '#server/core/core-deps.ts';
import { createRounds, type RoundReport } from '#server/core/rounds.ts';
import { askDevices } from './ask.ts';
import {
  activeStates,
  afterWave,
  type DeviceUpdate,
  hasTooManyErrors,
  nextStep,
  type Tally,
  type UpdateEvent,
} from './firmware.rules.ts';
import type { AddressOf } from './firmware.store.ts';
import { retryLater } from './retry.ts';

interface RolloutDeps extends CoreDeps {
  control: Pick<Control, 'requestMany'>;
  addressOf: AddressOf;
  onRound?: ((round: RoundReport) => void) | undefined;
}
const minuteMs = 60_000;
const longestMs = 5_000;
const open = sql.join(activeStates.map((state) => sql.lit(state)));

interface ActiveRow extends DeviceUpdate {
  rollout_id: number;
  device_id: number;
  step_minutes: number;
}
/** Updates of devices that are under way or ended in an unfinished rollout, with locked rows. */
const updatesOf = async (trx: Db, condition: ReturnType<typeof sql>): Promise<ActiveRow[]> =>
  (
    await sql<ActiveRow>`
      select rd.rollout_id, rd.device_id, rd.state, rd.from_version as from, v.app_version as to, d.firmware as reported,
        r.step_minutes
      from rollout_devices rd join rollouts r on r.id = rd.rollout_id join firmware_versions v on v.id = r.version_id
      join devices d on d.id = rd.device_id
      where ${condition} order by rd.rollout_id, rd.device_id for update of rd`.execute(trx)
  ).rows;

/** Applies an event to an update; true: something changed. */
const apply = async (
  trx: Db,
  row: ActiveRow,
  event: UpdateEvent,
  now: number,
  percent: number | null = null,
): Promise<boolean> => {
  const step = nextStep(row, event);
  const moves = event.kind === 'progress' && (activeStates as readonly string[]).includes(row.state);
  if (!step && !moves) return false;
  const state = step?.state ?? row.state;
  const isOver = !(activeStates as readonly RolloutDeviceState[]).includes(state);
  await trx
    .updateTable('rollout_devices')
    .set({
      state,
      ...(step ? { reason: step.reason, reason_with: JSON.stringify(step.with ?? {}) } : {}),
      percent: state === 'updated' ? 100 : percent,
      deadline_at: isOver ? null : new Date(now + row.step_minutes * minuteMs),
      updated_at: new Date(now),
    })
    .where('rollout_id', '=', row.rollout_id)
    .where('device_id', '=', row.device_id)
    .execute();
  return true;
};

/**
 * Runs rollouts: asks the devices of the present wave, at their pace, and follows their reports. All state is
 * in the rows; what a node missed follows from the version that each device reports.
 */
export const createRollouts = (deps: RolloutDeps) => {
  const { db, bus, clock, log } = deps;
  // The next round finds what was missed here.
  const background = createBackground((error, what) => log.warn({ err: error }, `firmware: ${what}`));
  let listening: (() => void)[] = [];

  const moved = (rolloutIds: Iterable<number>) => {
    for (const rolloutId of new Set(rolloutIds)) bus.emit('rollout.changed', { rolloutId });
  };

  const onProgress = async ({ deviceId, progress }: Events['device.ota']): Promise<void> => {
    const changed = await db.transaction().execute(async (trx) => {
      const rows = await updatesOf(
        trx,
        sql`rd.device_id = ${deviceId} and rd.command_id::text = ${progress.id.toLowerCase()}`,
      );
      const event = { kind: 'progress' as const, st: progress.st, err: progress.err ?? null };
      const ids: number[] = [];
      for (const row of rows)
        if (await apply(trx, row, event, clock.now(), progress.pct ?? null)) ids.push(row.rollout_id);
      return ids;
    });
    if (changed.length > 0) {
      moved(changed);
      rounds.wake();
    }
  };
  const onInfo = async ({ deviceId }: Events['device.info']): Promise<void> => {
    const changed = await db.transaction().execute(async (trx) => {
      const rows = await updatesOf(
        trx,
        sql`rd.device_id = ${deviceId} and (rd.state in (${open}) or rd.state in ('failed', 'rolled_back'))
          and rd.rollout_id = (select max(rollout_id) from rollout_devices where device_id = ${deviceId})`,
      );
      const ids: number[] = [];
      for (const row of rows)
        if (await apply(trx, row, { kind: 'info' }, clock.now())) ids.push(row.rollout_id);
      return ids;
    });
    if (changed.length > 0) {
      moved(changed);
      rounds.wake();
    }
  };

  /** Events without a listener: reported versions, ended commands, expired steps. */
  const settle = async (trx: Db, rolloutId: number, now: number): Promise<void> => {
    const inThis = sql`rd.rollout_id = ${rolloutId} and rd.state in (${open})`;
    for (const row of await updatesOf(trx, sql`${inThis} and d.firmware = v.app_version`))
      await apply(trx, row, { kind: 'info' }, now);
    const ended = await sql<{ device_id: number; reason: string | null; state: string }>`
      select rd.device_id, c.reason, c.state from rollout_devices rd join commands c on c.id = rd.command_id
      where rd.rollout_id = ${rolloutId} and rd.state = 'asked' and c.state in ('failed', 'expired', 'unknown')`.execute(
      trx,
    );
    for (const { device_id, reason, state } of ended.rows)
      await retryLater(trx, { rolloutId, deviceId: device_id, reason: `control.${reason ?? state}`, now });
    for (const row of await updatesOf(
      trx,
      sql`${inThis} and rd.state <> 'asked' and exists (
        select from commands c where c.id = rd.command_id and c.state = 'failed')`,
    ))
      await apply(trx, row, { kind: 'commandEnded', reason: 'control.hw_fail' }, now);
    for (const row of await updatesOf(trx, sql`${inThis} and rd.deadline_at <= ${new Date(now)}`))
      await apply(trx, row, { kind: 'deadline' }, now);
  };

  /** Does the due work of one rollout; null: another node has it. Returns when to look again. */
  const turn = async (rolloutId: number, now: number): Promise<boolean> => {
    const later = createAfterCommit(bus);
    const changed = await db.transaction().execute(async (trx) => {
      const rollout = await trx
        .selectFrom('rollouts')
        .selectAll()
        .where('id', '=', rolloutId)
        .where('state', '=', 'running')
        .forUpdate()
        .skipLocked()
        .executeTakeFirst();
      if (!rollout) return false;
      await settle(trx, rolloutId, now);
      const tallies = await talliesOf(trx, rolloutId);
      const end = (state: 'stopped' | 'paused' | 'done', reason: string | null) =>
        trx
          .updateTable('rollouts')
          .set({ state, reason, ...(state === 'paused' ? {} : { ended_at: new Date(now) }) })
          .where('id', '=', rolloutId)
          .execute();
      if (hasTooManyErrors(tallies, rollout.wave, rollout.stop_percent)) {
        await end('stopped', 'firmware.errors');
        return true;
      }
      const author = await rightfulAuthor(trx, rollout.author_id);
      if (!author) {
        await end('paused', 'firmware.author');
        return true;
      }
      const untried = await untriedOf(trx, rolloutId, rollout.wave);
      const after = afterWave(tallies, { wave: rollout.wave, waves: rollout.waves, untried });
      if (after === 'done') {
        await end('done', null);
        return true;
      }
      const wave = rollout.wave + (after === 'next' ? 1 : 0);
      if (after === 'next')
        await trx.updateTable('rollouts').set({ wave }).where('id', '=', rolloutId).execute();
      const asked = await askDevices(trx, {
        ...deps,
        author,
        rollout: { ...rollout, wave },
        now,
        later,
      });
      return after === 'next' || asked > 0;
    });
    later.release();
    if (changed) bus.emit('rollout.changed', { rolloutId });
    return changed;
  };

  let hasListened = false;
  const rounds = createRounds({
    name: 'firmware',
    clock,
    log,
    longestMs,
    onRound: deps.onRound,
    async round() {
      if (!hasListened) await restartSteps(db, clock.now());
      hasListened = true;
      const running = await db
        .selectFrom('rollouts')
        .select('id')
        .where('state', '=', 'running')
        .orderBy('id')
        .execute();
      let again = false;
      for (const { id } of running) {
        // A failed rollout does not block others.
        const moved = await turn(id, clock.now()).catch((error: unknown) => {
          log.error({ err: error, rollout: id }, 'firmware: a rollout failed');
          return false;
        });
        again = moved || again;
      }
      return again ? clock.now() + 200 : null;
    },
  });
  return {
    start() {
      listening = [
        bus.on('device.ota', (event) => background.run('progress', () => onProgress(event))),
        bus.on('device.info', (event) => background.run('version', () => onInfo(event))),
        bus.on('command.changed', ({ verb }) => {
          if (verb === 'ota') rounds.wake();
        }),
        bus.on('rollout.changed', () => rounds.wake()),
      ];
      rounds.start();
    },
    wake: () => rounds.wake(),
    async stop() {
      for (const leave of listening) leave();
      await rounds.stop();
      await background.settled();
    },
  };
};

/**
 * Restarts the time limit of the current steps. Devices that continued while no server ran report only after
 * they reconnect, and must not fail because of the outage.
 */
const restartSteps = (db: Db, now: number) =>
  sql`
    update rollout_devices rd set deadline_at = ${new Date(now)}::timestamptz + r.step_minutes * interval '1 minute'
    from rollouts r where r.id = rd.rollout_id and r.state = 'running' and rd.state in (${open})`.execute(db);

/** The author with the present permissions; null: the author may no longer update devices. */
const rightfulAuthor = async (trx: Db, userId: number): Promise<Account | null> => {
  const author = await accountOf(trx, userId);
  return author?.permissions.has('firmware.write') ? author : null;
};
const talliesOf = async (trx: Db, rolloutId: number): Promise<Tally[]> =>
  (
    await sql<Tally>`
      select wave, state, count(*)::int as n from rollout_devices where rollout_id = ${rolloutId} group by 1, 2`.execute(
      trx,
    )
  ).rows;
/** Devices of started waves that have not been asked yet. */
const untriedOf = async (trx: Db, rolloutId: number, wave: number): Promise<number> =>
  (
    await sql<{ n: number }>`
      select count(*)::int as n from rollout_devices
      where rollout_id = ${rolloutId} and wave <= ${wave} and state = 'waiting' and tries = 0`.execute(trx)
  ).rows[0]!.n;
