import fc from 'fast-check';
import type pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { connectPool } from '#database/connect.ts';
import { inBatch } from '#server/core/batch.ts';
import type { AlarmChange } from '#server/core/bus.ts';
import { faultOf } from '#server/core/database-fault.ts';
import type { GroupEvent, GroupFinding, GroupReading, Judgement } from '#server/core/group.ts';
import { createFeeder, eventOf, lineOf, readingOf, start } from '#test/alarm-feeder.ts';
import { alarmTables, emptyTables, freshDatabase, type TestDatabase } from '#test/database.ts';
import { type AlarmRecorder, createAlarmRecorder } from './engine.ts';

let database: TestDatabase;
let pool: pg.Pool;
let recorder: AlarmRecorder;
beforeAll(async () => {
  database = await freshDatabase();
  pool = connectPool(database.url, 4);
});
afterAll(async () => {
  await pool.end();
  await database.drop();
});
beforeEach(async () => {
  await emptyTables(pool, ...alarmTables);
  recorder = await loaded();
});

const loaded = async () => {
  const made = createAlarmRecorder();
  await made.load(pool);
  return made;
};
const commit = async (judgement: Judgement, rollback = false): Promise<AlarmChange[]> => {
  if (judgement.empty) return judgement.settle();
  const client = await pool.connect();
  try {
    await client.query('begin');
    await inBatch(client, (batch) => judgement.write(batch));
    await client.query(rollback ? 'rollback' : 'commit');
  } catch (error) {
    await client.query('rollback');
    throw error;
  } finally {
    client.release();
  }
  if (!rollback) return judgement.settle();
  judgement.undo();
  return [];
};
const group = (
  readings: GroupReading[],
  events: GroupEvent[] = [],
  findings: GroupFinding[] = [],
  by = recorder,
) => {
  // The writer of a group evaluates and writes it again after a conflict.
  const judged = async (): Promise<AlarmChange[]> => {
    const judgement = by.judge(readings, events, findings);
    try {
      return await commit(judgement);
    } catch (error) {
      judgement.undo();
      if (faultOf(error) !== 'conflict') throw error;
      return judged();
    }
  };
  return judged();
};
const rows = async () =>
  (
    await pool.query(
      `select id, work_order, code, phase, level, occurrences, value, peak, threshold, source, late, latched,
         cleared_at, raised_at, normal_at, suppressed_by, revision, snapshot, original, event_id
       from alarms order by id`,
    )
  ).rows;
const steps = async () =>
  (await pool.query('select kind from alarm_history order by line_id, alarm_id, seq')).rows.map(
    (row) => row.kind,
  );

const line = lineOf();
const normal = { 'U.a': 220, 'I.a': 10, IL: 5, 'T.m': 40 };
const leak = { ...normal, IL: 60 };

describe('the alarm engine', () => {
  it('writes an alarm with its work order of the project’s day, its values, the original message and its history', async () => {
    const original = Buffer.from('{"v":1,"x":"\\u0000"}');
    const changes = await group([readingOf(line, 0, leak, { original })]);
    expect(changes).toMatchObject([{ kind: 'raised', code: 301, level: 2, quiet: false, lineId: 2 }]);
    expect(await rows()).toMatchObject([
      {
        work_order: 'W20261120000001',
        code: 301,
        level: 2,
        value: 60,
        threshold: 30,
        latched: true,
        source: 'server',
        snapshot: { IL: 60, U: { a: 220 } },
        original: { v: 1 },
      },
    ]);
    expect(await steps()).toEqual(['raised']);
  });
  it('writes nothing for normal readings', () => {
    expect(recorder.judge([readingOf(line, 0, normal)], [], []).empty).toBe(true);
  });
  it('updates an active alarm at most every ten seconds when a reading arrives every second', async () => {
    let written = 0;
    for (let second = 0; second <= 60; second++) {
      const judgement = recorder.judge([readingOf(line, second, { ...leak, IL: 60 + second / 10 })], [], []);
      if (!judgement.empty) written += 1;
      await commit(judgement);
    }
    expect(written).toBe(7);
    expect(await rows()).toMatchObject([{ occurrences: 61, peak: 66, value: 66 }]);
  });
  it('forgets a group that was rolled back, and judges it again with the same result', async () => {
    const readings = [readingOf(line, 0, leak)];
    await commit(recorder.judge(readings, [], []), true);
    expect(await rows()).toEqual([]);
    expect(await group(readings)).toMatchObject([{ kind: 'raised' }]);
    expect(await rows()).toMatchObject([{ occurrences: 1 }]);
  });
  it('the alarm engine restores active alarms after a restart and ends them', async () => {
    const event = { st: 'raise', code: 502 } as const;
    await group([readingOf(line, 0, { ...normal, 'T.m': 75 })]);
    await group([readingOf(line, 60, { ...normal, 'T.m': 75 })], [eventOf(line, 60, event)]);
    recorder = await loaded();
    expect(await group([readingOf(line, 120, { ...normal, 'T.m': 75 })])).toMatchObject([
      { kind: 'repeated', code: 402 },
    ]);
    await group([readingOf(line, 180, normal)]);
    expect(await group([readingOf(line, 240, normal)])).toMatchObject([{ kind: 'cleared', code: 402 }]);
    expect(await group([], [eventOf(line, 300, { ...event, st: 'clear' })])).toMatchObject([
      { kind: 'cleared', code: 502 },
    ]);
    expect((await rows()).every((row) => row.cleared_at !== null)).toBe(true);
  });
  it('keeps one active alarm when two nodes raise it, and both know it', async () => {
    const other = await loaded();
    expect(await group([readingOf(line, 0, leak)])).toMatchObject([{ kind: 'raised' }]);
    const again = await group([readingOf(line, 10, leak)], [], [], other);
    expect(again).toMatchObject([{ kind: 'repeated', quiet: true }]);
    expect(await rows()).toHaveLength(1);
    await group([], [eventOf(line, 20, { st: 'clear', code: 301 })], [], other);
    expect(await group([readingOf(line, 30, leak)])).toEqual([]);
    expect(await group([readingOf(line, 40, leak)])).toMatchObject([{ kind: 'raised' }]);
    expect((await rows()).map((row) => row.cleared_at === null)).toEqual([false, true]);
  });
  it('stores the beginning and the end of an alarm within one group of messages', async () => {
    const raise = { st: 'raise', code: 804, eid: '1-1' } as const;
    const changes = await group([], [eventOf(line, 0, raise), eventOf(line, 5, { ...raise, st: 'clear' })]);
    expect(changes.map((change) => change.kind)).toEqual(['raised', 'cleared']);
    expect(await steps()).toEqual(['raised', 'cleared']);
    expect((await rows())[0].cleared_at).not.toBeNull();
  });
  it('keeps an alarm of less than two seconds in the log only, unless its type is always short', async () => {
    const event = (code: number) => ({ code, eid: `1-${code}` });
    await group(
      [],
      [804, 204, 502].map((code) => eventOf(line, 0, { ...event(code), st: 'raise', lvl: 1 })),
    );
    const changes = await group([], [eventOf(line, 1, { ...event(804), st: 'clear', lvl: 1 })]);
    expect(changes).toMatchObject([{ kind: 'deleted', code: 804, quiet: true }]);
    await group([], [eventOf(line, 3, { ...event(204), st: 'clear', lvl: 1 })]);
    await group([], [eventOf(line, 1, { ...event(502), st: 'clear', lvl: 1 })]);
    const { rows: shown } = await pool.query(
      'select code from alarms where deleted_at is null order by code',
    );
    expect(shown.map((row) => row.code)).toEqual([204, 502]);
    const { rows: lines } = await pool.query('select code, kind from alarm_events order by at');
    expect(lines).toEqual([
      { code: 804, kind: 'raised' },
      { code: 804, kind: 'cleared' },
    ]);
    const { rows: tallies } = await pool.query(
      'select code, sum(n)::int as n from alarm_tallies group by 1 having sum(n) <> 0 order by 1',
    );
    expect(tallies.filter((row) => row.code === 804)).toEqual([]);
  });
  it('the alarm engine never hides a trip, an alarm that needs a reset, or an alarm whose end is earlier than its beginning', async () => {
    const event = (code: number) => ({ code, eid: `1-${code}`, latched: false });
    const codes = [301, 401, 402, 702];
    await group(
      [],
      codes.map((code) => eventOf(line, 0, { ...event(code), st: 'raise' })),
    );
    await group(
      [],
      codes.map((code) => eventOf(line, 1, { ...event(code), st: 'clear' })),
    );
    // The device clock was set back by an hour in between.
    await group([], [eventOf(line, 3600, { ...event(804), st: 'raise' })]);
    await group([], [eventOf(line, 10, { ...event(804), st: 'clear', seq: 3601 })]);
    const { rows: shown } = await pool.query(
      'select code from alarms where deleted_at is null and cleared_at is not null order by code',
    );
    expect(shown.map((row) => row.code)).toEqual([...codes, 804]);
  });
  it('raises a second alarm when an alarm ends and begins again within one group of messages', async () => {
    await group([], [eventOf(line, 0, { st: 'raise', code: 502, eid: '1-1' })]);
    const changes = await group(
      [],
      [
        eventOf(line, 10, { st: 'clear', code: 502, eid: '1-1' }),
        eventOf(line, 20, { st: 'raise', code: 502, eid: '1-2' }),
      ],
    );
    expect(changes.map((change) => change.kind)).toEqual(['cleared', 'raised']);
    expect((await rows()).map((row) => [row.event_id, row.cleared_at === null])).toEqual([
      ['1-1', false],
      ['1-2', true],
    ]);
  });
  it('lets a device take over an alarm of the server and end it', async () => {
    await group([readingOf(line, 0, leak)]);
    await group([], [eventOf(line, 1, { st: 'raise', code: 301, eid: '1-7', val: 61, thr: 25 })]);
    expect(await rows()).toMatchObject([
      { source: 'device', event_id: '1-7', threshold: 25, occurrences: 2 },
    ]);
    await group([], [eventOf(line, 60, { st: 'clear', code: 301, eid: '1-7', peak: 70 })]);
    expect(await group([readingOf(line, 61, leak)])).toEqual([]);
    expect(await rows()).toMatchObject([{ peak: 70 }]);
  });
  it('raises an early warning of a device to an alarm in the same work order', async () => {
    await group([], [eventOf(line, 0, { st: 'raise', code: 301, lvl: 1, eid: '1-1' })]);
    const changes = await group([], [eventOf(line, 1, { st: 'raise', code: 301, lvl: 2, eid: '1-2' })]);
    expect(changes.map((change) => change.kind)).toContain('escalated');
    expect(await rows()).toMatchObject([{ level: 2 }]);
    expect(await steps()).toEqual(['raised', 'escalated']);
  });
  it('gives an early warning a lower severity than the alarm, and updates the totals when the level rises', async () => {
    const severities = async () => (await pool.query('select severity from alarms')).rows;
    const totals = async () =>
      (
        await pool.query(
          'select level, severity, sum(n)::int as n from alarm_tallies group by 1, 2 having sum(n) <> 0',
        )
      ).rows;
    await group([], [eventOf(line, 0, { st: 'raise', code: 301, lvl: 1, eid: '1-1' })]);
    expect(await severities()).toEqual([{ severity: 2 }]);
    expect(await totals()).toEqual([{ level: 1, severity: 2, n: 1 }]);
    await group([], [eventOf(line, 1, { st: 'raise', code: 301, lvl: 2, eid: '1-2' })]);
    expect(await severities()).toEqual([{ severity: 1 }]);
    expect(await totals()).toEqual([{ level: 2, severity: 1, n: 1 }]);
  });
  it('records a late event with its own time and without notifications, beside the active alarm', async () => {
    await group([], [eventOf(line, 1000, { st: 'raise', code: 502, eid: '1-9' })]);
    const late = { st: 'raise', code: 502, eid: '1-3' } as const;
    expect(await group([], [eventOf(line, 100, late, true)])).toMatchObject([
      { kind: 'raised', quiet: true },
    ]);
    await group([], [eventOf(line, 160, { ...late, st: 'clear' }, true)]);
    expect((await rows()).map((row) => [row.event_id, row.late, row.cleared_at?.getTime() ?? null])).toEqual([
      ['1-9', false, null],
      ['1-3', true, start + 160_000],
    ]);
  });
  it('clears an alarm although the backlog brings its end before its beginning', async () => {
    const event = { code: 502, eid: '1-5' };
    await group([], [eventOf(line, 50, { ...event, st: 'clear' }, true)]);
    await group([], [eventOf(line, 10, { ...event, st: 'raise' }, true)]);
    expect((await rows()).map((row) => row.cleared_at?.getTime())).toEqual([start + 50_000]);
  });
  it('lets live data take over an alarm that came from a backlog', async () => {
    await group([], [eventOf(line, 0, { st: 'raise', code: 301 }, true, 3600)]);
    const [first] = await group([readingOf(line, 3660, leak)]);
    expect(first).toMatchObject({ kind: 'raised', quiet: false });
    expect(await rows()).toMatchObject([{ late: false }]);
  });
  it('names the cause that suppressed an alarm when that alarm appears', async () => {
    await group([], [eventOf(line, 0, { st: 'raise', code: 109, eid: '1-1' })]);
    await group([], [eventOf(line, 10, { st: 'raise', code: 201, eid: '1-2' })]);
    const changes = await group([], [eventOf(line, 60, { st: 'clear', code: 109, eid: '1-1' })]);
    expect(changes).toMatchObject([
      { code: 109, kind: 'cleared' },
      { code: 201, kind: 'raised', quiet: false, heldBackBy: 109 },
    ]);
    expect(changes[0]).not.toHaveProperty('heldBackBy');
  });
  it('a verified reset ends a latched alarm', async () => {
    await group([readingOf(line, 0, leak)]);
    for (const seconds of [60, 120]) await group([readingOf(line, seconds, normal)]);
    expect((await rows())[0]).toMatchObject({ cleared_at: null });
    expect((await rows())[0].normal_at).not.toBeNull();
    expect(await commit(recorder.reset([2], start + 130_000))).toMatchObject([{ kind: 'cleared' }]);
    expect(await steps()).toEqual(['raised', 'normal', 'reset']);
  });
  it('findings of the server begin and end alarms without a delay', async () => {
    const finding = { line: lineOf({ lineId: 1, n: 0 }), code: 801, level: 2, value: null } as const;
    expect(await group([], [], [{ ...finding, active: true, at: start }])).toMatchObject([
      { kind: 'raised' },
    ]);
    expect(await group([], [], [{ ...finding, active: true, at: start + 1 }])).toEqual([]);
    expect(await group([], [], [{ ...finding, active: false, at: start + 2 }])).toMatchObject([
      { kind: 'cleared' },
    ]);
  });
  it('shows a failed switching again when the device that was offline is back', async () => {
    const silence = { line: lineOf({ lineId: 1, n: 0 }), code: 801, level: 2, value: null } as const;
    const failed = { line, code: 703, level: 2, value: 1, active: true, at: start + 5 } as const;
    await group([], [], [{ ...silence, active: true, at: start }]);
    expect(await group([], [], [failed])).toMatchObject([{ code: 703, quiet: true }]);
    expect(await group([], [], [{ ...silence, active: false, at: start + 60 }])).toMatchObject([
      { kind: 'cleared', code: 801 },
      { kind: 'raised', code: 703, quiet: false },
    ]);
    expect((await rows()).find((row) => row.code === 703)).toMatchObject({ suppressed_by: null });
  });
  it('keeps an occurrence of a switched-off leakage type in the log and raises no alarm', async () => {
    recorder.setEnabled(301, false);
    for (const seconds of [0, 60, 120]) await group([readingOf(line, seconds, leak)]);
    expect(await rows()).toEqual([]);
    const { rows: lines } = await pool.query('select code, level, kind from alarm_events');
    expect(lines).toEqual([{ code: 301, level: 2, kind: 'raised' }]);
  });
  it('the alarm engine survives numbers and texts that no column can store', async () => {
    await group(
      [],
      [
        eventOf(line, 0, {
          st: 'raise',
          code: 804,
          val: 1e300,
          thr: 1e-60,
          eid: 'a\u0000b',
          snap: { x: '\ud800' },
        }),
      ],
    );
    expect(await rows()).toMatchObject([{ value: null, threshold: 0 }]);
  });
  it('links a consequence to its cause in the database', async () => {
    const wide = lineOf({ lineId: 9, type: 4, ratedCurrent: 63 });
    const lost = { 'U.a': 220, 'U.b': 80, 'U.c': 220 };
    for (const seconds of [0, 10, 20]) await group([readingOf(wide, seconds, lost)]);
    const [cause, ...effects] = await rows();
    expect(cause).toMatchObject({ code: 103, suppressed_by: null });
    expect(effects.length).toBeGreaterThan(0);
    for (const effect of effects) expect(effect.suppressed_by).toBe(cause.id);
  });
  it('numbers work orders without duplicates across nodes and days', async () => {
    const other = await loaded();
    const shot = (lineId: number, by: AlarmRecorder, seconds: number) =>
      group([readingOf(lineOf({ lineId }), seconds, leak)], [], [], by);
    await Promise.all(
      Array.from({ length: 20 }, (_, index) => shot(100 + index, index % 2 ? other : recorder, 0)),
    );
    await shot(200, recorder, 50_400);
    const numbers = (await rows()).map((row) => row.work_order).sort();
    expect(new Set(numbers).size).toBe(21);
    expect(numbers.at(-1)).toBe('W20261121000001');
  });
});

describe('a number of an event that a device uses again', () => {
  it('an event number that a device uses again is a new alarm', async () => {
    const event = { code: 502, eid: '1-1' };
    await group([], [eventOf(line, 0, { ...event, st: 'raise' })]);
    await group([], [eventOf(line, 50, { ...event, st: 'clear' })]);
    expect(await group([], [eventOf(line, 100, { ...event, st: 'raise' })])).toMatchObject([
      { kind: 'raised', quiet: false },
    ]);
    expect((await rows()).map((row) => row.cleared_at === null)).toEqual([false, true]);
  });
});

describe('an episode that has ended and is reported again', () => {
  const sentEvents = (seconds: number, st: 'raise' | 'clear', eid: string) =>
    eventOf(line, seconds, { code: 502, st, eid });
  const standing = async () =>
    (await rows()).filter((row) => row.cleared_at === null).map((row) => row.event_id);

  it('an episode that is reported again after its end does not hide a later episode, in any order of reports', async () => {
    await group(
      [],
      [
        sentEvents(300, 'raise', '1-3'),
        sentEvents(100, 'raise', '1-1'),
        sentEvents(350, 'clear', '1-3'),
        sentEvents(100, 'raise', '1-1'),
        sentEvents(400, 'raise', '1-4'),
      ],
    );
    expect(await standing()).toEqual(['1-4']);
  });
  it('an episode that is reported again after its end does not hide a later episode after a restart', async () => {
    await group([], [sentEvents(100, 'raise', '1-1')]);
    await group([], [sentEvents(150, 'clear', '1-1')]);
    recorder = await loaded();
    await group([], [sentEvents(100, 'raise', '1-1'), sentEvents(400, 'raise', '1-4')]);
    expect(await standing()).toEqual(['1-4']);
  });
});

describe('any order of arrival', () => {
  it('any order of arrival of events within two seconds keeps active alarms, reports no episode twice and ends none before its beginning', async () => {
    const sentEvents = [1, 2, 3, 4].flatMap((n) => [
      { seconds: n * 100, message: { st: 'raise', code: 502, eid: `1-${n}` } as const },
      { seconds: n * 100 + 50, message: { st: 'clear', code: 502, eid: `1-${n}` } as const },
    ]);
    // All events but the last have ended.
    const events = sentEvents.slice(0, -1);
    await fc.assert(
      fc.asyncProperty(
        fc.shuffledSubarray([...events, ...events], { minLength: 2 * events.length }),
        fc.integer({ min: 1, max: 14 }),
        async (shuffled, size) => {
          await emptyTables(pool, 'alarm_history', 'alarms', 'line_conditions');
          recorder = await loaded();
          for (let at = 0; at < shuffled.length; at += size)
            await group(
              [],
              shuffled.slice(at, at + size).map(({ seconds, message }) => eventOf(line, seconds, message)),
            );
          const seen = await rows();
          const standing = seen.filter((row) => row.cleared_at === null);
          expect(standing).toHaveLength(1);
          expect(new Set(seen.map((row) => row.event_id)).size).toBe(seen.length);
          const ends = events.filter(({ message }) => message.st === 'clear').map(({ seconds }) => seconds);
          for (const row of seen.filter((each) => each.cleared_at !== null)) {
            expect(ends.map((seconds) => start + seconds * 1000)).toContain(row.cleared_at.getTime());
            expect(row.cleared_at.getTime()).toBeGreaterThan(row.raised_at.getTime());
          }
        },
      ),
      { numRuns: 100 },
    );
  });
  it('any order of arrival of backlog readings, repeated or not, does not change what live readings raise and end', () => {
    const sample = fc.record({
      after: fc.integer({ min: 1, max: 60 }),
      leakage: fc.constantFrom(5, 20, 60),
      volts: fc.constantFrom(150, 190, 220, 240, 270),
      stale: fc.array(
        fc.record({ back: fc.integer({ min: 0, max: 900 }), leakage: fc.constantFrom(5, 60) }),
        {
          maxLength: 3,
        },
      ),
    });
    fc.assert(
      fc.property(fc.array(sample, { maxLength: 30 }), (samples) => {
        const run = (withBacklog: boolean) => {
          const feeder = createFeeder();
          let at = 0;
          for (const { after, leakage, volts, stale } of samples) {
            at += after;
            feeder.feed(at, { ...normal, IL: leakage, 'U.a': volts });
            if (!withBacklog) continue;
            for (const { back, leakage: old } of stale) {
              const values = { ...normal, IL: old, 'U.a': 300 };
              feeder.feed(at - back, values, { latest: false, late: back > 60 });
              feeder.feed(at - back, values, { latest: false, late: true });
            }
          }
          return feeder.changes.map(({ alarm: _alarm, ...sentEvents }) => sentEvents);
        };
        expect(run(true)).toEqual(run(false));
      }),
    );
  });
  it('a shuffled backlog with repeated events gives the same alarms', async () => {
    const episodes = [1, 2, 3].flatMap((n) => [
      { seconds: n * 100, message: { st: 'raise', code: 502, eid: `1-${n}` } as const },
      { seconds: n * 100 + 50, message: { st: 'clear', code: 502, eid: `1-${n}` } as const },
    ]);
    await fc.assert(
      fc.asyncProperty(
        fc.shuffledSubarray([...episodes, ...episodes], { minLength: 12 }),
        fc.integer({ min: 1, max: 5 }),
        async (shuffled, size) => {
          await emptyTables(pool, 'alarm_history', 'alarms', 'line_conditions');
          recorder = await loaded();
          for (let at = 0; at < shuffled.length; at += size)
            await group(
              [],
              shuffled
                .slice(at, at + size)
                .map(({ seconds, message }) => eventOf(line, seconds, message, true)),
            );
          const seen = (await rows())
            .map((row) => [row.raised_at.getTime(), row.cleared_at?.getTime()])
            .sort();
          expect(seen).toEqual([1, 2, 3].map((n) => [start + n * 100_000, start + n * 100_000 + 50_000]));
        },
      ),
      { numRuns: 100 },
    );
  });
});
