import type { Clock } from '#server/core/clock.ts';

export interface FakeClock extends Clock {
  /** Advances the time; timers that come due run in order of their time. */
  advance(ms: number): void;
  set(at: number): void;
  /** Steps the wall clock, as a time server does; no time passes. */
  step(ms: number): void;
}

export const fakeClock = (start = Date.parse('2026-11-20T02:00:00Z')): FakeClock => {
  let now = start;
  let steps = 0;
  let serial = 0;
  const due = new Map<number, { at: number; run: () => void }>();
  const clock: FakeClock = {
    now: () => now,
    steady: () => now - steps,
    after(ms, run) {
      const key = ++serial;
      due.set(key, { at: now + ms, run });
      return () => due.delete(key);
    },
    advance(ms) {
      if (ms < 0) steps += ms; // the clock was set back
      const end = now + ms;
      for (;;) {
        const next = [...due]
          .filter(([, { at }]) => at <= end)
          .sort(([a, x], [b, y]) => x.at - y.at || a - b)[0];
        if (!next) break;
        due.delete(next[0]);
        now = Math.max(now, next[1].at);
        next[1].run();
      }
      now = end;
    },
    set(at) {
      clock.advance(at - now);
    },
    step(ms) {
      now += ms;
      steps += ms;
      for (const each of due.values()) each.at += ms;
    },
  };
  return clock;
};
