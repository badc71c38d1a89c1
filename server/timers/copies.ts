import { isDeepStrictEqual } from 'node:util';
import { sql } from 'kysely';
import type { FaultCode } from '#contract/faults/codes.ts';
import type { CfgMessage } from '#contract/telemetry.ts';
import type { Db } from '#database/connect.ts';
import { answerMs, type ConfigRefusal, type ConfigSender } from '#server/control/config-message.ts';
import { createBackground } from '#server/core/background.ts';
import type { TagChange } from '#server/core/bus.ts';
import type { CoreDeps } from '#server/core/core-deps.ts';
import { isRecent } from '#server/core/recent.ts';
import { createRounds } from '#server/core/rounds.ts';
import { defaultZone } from '#server/core/zone.ts';
import { mostMisled, sentAnotherZone, zoneAsSent } from './device-timers.ts';
import {
  closingKeptOff,
  closingStayedBehind,
  closingUnderTag,
  closingUninspected,
  mostDevices,
  openingCritical,
  restingAfter,
} from './forbidden.ts';
import { confirmedTimers, doTheSame, reportedConfig, wantedTimers } from './held-copies.ts';
import { openedOnce } from './opened.ts';
import { createRightsWatch } from './rights.ts';
import { zoneNamed } from './timers.rules.ts';

interface TimerCopiesDeps extends CoreDeps {
  sender: Pick<ConfigSender, 'send'>;
}
/** The reason that the badge of a timer shows while the device cannot get its copy. */
const waitsFor: Record<ConfigRefusal, FaultCode | null> = {
  missing: 'device.missing',
  unbound: 'control.unbound',
  offline: 'control.offline',
  unreported: 'setting.unreported',
  ota: 'control.ota',
  stale: 'control.stale',
  net_ctrl_off: 'control.net_ctrl_off',
  locked: null,
  tagged: null,
  uninspected: null,
  busy: null,
};
/** An unanswered message is sent again after this time. */
const patienceMs = 30_000;
const mostTries = 4;
const retriedAtOnce = 200;
const lookAfterMs = 1000;

/**
 * `wish`: the desired timers may have changed; `report`: the device reported its timers; `retry`: no answer
 * came.
 */
type Why = 'wish' | 'report' | 'retry';

/** A copy for each device that has none. */
const beginCopies = async (db: Db, deviceIds: readonly number[], now: number): Promise<void> => {
  if (deviceIds.length === 0) return;
  await sql`
    insert into timer_copies (device_id, state, changed_at)
    select id, 'pending', ${new Date(now)}::timestamptz from unnest(${deviceIds}::int[]) as id order by id
    on conflict do nothing`.execute(db);
};

/** Keeps the timers in devices equal to the desired ones, and knows whether they are. */
export const createTimerCopies = ({ db, bus, clock, sender, log }: TimerCopiesDeps) => {
  const background = createBackground((error, what) =>
    log.error({ err: error }, `timer copies: ${what} was not followed`),
  );
  let listening: (() => void)[] = [];

  const judge = (deviceId: number, why: Why, report: CfgMessage | null) =>
    db.transaction().execute(async (trx) => {
      const now = clock.now();
      const copy = await trx
        .selectFrom('timer_copies')
        .selectAll()
        .where('device_id', '=', deviceId)
        .forUpdate()
        .executeTakeFirst();
      if (!copy) return null;
      const device = await trx
        .selectFrom('devices')
        .leftJoin('projects', 'projects.id', 'devices.project_id')
        .select(['devices.number', 'projects.time_zone'])
        .where('devices.id', '=', deviceId)
        .executeTakeFirstOrThrow();
      const config = report ?? (await reportedConfig(trx, deviceId));
      const wanted = await wantedTimers(trx, deviceId, clock.now());
      const zone = device.time_zone ?? defaultZone;
      const zoneNow = zoneAsSent(zone, now);
      const become = (change: Partial<Omit<typeof copy, 'device_id'>>) =>
        trx.updateTable('timer_copies').set(change).where('device_id', '=', deviceId).execute();
      const end = async (state: 'synced' | 'conflict', reason: string | null) => {
        if (copy.state !== state || copy.reason !== reason)
          await become({ state, reason, push_id: null, pushed_at: null, changed_at: new Date(now) });
        return null;
      };
      // Without a report there is no revision to base a desired value on.
      if (!config) {
        await become({ reason: waitsFor.unreported });
        return null;
      }
      // Without timers of the server, those that were made at the device stay as they are.
      if (wanted.length === 0 && copy.state !== 'pending') return null;
      const same = doTheSame(wanted, config.timers ?? [], zoneNamed(zone), now);
      const answered = report?.id !== undefined && report.id === copy.push_id ? report.st : undefined;
      // A device may still apply an unanswered message, so a report from before proves nothing.
      const maybeApplied =
        copy.state === 'pending' &&
        copy.pushed_at !== null &&
        answered === undefined &&
        isRecent(copy.pushed_at.getTime(), now, answerMs);
      if (same && !maybeApplied && (copy.zone === zoneNow || wanted.length === 0 || answered === 'applied'))
        return end('synced', null);
      if (answered === 'rejected') return end('conflict', 'timer.rejected');
      if (why === 'report' && copy.state === 'synced' && !same) {
        const confirmed = await confirmedTimers(trx, deviceId);
        // The device still runs the timers that it confirmed, so only the timers of the server have changed.
        const isOurs = confirmed && doTheSame(confirmed, config.timers ?? [], zoneNamed(zone), now);
        if (!isOurs) return end('conflict', 'timer.drift');
      }
      if (why !== 'wish' && copy.state === 'conflict') return null;
      const outstanding = copy.pushed_at !== null && isRecent(copy.pushed_at.getTime(), now, patienceMs);
      if (why !== 'wish' && outstanding && answered === undefined) return null;
      const tries = why === 'wish' ? 1 : copy.tries + 1;
      if (tries > mostTries && answered !== undefined) return end('conflict', 'timer.drift');
      const changed = copy.state !== 'pending';
      await become({
        state: 'pending',
        reason: null,
        zone: zoneNow,
        push_id: null,
        pushed_at: new Date(now),
        tries,
        ...(changed ? { changed_at: new Date(now) } : {}),
      });
      return { zone };
    });

  const consider = async (deviceId: number, why: Why, report: CfgMessage | null = null): Promise<void> => {
    const needed = await judge(deviceId, why, report);
    if (!needed) return;
    const { zone } = needed;
    const result = await sender.send(deviceId, 'timers', async (trx, { id }) => {
      await trx.updateTable('timer_copies').set({ push_id: id }).where('device_id', '=', deviceId).execute();
      const timers = await wantedTimers(trx, deviceId, clock.now());
      const authors = await trx
        .selectFrom('timers')
        .select('author_id')
        .distinct()
        .where('device_id', '=', deviceId)
        .execute();
      return {
        content: { timers, tz: zone, utcoff: zoneNamed(zone).offset(clock.now()) },
        authorIds: authors.map(({ author_id }) => author_id),
        isCurrent: async (later) =>
          isDeepStrictEqual(timers, await wantedTimers(later, deviceId, clock.now())),
      };
    });
    // Offline, or another configuration is under way: it gets its timers after its next report.
    if (!result.sent)
      await db
        .updateTable('timer_copies')
        .set({ pushed_at: null, reason: result.reason === 'nothing' ? null : waitsFor[result.reason] })
        .where('device_id', '=', deviceId)
        .where('state', '=', 'pending')
        .execute();
  };
  const run = (work: () => Promise<unknown>) => background.run('a change', work);

  /** Devices that hold timers within the area of a tag. */
  const heldWithin = async ({ on }: TagChange): Promise<number[]> => {
    const rows = await db
      .selectFrom('timer_copies')
      .innerJoin('devices', 'devices.id', 'timer_copies.device_id')
      .select('devices.id')
      .where(
        'lineId' in on
          ? sql<boolean>`devices.id = (select device_id from lines where id = ${on.lineId})`
          : 'deviceId' in on
            ? sql<boolean>`devices.id = ${on.deviceId}`
            : sql<boolean>`devices.project_id = ${on.projectId}`,
      )
      .execute();
    return rows.map((row) => row.id);
  };
  /** Devices that tripped since the last look. A storm of trips is looked at in turn, many devices at once. */
  const tripped = new Set<number>();
  let looking = false;
  const restTripped = async (): Promise<void> => {
    if (looking) return;
    looking = true;
    try {
      while (tripped.size > 0) {
        const ids = [...tripped].slice(0, mostDevices);
        for (const id of ids) tripped.delete(id);
        const closing = await closingUninspected(db, ids);
        await beginCopies(db, closing, clock.now());
        for (const deviceId of closing) await consider(deviceId, 'wish');
      }
    } finally {
      looking = false;
    }
  };
  const rights = createRightsWatch(db);
  let cancelLook: (() => void) | null = null;
  /** Devices whose closing timers rested at the last look because remote control was off or a line locked. */
  let keptOff = new Set<number>();
  /**
   * The next devices whose timers rest are looked at from here; null: nothing has changed since the last of them.
   * The first round looks at all of them, because a killed process reported nothing that became allowed.
   */
  let restingFrom: number | null = 0;
  const resume = async (): Promise<void> => {
    if (restingFrom === null) return;
    const from = restingFrom;
    // An event meanwhile begins anew.
    restingFrom = null;
    try {
      const resting = await restingAfter(db, from);
      for (const deviceId of resting) await consider(deviceId, 'retry');
      if (resting.length === mostDevices) restingFrom ??= resting.at(-1)!;
    } catch (error) {
      restingFrom = 0;
      throw error;
    }
  };
  const rounds = createRounds({
    name: 'timer copies',
    clock,
    log,
    async round() {
      const rows = await db
        .selectFrom('timer_copies')
        .innerJoin('device_state', 'device_state.device_id', 'timer_copies.device_id')
        .select('timer_copies.device_id')
        .where('timer_copies.state', '=', 'pending')
        .where('device_state.online', '=', true)
        .where((eb) =>
          eb.or([eb('pushed_at', 'is', null), eb('pushed_at', '<=', new Date(clock.now() - patienceMs))]),
        )
        .limit(retriedAtOnce)
        .execute();
      for (const row of rows) await consider(row.device_id, 'retry');
      // These decisions of the server override local changes at the device.
      const { toRest, regained } = await rights();
      if (regained) restingFrom = 0;
      const closing = [...(await closingUnderTag(db)), ...(await closingUninspected(db))];
      await beginCopies(db, closing, clock.now());
      const off = await closingKeptOff(db);
      const running = off.flatMap((device) => (device.running ? device.id : []));
      const behind = await closingStayedBehind(db);
      const forbidden = [...closing, ...running, ...behind, ...(await openingCritical(db))];
      for (const deviceId of new Set([...toRest, ...forbidden])) await consider(deviceId, 'wish');
      const misled = await sentAnotherZone(db, clock.now());
      const offNow = new Set(off.map(({ id }) => id));
      if ([...keptOff].some((id) => !offNow.has(id))) restingFrom = 0;
      keptOff = offNow;
      for (const deviceId of [...(await openedOnce(db)), ...misled]) await consider(deviceId, 'retry');
      await resume();
      return misled.length === mostMisled || restingFrom !== null ? clock.now() : null;
    },
  });

  return {
    async start() {
      listening = [
        bus.on('timer.changed', ({ deviceId }) => run(() => consider(deviceId, 'wish'))),
        bus.on('lines.tripped', ({ deviceIds }) => {
          for (const id of deviceIds) tripped.add(id);
          run(restTripped);
        }),
        bus.on('device.config', ({ deviceId, config }) => run(() => consider(deviceId, 'report', config))),
        bus.on('device.online', ({ deviceId, online }) => {
          if (online) run(() => consider(deviceId, 'retry'));
        }),
        // A line may have become critical or not critical, or may have been inspected after a trip.
        bus.on('line.changed', ({ deviceId }) => run(() => consider(deviceId, 'retry'))),
        // The device may now be in another project, under a tag, or with lines that the authors of its timers
        // may not switch.
        bus.on('device.changed', ({ what }) => {
          if (what === 'report') return;
          cancelLook ??= clock.after(lookAfterMs, () => {
            cancelLook = null;
            rounds.wake();
          });
        }),
        // What was forbidden may be allowed again, and no event said so.
        bus.on('events.missed', () => {
          restingFrom = 0;
          rounds.wake();
        }),
        bus.on('tag.changed', (change) =>
          run(async () => {
            if (change.kind === 'review') return;
            // Devices without a copy may run timers that were made at them.
            if (change.kind === 'set') await beginCopies(db, await closingUnderTag(db), clock.now());
            for (const deviceId of await heldWithin(change)) await consider(deviceId, 'wish');
          }),
        ),
      ];
      rounds.start();
    },
    async stop() {
      for (const end of listening) end();
      cancelLook?.();
      await rounds.stop();
      await background.settled();
    },
  };
};
