import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { countActivation, freshChatter, freshWatch, step, type Timing } from './delays.ts';

const timing = (given: Partial<Timing> = {}): Timing => ({
  onMs: 10_000,
  offMs: 30_000,
  atOnce: false,
  ...given,
});
type Level = 0 | 1 | 2;
interface Sample {
  after: number;
  level: Level;
  normal: boolean;
}
const samples = fc.array(
  fc.record({
    after: fc.integer({ min: 1, max: 120 }),
    level: fc.constantFrom<Level>(0, 1, 2),
    normal: fc.boolean(),
  }),
  { maxLength: 60 },
);

/** Runs samples and updates the active alarm as the engine does. */
const run = (given: readonly Sample[], rules: Timing) => {
  const watch = freshWatch();
  let at = 0;
  let active: Level = 0;
  return given.map((sample) => {
    at += sample.after * 1000;
    const before: Level = active;
    const verdict = step(watch, rules, at, sample.level, sample.normal, active);
    if (verdict === 'early') active = 1;
    if (verdict === 'alarm') active = 2;
    if (verdict === 'normal') active = 0;
    return { at, before, verdict, active: active, ...sample };
  });
};

describe('an alarm', () => {
  it('an alarm is raised only after the value was beyond its limit at every sample for the on-delay', () => {
    fc.assert(
      fc.property(samples, fc.integer({ min: 0, max: 120 }), (given, seconds) => {
        const steps = run(given, timing({ onMs: seconds * 1000 }));
        steps.forEach((now, index) => {
          if (now.verdict !== 'early' && now.verdict !== 'alarm') return;
          const wanted = now.verdict === 'alarm' ? 2 : 1;
          let since = now.at;
          for (let back = index; back >= 0 && (steps[back]?.level ?? 0) >= wanted; back--)
            since = steps[back]?.at ?? since;
          expect(now.at - since).toBeGreaterThanOrEqual(seconds * 950);
        });
      }),
    );
  });
  it('an alarm ends only after the value was back past the deadband at every sample for the off-delay', () => {
    fc.assert(
      fc.property(samples, fc.integer({ min: 0, max: 120 }), (given, seconds) => {
        const steps = run(given, timing({ atOnce: true, offMs: seconds * 1000 }));
        steps.forEach((now, index) => {
          if (now.verdict !== 'normal') return;
          expect(now.before).toBeGreaterThan(0);
          let since = now.at;
          for (let back = index; back >= 0; back--) {
            const sample = steps[back];
            if (sample?.level !== 0 || !sample.normal) break;
            since = sample.at;
          }
          expect(now.at - since).toBeGreaterThanOrEqual(seconds * 950);
        });
      }),
    );
  });
  it('an alarm rises in level and never falls before it ends, and is raised once while active', () => {
    fc.assert(
      fc.property(samples, fc.boolean(), (given, atOnce) => {
        for (const now of run(given, timing({ atOnce }))) {
          if (now.verdict === 'early') expect(now.before).toBe(0);
          if (now.verdict === 'alarm') expect(now.before).toBeLessThan(2);
          if (now.active !== 0) expect(now.active).toBeGreaterThanOrEqual(now.before);
        }
      }),
    );
  });
  it('an alarm is always raised when the value stays beyond the limit', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 1, max: 120 }), { minLength: 40, maxLength: 40 }),
        fc.integer({ min: 0, max: 300 }),
        (gaps, seconds) => {
          const total = gaps.slice(1).reduce((sum, gap) => sum + gap, 0);
          const steps = run(
            gaps.map((after) => ({ after, level: 2, normal: false })),
            timing({ onMs: seconds * 1000 }),
          );
          expect(steps.some((now) => now.verdict === 'alarm')).toBe(total >= seconds);
        },
      ),
    );
  });
  it('two consecutive samples beyond the limit raise an alarm, however far apart they are', () => {
    for (const apart of [10_000, 3_600_000, 7 * 86_400_000]) {
      const watch = freshWatch();
      expect(step(watch, timing(), 0, 2, false, 0)).toBe('nothing');
      expect(step(watch, timing(), apart, 2, false, 0)).toBe('alarm');
    }
    const watch = freshWatch();
    step(watch, timing(), 0, 2, false, 0);
    step(watch, timing(), 3_600_000, 0, true, 0);
    expect(step(watch, timing(), 7_200_000, 2, false, 0)).toBe('nothing');
  });
  it('an alarm that the device ended is raised again by the server only after a normal value', () => {
    const watch = { ...freshWatch(), blocked: true };
    expect(step(watch, timing({ atOnce: true }), 0, 2, false, 0)).toBe('nothing');
    expect(step(watch, timing({ atOnce: true }), 60_000, 0, true, 0)).toBe('nothing');
    expect(step(watch, timing({ atOnce: true }), 120_000, 2, false, 0)).toBe('alarm');
  });
  it('an alarm chatters from the third activation on, if each comes within an hour of the previous end', () => {
    const chatters = (gapMs: number) => {
      const chatter = freshChatter();
      for (const cycle of [0, 1, 2]) {
        const at = cycle * (gapMs + 60_000);
        countActivation(chatter, at);
        chatter.endedAt = at + 60_000;
      }
      return chatter.chatteringUntil > 0;
    };
    expect(chatters(1000)).toBe(true);
    expect(chatters(3_600_000)).toBe(true);
    expect(chatters(3_600_001)).toBe(false);
  });
});
