/**
 * Which alarms are stored after all messages have arrived, in any order and with any clock: order within a boot is by sequence,
 * across boots by boot, and time never decides what is newest (domain reference §5.4).
 */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createFeeder } from '#test/alarm-feeder.ts';
import { AlarmMemory } from './memory.ts';

interface Sent {
  readonly boot: number;
  readonly seq: number;
  readonly st: 'raise' | 'clear';
  readonly eid: string;
  readonly lvl: 1 | 2;
  /** Seconds: when it was sent, and what the device's clock is off by. */
  readonly at: number;
  readonly off: number;
  /** Nothing else is open. */
  readonly alone: boolean;
}
const act = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('raise' as const),
      lvl: fc.constantFrom(1 as const, 2 as const),
    }),
  },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('clear' as const), place: fc.nat(20) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('again' as const), place: fc.nat(20) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('boot' as const) }) },
);
const story = fc.array(
  fc.record({
    act,
    gap: fc.constantFrom(1, 2, 4, 60, 4000),
    /** The clock is set: it is never more than five seconds off, because the link corrects more. */
    clock: fc.constantFrom(0, 0, 0, -1, -4),
    /** It arrives after so many later ones. The link lets each message through once. */
    behind: fc.constantFrom(0, 0, 0, 0, 1, 2, 3),
  }),
  { maxLength: 25 },
);

it('the alarms that stand are those of the sequence, in whatever order messages arrive', () => {
  fc.assert(
    fc.property(story, (given) => {
      const sent: (Sent & { behind: number })[] = [];
      const open = new Map<string, 1 | 2>();
      let [boot, seq, now, made] = [1, 0, 0, 0];
      const ended: string[] = [];
      for (const { act: what, gap, clock, behind } of given) {
        now += gap;
        if (what.kind === 'boot') {
          [boot, seq] = [boot + 1, 0];
          continue;
        }
        let [st, eid, lvl]: ['raise' | 'clear', string, 1 | 2] = ['raise', `${boot}-${made}`, 2];
        if (what.kind === 'raise') {
          made += 1;
          lvl = what.lvl;
        } else if (what.kind === 'again') {
          const mine = ended.filter((each) => each.startsWith(`${boot}-`));
          if (mine.length === 0) continue;
          eid = mine[what.place % mine.length]!;
        } else {
          st = 'clear';
          const mine = [...open.keys()].filter((each) => each.startsWith(`${boot}-`));
          if (mine.length === 0) continue;
          eid = mine[what.place % mine.length]!;
          lvl = open.get(eid)!;
        }
        if (st === 'raise') open.set(eid, lvl);
        else {
          open.delete(eid);
          ended.push(eid);
        }
        sent.push({ boot, seq: seq++, st, eid, lvl, at: now, off: clock, alone: open.size === 1, behind });
      }
      // A device that restarted has forgotten what it raised before, once it raises something.
      const last = sent.findLast(({ st }) => st === 'raise')?.boot ?? 0;
      const bootOf = (eid: string) => sent.findLast((each) => each.eid === eid && each.st === 'raise')!.boot;
      const standing = [...open.keys()].some((eid) => bootOf(eid) === last);
      // An end may be overtaken by later messages, or overtake its own beginning.
      const arrived = sent.map((each, index) => {
        const next = sent[index + 1];
        const isItsEnd = next?.st === 'clear' && next.eid === each.eid && next.boot === each.boot;
        const isOvertaken = each.alone && isItsEnd && next.behind === 0;
        const behind = each.st === 'clear' ? each.behind : isOvertaken ? Math.min(1, each.behind) : 0;
        return { each, place: index + 1.1 * behind };
      });
      arrived.sort((a, b) => a.place - b.place);
      const memory = new AlarmMemory();
      const feeder = createFeeder({}, { memory });
      let receivedAt = 0;
      for (const { each } of arrived) {
        receivedAt = Math.max(receivedAt + 0.01, each.at);
        const { boot: ofBoot, seq: number, st, eid, lvl, off } = each;
        feeder.event(
          each.at + off,
          { st, code: 804, eid, lvl, boot: ofBoot, seq: number },
          false,
          receivedAt - each.at - off,
        );
      }
      // One that chatters is over, and waits for the next activation.
      const active = [...memory.active()].filter(({ normalAt }) => normalAt === null);
      expect(active.length).toBe(standing ? 1 : 0);
    }),
    { numRuns: 3000 },
  );
});

it('repeated messages in any order leave one active alarm if the last event has no end', () => {
  const sent = [1, 2, 3, 4].flatMap((n) => [
    { seconds: n * 100, message: { st: 'raise', code: 502, eid: `1-${n}` } as const },
    { seconds: n * 100 + 50, message: { st: 'clear', code: 502, eid: `1-${n}` } as const },
  ]);
  const messages = sent.slice(0, -1);
  fc.assert(
    fc.property(
      fc.shuffledSubarray([...messages, ...messages], { minLength: 2 * messages.length }),
      (given) => {
        const feeder = createFeeder();
        for (const { seconds, message } of given) feeder.event(seconds, message, false, 1000 - seconds);
        expect(feeder.standing()).toHaveLength(1);
        for (const { alarm } of feeder.changes)
          expect(alarm.clearedAt ?? Number.POSITIVE_INFINITY).toBeGreaterThanOrEqual(alarm.raisedAt);
      },
    ),
    { numRuns: 2000 },
  );
});
