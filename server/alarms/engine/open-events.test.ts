import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createFeeder } from '#test/alarm-feeder.ts';
import { type AlarmWorld, createAlarmWorld } from '../alarms.world.ts';

let server: AlarmWorld;
beforeAll(async () => {
  server = await createAlarmWorld();
});
afterAll(() => server.close());
beforeEach(() => server.renew());

const shown = async () =>
  (await server.list()).map(
    (row) => `${row.typeNumber}/${row.level} ${row.active ? 'active' : 'ended'} ${row.status}`,
  );
const raise = (seconds: number, eid: string, lvl: 1 | 2, given = {}) =>
  server.event(seconds, { st: 'raise', code: 804, lvl, eid, ...given });
const clear = (seconds: number, eid: string, lvl: 1 | 2) =>
  server.event(seconds, { st: 'clear', code: 804, lvl, eid });

describe('an alarm that a device reports by several events', () => {
  it('an alarm of two events continues when the event of its early warning ends first', async () => {
    await raise(0, '1-1', 1);
    await raise(60, '1-2', 2);
    await clear(61, '1-1', 1);
    expect(await shown()).toEqual(['804/2 active unprocessed']);
    await clear(120, '1-2', 2);
    expect(await shown()).toEqual(['804/2 ended unprocessed']);
  });
  it('an alarm of two events continues while the event of its early warning is open', async () => {
    await raise(0, '1-1', 1);
    await raise(60, '1-2', 2);
    await clear(120, '1-2', 2);
    expect(await shown()).toEqual(['804/2 active unprocessed']);
    await clear(180, '1-1', 1);
    expect(await shown()).toEqual(['804/2 ended unprocessed']);
  });
  it('the new work order of an alarm continues when the event of the handled one ends', async () => {
    await raise(0, '1-1', 1);
    await server.handleAll();
    await raise(60, '1-2', 2);
    await clear(61, '1-1', 1);
    expect(await shown()).toEqual(['804/1 ended processed', '804/2 active unprocessed']);
    await clear(120, '1-2', 2);
    expect(await shown()).toEqual(['804/1 ended processed', '804/2 ended unprocessed']);
  });
  it('an alarm with events of two boots ends with the later one, because the device has forgotten the earlier one', async () => {
    await raise(0, '1-1', 2);
    await raise(60, '2-1', 2, { boot: 2 });
    await clear(120, '2-1', 2);
    expect(await shown()).toEqual(['804/2 ended unprocessed']);
  });
  it('an alarm rises in level by an event of a later boot, although its clock is behind', async () => {
    await raise(7200, '1-1', 1);
    await raise(60, '2-1', 2, { boot: 2 });
    expect(await shown()).toEqual(['804/2 active unprocessed']);
    await server.handleAll();
    await raise(30, '3-1', 2, { boot: 3 });
    expect(await server.unprocessed()).toBe(1);
  });

  describe('after the server was killed', () => {
    it('after a kill of the server an alarm of several events continues when its first one ends, and ends with the last', async () => {
      await raise(0, '1-1', 2);
      await raise(60, '1-2', 2);
      await server.restart();
      await clear(120, '1-1', 2);
      expect(await shown()).toEqual(['804/2 active unprocessed']);
      await clear(180, '1-2', 2);
      expect(await shown()).toEqual(['804/2 ended unprocessed']);
    });
    it('after a kill of the server an alarm does not count its first event as open again', async () => {
      await raise(0, '1-1', 2);
      await raise(60, '1-2', 2);
      await clear(120, '1-1', 2);
      await server.restart();
      await clear(180, '1-2', 2);
      expect(await shown()).toEqual(['804/2 ended unprocessed']);
    });
    it('after a kill of the server the new work order of an alarm continues when the event of the handled one ends', async () => {
      await raise(0, '1-1', 1);
      await server.handleAll();
      await raise(60, '1-2', 2);
      await server.restart();
      await clear(61, '1-2', 2);
      expect(await shown()).toEqual(['804/1 ended processed', '804/2 active unprocessed']);
      await clear(120, '1-1', 1);
      expect(await shown()).toEqual(['804/1 ended processed', '804/2 ended unprocessed']);
    });
    it('an end that was overtaken divides the alarm after a kill: the later event is a new episode with its own values', async () => {
      await server.event(0, { st: 'raise', code: 502, eid: '1-1', val: 9, latched: false });
      await server.event(100, { st: 'raise', code: 502, eid: '1-2', val: 12, latched: false });
      await server.restart();
      await server.event(50, { st: 'clear', code: 502, eid: '1-1' });
      const rows = await server.list();
      expect(rows.map(({ active, value, original_data }) => ({ active, value, original_data }))).toEqual([
        { active: false, value: expect.any(Number), original_data: { v: 1 } },
        { active: true, value: 12, original_data: { v: 1 } },
      ]);
    });
    it('after a kill of the server an open event of a switched-off type still forbids closing', async () => {
      const interlocks = async () =>
        (await server.world.pool.query('select code from line_conditions')).rows.map(({ code }) => code);
      await server.operator.call('/device_warning_type/set_status', { typeNumber: 502, enabled: false });
      await server.event(0, { st: 'raise', code: 502, eid: '1-1' });
      await server.event(60, { st: 'raise', code: 502, eid: '1-2' });
      await server.restart();
      await server.event(120, { st: 'clear', code: 502, eid: '1-1' });
      expect(await interlocks()).toEqual([502]);
      await server.event(180, { st: 'clear', code: 502, eid: '1-2' });
      expect(await interlocks()).toEqual([]);
    });
  });

  type Step =
    | { kind: 'raise'; eid: number; lvl: 1 | 2 }
    | { kind: 'clear'; place: number }
    | { kind: 'handle' }
    | { kind: 'restart' };
  const steps = fc.array(
    fc.oneof(
      {
        weight: 5,
        arbitrary: fc.record({
          kind: fc.constant('raise' as const),
          eid: fc.nat(5),
          lvl: fc.constantFrom(1 as const, 2 as const),
        }),
      },
      { weight: 5, arbitrary: fc.record({ kind: fc.constant('clear' as const), place: fc.nat(20) }) },
      { weight: 1, arbitrary: fc.constantFrom({ kind: 'handle' as const }, { kind: 'restart' as const }) },
    ),
    { maxLength: 40 },
  );
  /** Steps more than an hour apart, so that nothing chatters; after each of them `check` compares. */
  const play = (given: readonly Step[], check: (expected: string[], standing: string[]) => void) => {
    const feeder = createFeeder();
    const open = new Set<string>();
    let [boot, bootOfOpen, level] = [1, 1, 0];
    given.forEach((step, index) => {
      const seconds = index * 4000;
      if (step.kind === 'restart') boot += 1;
      else if (step.kind === 'handle') feeder.handle();
      else if (step.kind === 'raise') {
        const eid = `${boot}-${step.eid}`;
        if (boot > bootOfOpen) open.clear();
        bootOfOpen = boot;
        open.add(eid);
        level = Math.max(level, step.lvl);
        feeder.event(seconds, { st: 'raise', code: 804, eid, boot, lvl: step.lvl });
      } else if (step.kind === 'clear') {
        const eid = [...open][step.place % Math.max(1, open.size)];
        if (eid === undefined) return;
        open.delete(eid);
        feeder.event(seconds, { st: 'clear', code: 804, eid, boot: bootOfOpen });
      }
      if (open.size === 0) level = 0;
      check(level > 0 ? [`804/${level}`] : [], feeder.standing());
    });
  };
  it('an alarm is active exactly while one of its events is open, at the highest reported level', () => {
    fc.assert(
      fc.property(steps, (given) => {
        play(given, (expected, standing) => expect(standing).toEqual(expected));
      }),
      { numRuns: 3000 },
    );
  });
});

/** An event of a device; `raiseLost`, `clearLost`: the server never gets this message. */
interface Sent {
  code: number;
  lvl: 1 | 2;
  raiseLost: boolean;
  clearLost: boolean;
  /** Steps until it ends. */
  lasts: number;
}
describe('events of which messages are lost', () => {
  const sent = fc.record<Sent>({
    code: fc.constantFrom(502, 804),
    lvl: fc.constantFrom(1 as const, 2 as const),
    raiseLost: fc.boolean(),
    clearLost: fc.boolean(),
    lasts: fc.integer({ min: 1, max: 6 }),
  });
  /** A device that gives no numbers has one event of a type at a time. */
  const isPossible = (open: readonly Sent[], { code }: Sent, numbered: boolean) =>
    numbered || !open.some((other) => other.code === code);
  it('an alarm is active while an event of its type is, and ends when the server heard the end of all that it heard begin', () => {
    fc.assert(
      fc.property(fc.array(sent, { maxLength: 30 }), fc.boolean(), (events, numbered) => {
        const feeder = createFeeder();
        let open: (Sent & { eid: string; until: number })[] = [];
        const heard = new Map<string, { code: number; lvl: number }>();
        let number = 0;
        const tell = (step: number, st: 'raise' | 'clear', { code, lvl, eid }: (typeof open)[number]) => {
          feeder.event(step * 8000 + (st === 'raise' ? 4000 : 0), { st, code, lvl, eid, seq: ++number });
          const key = `${code} ${eid}`;
          const highest = Math.max(lvl, heard.get(key)?.lvl ?? 0);
          if (st === 'raise') heard.set(key, { code, lvl: highest });
          // Without a number the end of an early warning is not that of the alarm.
          else if (numbered || lvl === highest) heard.delete(key);
        };
        for (const [step, event] of events.entries()) {
          for (const over of open.filter(({ until }) => until <= step))
            if (!over.clearLost) tell(step, 'clear', over);
          open = open.filter(({ until }) => until > step);
          if (isPossible(open, event, numbered)) {
            const begun = { ...event, eid: numbered ? `1-${step}` : '', until: step + event.lasts };
            open.push(begun);
            if (!event.raiseLost) tell(step, 'raise', begun);
          }
          const active = new Set(feeder.standing().map((each) => Number(each.slice(0, 3))));
          const began = open.filter((each) => !each.raiseLost);
          expect([...active]).toEqual(expect.arrayContaining(began.map(({ code }) => code)));
          expect([...heard.values()].map(({ code }) => code)).toEqual(expect.arrayContaining([...active]));
        }
      }),
      { numRuns: 1000 },
    );
  });
});

describe('an alarm that a device ended', () => {
  const readFrom = async (from: number, to: number, values: Record<string, number>) => {
    for (let seconds = from; seconds <= to; seconds += 60) await server.read(seconds, values);
  };
  const core = { st: 'raise', code: 402, lvl: 1, eid: '1-1' } as const;
  const active = async () => (await shown()).filter((row) => row.includes(' active '));
  const endedAt60 = async (celsius: number) => {
    await server.event(0, core);
    await server.read(10, { 'T.m': celsius });
    await server.event(60, { ...core, st: 'clear' });
  };

  it('an alarm that a device ended is raised by readings that contradict the end for three on-delays', async () => {
    await endedAt60(75);
    await readFrom(70, 130, { 'T.m': 75 });
    expect(await active()).toEqual([]);
    await readFrom(190, 190, { 'T.m': 75 });
    expect(await active()).toEqual(['402/1 active unprocessed']);
  });
  it('an alarm that a device ended is raised at the level that the value reaches afterwards', async () => {
    await endedAt60(72);
    await readFrom(70, 250, { 'T.m': 118 });
    expect(await active()).toEqual(['402/2 active unprocessed']);
  });
  it('an alarm that a device ended can be raised again after one value within the limit, even if not past the deadband', async () => {
    await endedAt60(72);
    await readFrom(70, 130, { 'T.m': 68 });
    await readFrom(190, 250, { 'T.m': 72 });
    expect(await active()).toEqual(['402/1 active unprocessed']);
  });
});
