import type { Control } from '#server/control/commands.ts';
import { createClockSteps } from '#server/core/clock-steps.ts';
import type { CoreDeps } from '#server/core/core-deps.ts';
import { createRounds, type RoundReport } from '#server/core/rounds.ts';
import { claimDue, claimedAtOnce, followClock, followZones, nextDue } from './claim.ts';
import { fireWaiting } from './fire.ts';

interface TimersDeps extends CoreDeps {
  control: Pick<Control, 'requestMany'>;
  /** Called after each round. */
  onRound?: (report: RoundReport) => void;
}
export interface Timers {
  start(): Promise<void>;
  /** Starts a round, because there may be work now. */
  wake(): void;
  stop(): Promise<void>;
}
const longestSleepMs = 60_000;
const takenAgainMs = 20;
const workers = 2;
/** Runs many timers together; after a failure one by one, so that one failing run does not block the others. */
const manners = [
  { limit: 250, whatever: false },
  { limit: 1, whatever: false },
  { limit: 1, whatever: true },
] as const;

/**
 * Runs the timers of all projects; several nodes share the work. Sleeps until the next one is due, at most a
 * minute, because another node may have changed one without an event.
 */
export const createTimers = ({ db, bus, clock, control, log, onRound }: TimersDeps): Timers => {
  let zonesFollowedAt = Number.NEGATIVE_INFINITY;
  const steps = createClockSteps(clock);
  /**
   * From how long ago runs have to be brought back, in ms; null: the clock was not set back. It may have been while no
   * process ran.
   */
  let unfollowedMs: number | null = 0;
  let listening: (() => void)[] = [];

  /** Incremented whenever runs were written: a worker that found none looks again. */
  let claims = 0;
  const fire = async (): Promise<void> => {
    let manner = 0;
    for (;;) {
      const seen = claims;
      try {
        const taken = await fireWaiting({ db, bus, control }, clock.now(), manners[manner]!);
        if (taken === 0 && seen === claims) return;
        manner = 0;
      } catch (error) {
        manner += 1;
        if (manner === manners.length) throw error;
        log.warn({ err: error }, 'timers: runs that waited were not carried out at once');
      }
    }
  };
  const reportChanged = (deviceIds: readonly number[]) => {
    for (const deviceId of new Set(deviceIds)) bus.emit('timer.changed', { deviceId });
  };
  const rounds = createRounds({
    name: 'timers',
    clock,
    log,
    longestMs: longestSleepMs,
    onRound,
    async round() {
      let looked: number;
      const firing = new Set<Promise<void>>();
      const failures: unknown[] = [];
      if (steps.look() < 0) unfollowedMs = longestSleepMs;
      const since = clock.now() - (unfollowedMs ?? 0);
      try {
        for (;;) {
          looked = clock.now();
          const { claimed, missed, ended } = await claimDue(db, looked);
          claims += 1;
          // Workers carry out claimed runs while the next ones are claimed.
          while (firing.size < workers) {
            const worker: Promise<void> = fire()
              .catch((error: unknown) => {
                failures.push(error);
              })
              .finally(() => firing.delete(worker));
            firing.add(worker);
          }
          for (const run of missed) bus.emit('timer.ran', run);
          reportChanged(ended);
          if (claimed < claimedAtOnce) break;
        }
      } finally {
        await Promise.all(firing);
      }
      if (failures.length > 0) throw failures[0];
      // Carries out runs that were written while the last worker was ending.
      await fire();
      if (unfollowedMs !== null) {
        reportChanged(await followClock(db, since));
        unfollowedMs = null;
      }
      if (clock.steady() - zonesFollowedAt >= longestSleepMs) {
        zonesFollowedAt = clock.steady();
        const moved = await followZones(db, clock.now());
        reportChanged(moved);
        if (moved.length > 0) zonesFollowedAt = Number.NEGATIVE_INFINITY;
      }
      // Another node has the remaining due timers.
      const next = await nextDue(db);
      return next !== null && next <= looked ? clock.now() + takenAgainMs : next;
    },
  });

  return {
    async start() {
      listening = [
        bus.on('timer.changed', () => rounds.wake()),
        bus.on('project.changed', () => {
          followZones(db, clock.now()).then(reportChanged, () => {}); // repeated within a minute
        }),
        bus.on('device.changed', ({ deviceId, what }) => {
          if (what !== 'place') return;
          followZones(db, clock.now(), deviceId).then(reportChanged, () => {}); // repeated within a minute
        }),
      ];
      rounds.start();
    },
    wake: () => rounds.wake(),
    async stop() {
      for (const end of listening) end();
      await rounds.stop();
    },
  };
};
