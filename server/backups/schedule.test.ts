import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Manifest } from '#database/backup/manifest.ts';
import type { Shelved } from '#database/backup/shelf.ts';
import { nextDrill, nextTime, outdated } from './schedule.ts';

const dayMs = 86_400_000;
const now = Date.parse('2026-11-20T02:00:00Z');
const schedule = {
  enabled: true,
  time: '02:30',
  keep_days: 30,
  keep_least: 3,
  keep_gigabytes: 10,
  drill_days: 7,
};
const shelved = (ageDays: number, bytes: number, cause = 'schedule', isWhole = true): Shelved => ({
  name: `a${ageDays}-${bytes}-${cause}`,
  manifest: { cause } as Manifest,
  isWhole,
  at: now - ageDays * dayMs,
  bytes,
});

describe('what the schedule removes', () => {
  it('the schedule removes what is older than the limit in days or exceeds the space limit, but never the newest backup or one made by a person', () => {
    const shelf = [
      shelved(1, 1e9),
      shelved(2, 1e9),
      shelved(3, 9e9),
      shelved(4, 1e9),
      shelved(400, 1e9, 'manual'),
      shelved(500, 1e9, 'beforeRestore'),
    ];
    expect(outdated(schedule, shelf, now)).toEqual(['a4-1000000000-schedule']);
    expect(outdated({ ...schedule, keep_gigabytes: 0 }, [...shelf, shelved(31, 1)], now)).toEqual([
      'a31-1-schedule',
    ]);
  });

  it('keeps the last three upgrade backups of any age, and removes older ones by age', () => {
    const upgrades = [10, 100, 200, 300, 400].map((age) => shelved(age, 9e9, 'beforeUpgrade'));
    const damaged = shelved(50, 1, 'beforeUpgrade', false);
    expect(outdated(schedule, [...upgrades, damaged, shelved(1, 1e9)], now)).toEqual([
      'a400-9000000000-beforeUpgrade',
      'a300-9000000000-beforeUpgrade',
      'a50-1-beforeUpgrade',
    ]);
  });

  it('the schedule always leaves the newest complete backups, and removes the oldest first', () => {
    const shelf = fc.array(
      fc.record({
        age: fc.integer({ min: 0, max: 400 }),
        bytes: fc.integer({ min: 0, max: 5e9 }),
        whole: fc.boolean(),
      }),
      { maxLength: 30 },
    );
    fc.assert(
      fc.property(shelf, fc.integer({ min: 1, max: 10 }), (given, keep_least) => {
        const all = given.map(({ age, bytes, whole }, index) => ({
          ...shelved(age, bytes, 'schedule', whole),
          name: `b${index}`,
        }));
        const gone = outdated({ ...schedule, keep_least }, all, now);
        const left = all.filter(({ name, isWhole }) => isWhole && !gone.includes(name));
        const whole = all.filter(({ isWhole }) => isWhole);
        expect(left.length).toBeGreaterThanOrEqual(Math.min(keep_least, whole.length));
        const ages = gone.map((name) => all.find((each) => each.name === name)!.at);
        expect(ages).toEqual([...ages].sort((a, b) => a - b));
      }),
    );
  });
});

describe('when the schedule runs', () => {
  it('the schedule runs at the next time of day that was set, also on a day with a clock change', () => {
    expect(new Date(nextTime('02:30', now)).toISOString()).toBe('2026-11-20T18:30:00.000Z');
    expect(new Date(nextTime('10:00', now)).toISOString()).toBe('2026-11-21T02:00:00.000Z');
    const spring = Date.parse('2026-03-29T00:00:00Z');
    expect(new Date(nextTime('02:30', spring, 'Europe/Berlin')).toISOString()).toBe(
      '2026-03-29T01:30:00.000Z',
    );
  });
  it('proves the newest backup at the set interval, an hour after the backup', () => {
    expect(nextDrill({ ...schedule, drill_days: 0 }, null, now)).toBeNull();
    const last = nextDrill(schedule, null, now)!;
    expect(nextDrill(schedule, last, now)! - last).toBe(7 * dayMs);
  });
});
