import type { Clock } from '#server/core/clock.ts';

export interface FakeClock extends Clock {
  /** Advances the time; timers that come due run in order of their time. */
  advance(ms: number): void;
  set(at: number): void;
}

export const fakeClock = (start = Date.parse('2026-11-20T02:00:00Z')): FakeClock => {
  let now = start;
  let serial = 0;
  const due = new Map<number, { at: number; run: () => void }>();
  const clock: FakeClock = {
    now: () => now,
    after(ms, run) {
      const key = ++serial;
      due.set(key, { at: now + ms, run });
      return () => due.delete(key);
    },
    advance(ms) {
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
  };
  return clock;
};
