import type { Logger } from 'pino';
import type { Db } from '#database/connect.ts';
import type { Control } from '#server/control/control.commands.ts';
import type { Bus } from '#server/core/bus.ts';
import type { Clock } from '#server/core/clock.ts';
import { createRounds } from '#server/core/rounds.ts';
import { claimDue, claimedAtOnce, followZones, nextDue } from './timers.claim.ts';
import { fireWaiting } from './timers.fire.ts';

export interface TimersDeps {
  db: Db;
  bus: Bus;
  clock: Clock;
  control: Pick<Control, 'requestMany'>;
  log: Logger;
}
export interface Timers {
  start(): Promise<void>;
  stop(): Promise<void>;
}
const longestSleepMs = 60_000;
const takenAgainMs = 20;
const workers = 2;
/** Many at once; after a failure one by one, so that none keeps those beside it from firing. */
const manners = [
  { limit: 250, whatever: false },
  { limit: 1, whatever: false },
  { limit: 1, whatever: true },
] as const;

/**
 * Runs the timers of all projects; several nodes share the work. Sleeps until the next one is due, a minute at most,
 * because another node may have changed one unheard.
 */
export const createTimers = ({ db, bus, clock, control, log }: TimersDeps): Timers => {
  let zonesFollowedAt = Number.NEGATIVE_INFINITY;
  let listening: (() => void)[] = [];

  const fire = async (): Promise<void> => {
    let manner = 0;
    for (;;) {
      try {
        if ((await fireWaiting({ db, bus, control }, clock.now(), manners[manner]!)) === 0) return;
        manner = 0;
      } catch (error) {
        manner += 1;
        if (manner === manners.length) throw error;
        log.warn({ err: error }, 'timers: runs that waited were not carried out at once');
      }
    }
  };
  const tellChanged = (deviceIds: readonly number[]) => {
    for (const deviceId of new Set(deviceIds)) bus.emit('timer.changed', { deviceId });
  };
  const rounds = createRounds({
    name: 'timers',
    clock,
    log,
    longestMs: longestSleepMs,
    async round() {
      let looked: number;
      for (;;) {
        looked = clock.now();
        const { claimed, missed, ended } = await claimDue(db, looked);
        const results = await Promise.allSettled(Array.from({ length: workers }, fire));
        for (const run of missed) bus.emit('timer.ran', run);
        tellChanged(ended);
        const failed = results.find((result) => result.status === 'rejected');
        if (failed) throw failed.reason;
        if (claimed < claimedAtOnce) break;
      }
      if (clock.now() - zonesFollowedAt >= longestSleepMs) {
        zonesFollowedAt = clock.now();
        const moved = await followZones(db, clock.now());
        tellChanged(moved);
        if (moved.length > 0) zonesFollowedAt = Number.NEGATIVE_INFINITY;
      }
      // What is due and still there is in another node's hands.
      const next = await nextDue(db);
      return next !== null && next <= looked ? clock.now() + takenAgainMs : next;
    },
  });

  return {
    async start() {
      listening = [
        bus.on('timer.changed', () => rounds.wake()),
        bus.on('device.changed', ({ deviceId }) => {
          followZones(db, clock.now(), deviceId).then(tellChanged, () => {}); // found again within a minute
        }),
      ];
      rounds.start();
    },
    async stop() {
      for (const end of listening) end();
      await rounds.stop();
    },
  };
};
