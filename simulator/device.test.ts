import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type CmdMessage, deviceTypes } from '#contract/telemetry.ts';
import { manualClock } from './clock.ts';
import { wallTime } from './timers.ts';
import { workbench, workbenchStart } from './workbench.ts';

const calm = (type: (typeof deviceTypes)[number] = 3, lines = 1) => {
  const bench = workbench(type, { lines });
  bench.connect();
  bench.run(10);
  return bench;
};
const settle = (bench: ReturnType<typeof calm>) => bench.clock.advance(190);

describe('commands', () => {
  it('open is accepted, done, reported as an event and proved by a reading within 200 ms', () => {
    const bench = calm();
    const command = bench.command('open');
    settle(bench);
    expect(bench.acks().map(({ id, st }) => [id, st])).toEqual([
      [command.id, 'accepted'],
      [command.id, 'done'],
    ]);
    expect(bench.positions()).toMatchObject([{ n: 1, sw: 0, by: 'cmd', id: command.id }]);
    expect(bench.lastTele().ln[0]).toMatchObject({ sw: 0, I: { a: 0 }, P: { t: 0 } });
    bench.run(4);
    bench.command('close');
    settle(bench);
    expect(bench.lastTele().ln[0]!.sw).toBe(1);
    expect((bench.lastTele().ln[0]!['I'] as { a: number }).a).toBeGreaterThan(1);
  });

  it('a command with a known id gets the stored answer, and nothing moves', () => {
    const bench = calm();
    const command = bench.command('open');
    settle(bench);
    bench.device.receive('cmd', JSON.stringify(command));
    settle(bench);
    expect(bench.acks().at(-1)).toMatchObject({ id: command.id, st: 'done', sw: 0 });
    expect(bench.positions()).toHaveLength(1);
  });

  it('an expired command and an older number are refused as expired', () => {
    const bench = calm();
    bench.command('open', { exp: bench.clock.now() - 1_000 });
    expect(bench.acks().at(-1)).toMatchObject({ st: 'expired', why: 'expired' });
    bench.command('read', { no: 50 });
    bench.command('open', { no: 49, id: 'older' });
    expect(bench.acks().at(-1)).toMatchObject({ id: 'older', st: 'expired' });
    settle(bench);
    expect(bench.positions()).toEqual([]);
  });

  it('a tripped line refuses to close until its cause is gone and it was reset', () => {
    const bench = calm();
    bench.play('leakStep', 3);
    expect(bench.line().trip).toBe(301);
    bench.command('close', { no: 100 });
    expect(bench.acks().at(-1)).toMatchObject({ st: 'rejected', why: 'tripped', trip: 301, sw: 0 });
    bench.device.setFaults({});
    bench.run(5);
    bench.command('reset', { no: 101 });
    expect(bench.acks().at(-1)).toMatchObject({ st: 'done', trip: 0, sw: 0 });
    bench.run(1);
    expect(
      bench
        .alarms()
        .filter(({ st }) => st === 'clear')
        .map(({ code }) => code),
    ).toContain(301);
    bench.command('close', { no: 102 });
    settle(bench);
    expect(bench.line().position).toBe(1);
  });

  it.each([
    ['net_ctrl_off', (bench: ReturnType<typeof calm>) => (bench.device.core.enables['net_ctrl'] = false)],
    ['locked', (bench: ReturnType<typeof calm>) => bench.device.setFaults({ localLock: true })],
    [
      'supply_bad',
      (bench: ReturnType<typeof calm>) => {
        bench.device.setFaults({ supplyFactor: 0.7 });
        bench.run(1);
      },
    ],
    ['ota', (bench: ReturnType<typeof calm>) => (bench.device.core.ota = true)],
  ])('a close is refused with %s', (why, prepare) => {
    const bench = calm();
    bench.command('open');
    settle(bench);
    bench.run(4);
    prepare(bench);
    bench.command('close');
    settle(bench);
    expect(bench.acks().at(-1)).toMatchObject({ st: 'rejected', why });
    expect(bench.line().position).toBe(0);
  });

  it('a close right after an operation is refused as too early, and so is the eleventh operation in an hour', () => {
    const bench = calm();
    bench.command('open');
    settle(bench);
    bench.command('close');
    expect(bench.acks().at(-1)).toMatchObject({ st: 'rejected', why: 'too_fast' });
    for (let i = 0; i < 5; i++) {
      bench.run(4);
      bench.command('close');
      settle(bench);
      bench.run(4);
      bench.command('open');
      settle(bench);
    }
    bench.run(4);
    bench.command('close');
    expect(bench.acks().at(-1)).toMatchObject({ st: 'rejected', why: 'too_fast' });
  });

  it('a second command on a line is refused as busy, but an open supersedes a close under way', () => {
    const bench = calm();
    bench.command('open');
    settle(bench);
    bench.run(4);
    const close = bench.command('close');
    bench.command('close');
    expect(bench.acks().at(-1)).toMatchObject({ st: 'rejected', why: 'busy' });
    const open = bench.command('open');
    expect(bench.acks().find(({ id, st }) => id === close.id && st === 'failed')).toMatchObject({
      why: 'superseded',
    });
    settle(bench);
    expect(bench.acks().at(-1)).toMatchObject({ id: open.id, st: 'done', sw: 0 });
    expect(bench.line().position).toBe(0);
  });

  it.each([1, 2, 5, 6] as const)('type %d neither opens nor closes', (type) => {
    const bench = calm(type);
    bench.command('open');
    expect(bench.acks().at(-1)).toMatchObject({ st: 'rejected', why: 'unsupported' });
  });

  it('a simulated device restarts with a new boot number, and keeps its contacts', () => {
    const bench = calm();
    const { boot } = bench.lastTele();
    bench.command('open');
    settle(bench);
    bench.command('reboot');
    bench.clock.advance(500);
    bench.run(16);
    expect(bench.lastTele()).toMatchObject({ boot: boot + 1, ln: [{ sw: 0 }] });
  });

  it('updates its firmware step by step, and refuses while a trip is active', () => {
    const p = { url: 'https://example.com/a.bin', size: 400_000, sha256: 'ab'.repeat(32), to: '1.5.0' };
    const bench = calm();
    const command = bench.command('ota', { p });
    bench.run(20);
    expect(bench.otas().map(({ st }) => st)).toEqual([
      'notified',
      'downloading',
      'downloading',
      'downloading',
      'downloading',
      'downloaded',
      'verified',
      'updating',
      'updated',
    ]);
    expect(
      bench
        .acks()
        .filter(({ id }) => id === command.id)
        .map(({ st }) => st),
    ).toEqual(['accepted', 'done']);
    bench.play('leakStep', 3);
    bench.command('ota', { p });
    expect(bench.acks().at(-1)).toMatchObject({ st: 'rejected', why: 'tripped' });
  });
});

describe('dishonest devices', () => {
  it('a stuck contact reports done and does not move', () => {
    const bench = calm();
    bench.device.setFaults({ contact: 'stuck' });
    bench.command('open');
    settle(bench);
    expect(bench.acks().at(-1)).toMatchObject({ st: 'done' });
    expect(bench.lastTele().ln[0]!.sw).toBe(1);
  });
  it('a welded pole reports open while current flows', () => {
    const bench = calm();
    bench.device.setFaults({ contact: 'welded' });
    bench.command('open');
    settle(bench);
    expect(bench.lastTele().ln[0]!.sw).toBe(0);
    expect((bench.lastTele().ln[0]!['I'] as { a: number }).a).toBeGreaterThan(1);
  });
  it('a lying device reports done and does nothing', () => {
    const bench = calm();
    bench.device.setFaults({ answers: 'lying' });
    bench.command('open');
    settle(bench);
    const count = bench.said.length;
    bench.run(120);
    expect(bench.acks().at(-1)).toMatchObject({ st: 'done' });
    expect(bench.said).toHaveLength(count);
  });
  it('a silent device answers no command and continues to measure', () => {
    const bench = calm();
    bench.device.setFaults({ answers: 'silent' });
    bench.command('open');
    bench.run(30);
    expect(bench.acks()).toEqual([]);
    expect(bench.tele().length).toBeGreaterThan(1);
  });
});

describe('settings', () => {
  const wish = (bench: ReturnType<typeof calm>, fields: object) =>
    bench.device.receive(
      'cfg/set',
      JSON.stringify({
        v: 1,
        id: `w${bench.configs().length}`,
        exp: bench.clock.now() + 60_000,
        base: 1,
        ...fields,
      }),
    );
  it('settings are applied completely, raise the revision and are reported', () => {
    const bench = calm();
    wish(bench, {
      p: { '1': { il_w: 20, il_a: 40 }, dev: { tele_s: 30, x: { colour: 'red' } } },
      en: { buzzer: false },
    });
    expect(bench.configs().at(-1)).toMatchObject({
      rev: 2,
      st: 'applied',
      p: { '1': { il_w: 20, il_a: 40 }, dev: { tele_s: 30, x: { colour: 'red' } } },
      en: { buzzer: false },
    });
  });
  it.each([
    ['an unknown key', { p: { '1': { nonsense: 1 } } }],
    ['a value out of range', { p: { '1': { oc_t: 601 } } }],
    ['a warning above its alarm', { p: { '1': { il_w: 500 } } }],
    ['an unknown line', { p: { '9': { oc_t: 60 } } }],
    ['the padlock', { en: { local_lock: true } }],
    [
      'a timer without days',
      { timers: [{ i: 1, n: 1, type: 'weekly', time: '08:00', action: 'open', en: 1 }] },
    ],
    ['a time that is past', { exp: 1 }],
  ])('settings with %s are refused and change nothing', (_, fields) => {
    const bench = calm();
    wish(bench, { p: { '1': { oc_t: 30 } }, ...fields });
    expect(bench.configs().at(-1)).toMatchObject({ rev: 1, st: 'rejected', p: { '1': { oc_t: 60 } } });
  });
  it('settings that are based on another revision conflict', () => {
    const bench = calm();
    wish(bench, { base: 7, p: { '1': { oc_t: 30 } } });
    expect(bench.configs().at(-1)).toMatchObject({ rev: 1, st: 'conflict' });
  });
  it('settings survive a power failure together with position, register and last command number', () => {
    const bench = calm();
    wish(bench, { p: { '1': { oc_t: 30 } } });
    bench.command('open', { no: 41 });
    settle(bench);
    const flash = structuredClone(bench.device.flash());
    const again = workbench(3, { clock: manualClock(bench.clock.now() + 1_000), flash });
    again.connect();
    again.command('close', { no: 41, id: 'old' });
    expect(again.acks()).toMatchObject([{ st: 'expired' }]);
    expect(again.lastTele().boot).toBeGreaterThan(bench.lastTele().boot);
    expect(again.lastTele().ln[0]).toMatchObject({ sw: 0, E: bench.lastTele().ln[0]!.E });
    expect(again.configs()[0]).toMatchObject({ rev: 2, p: { '1': { oc_t: 30 } } });
  });
  it('after a power failure the device still knows the active alarm, and clears it under the same id', () => {
    const bench = calm();
    bench.play('overload', 600, undefined, () => bench.alarms().length > 0);
    const [raised] = bench.alarms();
    const again = workbench(3, {
      clock: manualClock(bench.clock.now() + 1_000),
      flash: structuredClone(bench.device.flash()),
    });
    again.connect();
    again.run(120);
    const clears = again.alarms().filter(({ eid, st }) => eid === raised!.eid && st === 'clear');
    expect(clears).toMatchObject([{ st: 'clear', code: raised!.code, lvl: raised!.lvl }]);
  });
});

describe('timers', () => {
  const withTimers = (timers: object[], start: string, tz = 'Asia/Shanghai') => {
    const bench = workbench(3, { clock: manualClock(Date.parse(start)) });
    bench.connect();
    const now = bench.clock.now();
    bench.device.receive(
      'cfg/set',
      JSON.stringify({ v: 1, id: 'w', exp: now + 60_000, base: 1, timers, tz }),
    );
    return bench;
  };
  const daily = (i: number, time: string, action: string) => ({
    i,
    n: 1,
    type: 'weekly',
    days: 127,
    time,
    action,
    en: 1,
  });
  const moves = (bench: ReturnType<typeof calm>) =>
    bench.positions().map(({ sw, t }) => [sw, new Date(t!).toISOString().slice(0, 16)]);

  it('timers fire in their own time zone, and their moves are reported with the cause timer', () => {
    const bench = withTimers([daily(1, '10:05', 'open'), daily(2, '10:10', 'close')], '2026-06-10T02:00:00Z');
    bench.run(1200);
    expect(moves(bench)).toEqual([
      [0, '2026-06-10T02:05'],
      [1, '2026-06-10T02:10'],
    ]);
    expect(bench.positions().every(({ by }) => by === 'timer')).toBe(true);
  });
  it('timers with a skipped local time fire at the first instant after the gap', () => {
    const bench = withTimers([daily(1, '02:30', 'open')], '2026-03-29T00:55:00Z', 'Europe/Berlin');
    bench.run(1200);
    expect(moves(bench)).toEqual([[0, '2026-03-29T01:00']]);
  });
  it('timers with a repeated local time fire once', () => {
    const bench = withTimers([daily(1, '02:30', 'open')], '2026-10-25T00:20:00Z', 'Europe/Berlin');
    bench.run(2 * 3600);
    expect(moves(bench)).toEqual([[0, '2026-10-25T00:30']]);
  });
  it('open wins over close in the same minute', () => {
    const bench = withTimers([daily(1, '10:05', 'close'), daily(2, '10:05', 'open')], '2026-06-10T02:00:00Z');
    bench.run(600);
    expect(moves(bench)).toEqual([[0, '2026-06-10T02:05']]);
  });
  it('timers do not close a tripped line, and a once timer ends', () => {
    const once = { i: 1, n: 1, type: 'once', date: '2026-06-10', time: '10:05', action: 'close', en: 1 };
    const bench = withTimers([once], '2026-06-10T02:00:00Z');
    bench.play('leakStep', 3);
    bench.device.setFaults({});
    bench.run(600);
    expect(bench.line().position).toBe(0);
    expect(bench.configs().at(-1)!.timers).toMatchObject([{ en: 0 }]);
  });
  it('timers calculate local time from a zone name or from an offset', () => {
    expect(wallTime(workbenchStart, 'Asia/Shanghai')).toEqual({
      date: '2026-06-10',
      minute: 600,
      weekday: 2,
    });
    expect(wallTime(workbenchStart, 480)).toEqual(wallTime(workbenchStart, 'Asia/Shanghai'));
  });
});

describe('ring buffer', () => {
  it('keeps offline readings and sends them later, oldest first, marked and at most 5 a second', () => {
    const bench = calm();
    bench.device.receive('hwm', JSON.stringify({ boot: bench.lastTele().boot, seq: 1e9 }));
    bench.device.disconnected();
    const count = bench.said.length;
    bench.run(600);
    expect(bench.said).toHaveLength(count);
    bench.connect();
    bench.run(60);
    const backlog = bench.tele().filter(({ bf }) => bf === 1);
    expect(backlog).toHaveLength(40);
    expect(backlog.map(({ seq }) => seq)).toEqual(backlog.map(({ seq }) => seq).sort((a, b) => a - b));
    const at = bench.said.filter((each) => each.payload.includes('"bf":1')).map((each) => each.at);
    for (let i = 5; i < at.length; i++) expect(at[i]! - at[i - 5]!).toBeGreaterThanOrEqual(1_000);
  });
  it('sends again what the broker did not confirm, and nothing that the server has confirmed', async () => {
    const bench = workbench(3);
    bench.connect(() => false);
    bench.run(60);
    await Promise.resolve();
    const sent = bench.tele();
    bench.device.disconnected();
    bench.device.receive('hwm', JSON.stringify({ boot: sent[0]!.boot, seq: sent[1]!.seq }));
    bench.said.length = 0;
    bench.connect();
    bench.run(10);
    const again = bench
      .tele()
      .filter(({ bf }) => bf === 1)
      .map(({ seq }) => seq);
    expect(again).toEqual(sent.slice(2).map(({ seq }) => seq));
  });
  it('the buffer of offline readings keeps no more than its limit', () => {
    const bench = workbench(3, { bufferLimit: 50 });
    bench.run(3600);
    expect(bench.device.buffered()).toBe(50);
  });
});

describe('always', () => {
  it('the same seed sends the same bytes for an hour, another seed does not', () => {
    const hash = (seed: number, type: (typeof deviceTypes)[number]) => {
      const bench = workbench(type, { seed, natural: true });
      bench.connect();
      bench.play('seriesArc', 600);
      bench.device.setFaults({});
      bench.run(3000);
      return createHash('sha256')
        .update(bench.said.map((each) => each.payload).join('\n'))
        .digest('hex');
    };
    for (const type of deviceTypes) expect(hash(1, type)).toBe(hash(1, type));
    expect(hash(1, 5)).not.toBe(hash(2, 5));
  });

  it('the register only grows, except at its rollover and its reset', () => {
    fc.assert(
      fc.property(
        fc.double({ min: 0, max: 999_999.9, noNaN: true }),
        fc.array(fc.oneof(fc.constant('clear' as const), fc.integer({ min: 1, max: 900 })), {
          maxLength: 12,
        }),
        (energy, steps) => {
          const bench = workbench(4, { config: { tele_s: 30 } });
          bench.connect();
          bench.line().energy = energy;
          let cleared = 0;
          for (const step of steps) {
            if (step === 'clear') {
              bench.command('clear_energy');
              cleared++;
            } else bench.run(step);
          }
          const registers = bench
            .tele()
            .slice(1)
            .map(({ ln }) => ln[0]!.E!);
          const falls = registers.filter((value, i) => i > 0 && value < registers[i - 1]!);
          const ends = registers.some((value, i) => i > 0 && registers[i - 1]! > 999_900 && value < 100)
            ? 1
            : 0;
          expect(falls.length).toBeLessThanOrEqual(cleared + ends);
          for (const value of registers) expect(value).toBeLessThan(1_000_000);
        },
      ),
      { numRuns: 30 },
    );
  });

  it('no expired, repeated or older command ever moves a contact', () => {
    const command = fc.record({
      id: fc.constantFrom('a', 'b', 'c', 'd', 'e'),
      no: fc.integer({ min: 1, max: 12 }),
      ageMs: fc.integer({ min: -20_000, max: 40_000 }),
      cmd: fc.constantFrom('open' as const, 'close' as const),
      waitSeconds: fc.integer({ min: 0, max: 6 }),
    });
    fc.assert(
      fc.property(fc.array(command, { maxLength: 25 }), (commands) => {
        const bench = calm();
        const seen = new Set<string>();
        let newest = 0;
        const allowed = new Set<string>();
        for (const { id, no, ageMs, cmd, waitSeconds } of commands) {
          const exp = bench.clock.now() + 10_000 - ageMs;
          const isStale = seen.has(id) || no <= newest || exp < bench.device.core.now();
          const moved = bench.positions().length;
          bench.device.receive(
            'cmd',
            JSON.stringify({
              v: 1,
              id,
              no,
              t: 0,
              exp,
              cmd,
              n: 1,
              by: 'u:1',
              batch: null,
            } satisfies CmdMessage),
          );
          settle(bench);
          if (isStale) expect(bench.positions()).toHaveLength(moved);
          if (!isStale) allowed.add(id);
          seen.add(id);
          if (!isStale) newest = Math.max(newest, no);
          bench.run(waitSeconds);
        }
        for (const { id, by } of bench.positions()) {
          expect(by).toBe('cmd');
          expect(allowed).toContain(id);
        }
      }),
      { numRuns: 150 },
    );
  });

  it('nonsense from the network changes nothing', () => {
    const bench = calm();
    const before = JSON.stringify({ ...bench.device.flash(), unsent: [] });
    fc.assert(
      fc.property(
        fc.constantFrom('cmd', 'cfg/set', 'hwm'),
        fc.oneof(fc.string(), fc.json()),
        (topic, payload) => {
          bench.device.receive(topic, payload);
        },
      ),
    );
    expect(JSON.stringify({ ...bench.device.flash(), unsent: [] })).toBe(before);
  });
});
