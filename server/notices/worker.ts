import { setTimeout as delay } from 'node:timers/promises';
import { noticeChannels } from '#contract/deliveries.ts';
import { unshelveAfterSetBack } from '#server/alarms/shelving.ts';
import { createBackground } from '#server/core/background.ts';
import { createClockSteps } from '#server/core/clock-steps.ts';
import type { CoreDeps } from '#server/core/core-deps.ts';
import { faultOf } from '#server/core/database-fault.ts';
import { createRounds, type RoundReport } from '#server/core/rounds.ts';
import type { Vault } from '#server/core/vault.ts';
import { claim, freeExpiredLeases } from './claim.ts';
import { overdue } from './facts.ts';
import { planRound } from './plan.ts';
import { pushKeys } from './push-keys.ts';
import { deliverAll } from './send.ts';
import { dueAfterSetBack } from './set-back.ts';

export interface Notices {
  start(): Promise<void>;
  /** Looks for due deliveries now. */
  kick(): void;
  /** Resolves when nothing is being planned or sent. */
  idle(): Promise<void>;
  stop(): Promise<void>;
}

/** Alarms within this time are planned together, so that a storm is one push. */
const gatherMs = 1000;
const gatherEndsMs = 20;
const lookEveryMs = 5000;
const mostAtOnce = 16;
const plannedAtOnce = 500;
const requestLimitMs = 10_000;

/**
 * Plans notices as alarms change and sends due ones. All state is in the database: events only wake the work,
 * and changes whose events were lost are found within five seconds.
 */
export const createNotices = (
  deps: CoreDeps & {
    vault: Vault;
    publicUrl?: string | undefined;
    requestLimitMs?: number;
    /** Called after each look for due deliveries. */
    onRound?: ((report: RoundReport) => void) | undefined;
  },
): Notices => {
  const { db, bus, clock, log } = deps;
  let stopped = true;
  /** Alarms to be planned. */
  const pending = new Set<number>();
  let lookAt = 0;
  const sending = createBackground((error, what) => log.error({ err: error }, `${what} failed`));
  /** When the sender next checks all channels, and which channels it checks before. */
  let allAt = 0;
  const wanted = new Set<(typeof noticeChannels)[number]>();
  const busy = new Map(noticeChannels.map((channel) => [channel, new Set<string>()]));
  const stops: (() => void)[] = [];

  const steps = createClockSteps(clock);
  /** The clock may have been set back while no server ran. */
  let isSetBack = true;
  const wasSetBack = (): boolean => {
    if (steps.look() < 0) isSetBack = true;
    return isSetBack;
  };
  const afterSetBack = async () => {
    await db.transaction().execute((trx) => unshelveAfterSetBack(trx, clock.now()));
    await dueAfterSetBack(db, clock.now());
    isSetBack = false;
  };

  const plan = async () => {
    // Alarms that are added meanwhile wait for the next round, so a storm is planned once a second.
    const due = [...pending];
    const failures: unknown[] = [];
    while (due.length > 0 && !stopped) {
      const ids = due.splice(0, plannedAtOnce);
      for (const id of ids) pending.delete(id);
      await planSome(ids, failures).catch((error: unknown) => {
        for (const id of ids) pending.add(id);
        throw error;
      });
    }
    if (failures.length > 0) throw new AggregateError(failures, 'notices of some alarms cannot be planned');
  };
  /** An alarm whose notices cannot be stored delays no other one; it is planned again with the next look. */
  const planSome = async (ids: readonly number[], failures: unknown[]): Promise<void> => {
    try {
      const { userIds, queued } = await planRound(db, ids, clock.now());
      if (userIds.length > 0) bus.emit('message.posted', { userIds: [...new Set(userIds)] });
      if (queued) lookForAll();
    } catch (error) {
      if (faultOf(error) !== 'content') throw error;
      if (ids.length === 1) return void failures.push(error);
      const half = Math.ceil(ids.length / 2);
      await planSome(ids.slice(0, half), failures);
      await planSome(ids.slice(half), failures);
    }
  };
  const planner = createRounds({
    name: 'notices',
    clock,
    log,
    longestMs: lookEveryMs,
    onRound: deps.onRound,
    async round() {
      if (wasSetBack()) await afterSetBack();
      const now = clock.now();
      // The check is also due if the clock was set back.
      if (now >= lookAt || lookAt > now + lookEveryMs) {
        for (const id of await overdue(db, now)) pending.add(id);
        lookAt = now + lookEveryMs;
      }
      await plan();
      return lookAt;
    },
  });

  /** Claims again while there may be more due deliveries than one claim takes. */
  const lane = async (channel: (typeof noticeChannels)[number]) => {
    const taken = busy.get(channel)!;
    while (!stopped) {
      const room = mostAtOnce - taken.size;
      if (room <= 0) return;
      const rows = await claim(db, channel, [...taken], room, clock.now());
      const posted = (userIds: readonly number[]) => {
        if (userIds.length > 0) bus.emit('message.posted', { userIds });
      };
      const given = {
        posted,
        db,
        vault: deps.vault,
        publicUrl: deps.publicUrl ?? '',
        limitMs: deps.requestLimitMs ?? requestLimitMs,
        now: () => clock.now(),
      };
      for (const [index, work] of deliverAll(given, rows).entries()) {
        const { target } = rows[index]!;
        taken.add(target);
        sending.run('delivery', () =>
          work.finally(() => {
            taken.delete(target);
            wanted.add(channel);
            wakeSoon();
          }),
        );
      }
      // The claim was not full, so no other target has a due delivery.
      if (rows.length < room) return;
    }
  };
  /** Targets that become free at about the same time get their next deliveries with one claim. */
  let wakesSoon = false;
  const wakeSoon = () => {
    if (wakesSoon) return;
    wakesSoon = true;
    sending.run('waking', async () => {
      await delay(gatherEndsMs);
      wakesSoon = false;
      sender.wake();
    });
  };
  const sender = createRounds({
    name: 'deliveries',
    clock,
    log,
    async round() {
      if (wasSetBack()) await afterSetBack();
      const now = clock.now();
      const isForAll = now >= allAt || allAt > now + lookEveryMs;
      try {
        if (isForAll) {
          allAt = now + lookEveryMs;
          await freeExpiredLeases(db, now);
        }
        const channels = isForAll ? noticeChannels : [...wanted];
        wanted.clear();
        for (const channel of channels) await lane(channel);
      } catch (error) {
        allAt = 0;
        throw error;
      }
      return allAt;
    },
  });
  const lookForAll = () => {
    allAt = 0;
    sender.wake();
  };

  return {
    async start() {
      await pushKeys(db, deps.vault, clock.now());
      stopped = false;
      stops.push(
        bus.on('alarms.changed', (changes) => {
          for (const { kind, alarmId } of changes)
            if (
              kind === 'raised' ||
              kind === 'escalated' ||
              kind === 'urged' ||
              kind === 'unshelved' ||
              kind === 'cleared'
            )
              pending.add(alarmId);
          if (pending.size > 0) planner.wakeAt(clock.now() + gatherMs);
        }),
      );
      planner.start();
      sender.start();
    },
    kick: lookForAll,
    async idle() {
      while (planner.isBusy() || sender.isBusy() || sending.isBusy()) {
        await planner.settled();
        await sender.settled();
        await sending.settled();
      }
    },
    async stop() {
      stopped = true;
      for (const stop of stops) stop();
      await planner.stop();
      await sender.stop();
      await sending.settled();
    },
  };
};
