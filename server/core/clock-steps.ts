import type { Clock } from './clock.ts';

/** A wall clock that moved by more than this against the steady one was set. */
const stepMs = 1_000;
/** Steps are remembered for this long: longer than any command that waits for its proof. */
const rememberedMs = 86_400_000;

export interface ClockSteps {
  /** Notices a step; returns by how much the wall clock moved since the last look, 0 if it was not set. */
  look(): number;
  /** By how much, in all, the wall clock was set back in steps noticed within the last `ms`; null: no step was noticed. */
  backWithin(ms: number): number | null;
  /** By how much, in all, the wall clock was set forward since it showed `at`. */
  forwardSince(at: number): number;
}

/**
 * Compares the wall clock with the steady one, because a time server or an operator may set the wall clock while
 * the server runs. A computer that slept looks the same. Decision 0522.
 */
export const createClockSteps = (clock: Pick<Clock, 'now' | 'steady'>): ClockSteps => {
  let offset = clock.now() - clock.steady();
  let noticed: { at: number; steady: number; ms: number }[] = [];
  const look = (): number => {
    const [at, steady] = [clock.now(), clock.steady()];
    const ms = at - steady - offset;
    if (Math.abs(ms) <= stepMs) return 0;
    offset = at - steady;
    noticed = [...noticed.filter((step) => steady - step.steady <= rememberedMs), { at, steady, ms }];
    return ms;
  };
  return {
    look,
    backWithin(ms) {
      look();
      const recent = noticed.filter((step) => clock.steady() - step.steady <= ms);
      return recent.length > 0 ? recent.reduce((sum, step) => sum + Math.min(step.ms, 0), 0) : null;
    },
    forwardSince(at) {
      look();
      return noticed.reduce((sum, step) => (step.ms > 0 && step.at > at ? sum + step.ms : sum), 0);
    },
  };
};
