/**
 * What a device reports by events after an alarm was handled is never silent, in whatever order its messages arrive: a
 * model of its own compares what is open in the order of the device with what the operator has handled.
 */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createFeeder } from '#test/alarm-feeder.ts';
import { AlarmMemory } from './memory.ts';

interface Message {
  boot: number;
  seq: number;
  st: 'raise' | 'clear';
  eid: string;
  lvl: 1 | 2;
  at: number;
  arrivedAt: number;
}
const step = fc.record({
  act: fc.constantFrom('event', 'event', 'event', 'handle', 'handle', 'boot', 'again', 'wait'),
  /** 'stored': sent as backlog after the next live one; 'overtaken': sent unchanged after it. */
  way: fc.constantFrom('live', 'live', 'stored', 'stored', 'overtaken', 'lost'),
  gap: fc.constantFrom(10, 60, 4000),
  lvl: fc.constantFrom<1 | 2>(1, 2),
});
const story = fc.record({
  numbered: fc.boolean(),
  code: fc.constantFrom(303, 804, 502, 201),
  shuffled: fc.boolean(),
  steps: fc.array(step, { minLength: 2, maxLength: 10 }),
});
type Story = typeof story extends fc.Arbitrary<infer Value> ? Value : never;

/** A device with one event of the type at a time, and an operator. */
const play = ({ numbered, code, shuffled, steps }: Story) => {
  const memory = new AlarmMemory();
  const feeder = createFeeder({}, { memory });
  const arrived: Message[] = [];
  const handled: { at: number; level: number }[] = [];
  const kept: Message[] = [];
  const held: Message[] = [];
  let [boot, seq, now, made] = [1, 0, 0, 0];
  let open: Pick<Message, 'eid' | 'lvl'> | null = null;
  const deliver = (message: Message, late: boolean) => {
    message.arrivedAt = now;
    arrived.push(message);
    feeder.event(message.at, { ...message, code, latched: false }, late, now - message.at);
    now += 0.01;
  };
  const deliverRest = () => {
    for (const each of held.splice(0)) deliver(each, false);
    const stored = kept.splice(0);
    for (const each of shuffled ? stored.reverse() : stored) deliver(each, true);
  };
  const send = (st: Message['st'], about: Pick<Message, 'eid' | 'lvl'>, way: string) => {
    const message = { ...about, boot, seq: seq++, st, at: now, arrivedAt: 0 };
    if (way === 'stored') kept.push(message);
    else if (way === 'overtaken') held.push(message);
    else if (way === 'live') {
      deliver(message, false);
      deliverRest();
    }
  };
  for (const { act, way, gap, lvl } of steps) {
    now += gap;
    if (act === 'handle') {
      for (const { level } of memory.active()) handled.push({ at: now, level });
      feeder.handle();
    } else if (act === 'boot') [boot, seq, open] = [boot + 1, 0, null];
    else if (act === 'again' && open) send('raise', open, way);
    else if (act === 'event' && open) {
      send('clear', open, way);
      open = null;
    } else if (act === 'event') {
      // Without a number the end of an early warning is not that of the alarm.
      open = { eid: numbered ? `${boot}-${made++}` : '', lvl: numbered ? lvl : 2 };
      send('raise', open, way);
    }
  }
  deliverRest();
  return { memory, arrived, handled };
};

/**
 * The messages that began the event which is open in the order of the device. A device that restarted and raised
 * something has forgotten what was open before.
 */
const openOf = (arrived: readonly Message[]): Message[] => {
  const lastBoot = Math.max(...arrived.filter(({ st }) => st === 'raise').map(({ boot }) => boot));
  let open: Message[] = [];
  for (const message of arrived.toSorted((a, b) => a.boot - b.boot || a.seq - b.seq)) {
    if (message.boot < lastBoot) continue;
    const isSame = open.some(({ eid }) => eid === message.eid);
    if (message.st === 'raise') open = isSame ? [...open, message] : [message];
    else if (isSame) open = [];
  }
  return open;
};

it('an event that is open is an unprocessed alarm, unless it was handled after the server heard of it', () => {
  fc.assert(
    fc.property(story, (given) => {
      const { memory, arrived, handled } = play(given);
      const [first, ...others] = openOf(arrived);
      if (!first) return;
      const active = [...memory.active()].filter(({ normalAt }) => normalAt === null);
      expect(active).toHaveLength(1);
      const heardAt = Math.min(...[first, ...others].map(({ arrivedAt }) => arrivedAt));
      const isHandled = handled.some(({ at, level }) => at >= heardAt && level >= first.lvl);
      if (!isHandled) expect(active.map((alarm) => memory.isProcessed(alarm))).toEqual([false]);
    }),
    { numRuns: 2000, seed: 1 },
  );
});
