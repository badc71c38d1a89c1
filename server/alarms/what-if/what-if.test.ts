import * as fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { makeDays } from '#database/partitions.ts';
import { readingOf, start, type Values } from '#test/alarm-feeder.ts';
import { makeProject, makeUser } from '#test/factories.ts';
import { type AlarmWorld, createAlarmWorld, normal } from '../alarms.world.ts';

const path = '/device_warning/what_if';
let alarms: AlarmWorld;
beforeAll(async () => {
  alarms = await createAlarmWorld();
  await makeDays(alarms.world.pool, 'readings', [Math.floor(start / 86_400_000) - 1]);
  await makeDays(alarms.world.pool, 'readings', [Math.floor(start / 86_400_000)]);
});
afterAll(() => alarms.close());
beforeEach(() => alarms.renew());

/** Two hours before now, with one reading per minute, so that a series of them ends in the past. */
const began = -3 * 3600;
const every = 60;
interface Step {
  values: Values;
  reset?: boolean;
}

/** The readings are judged live and stored, group by group, as the link does. */
const record = async (steps: readonly Step[]): Promise<void> => {
  const { pool } = alarms.world;
  for (const [index, { values, reset }] of steps.entries()) {
    const seconds = began + index * every;
    if (reset) await alarms.reset(seconds - 30);
    const reading = readingOf(alarms.line, seconds, { ...normal, ...values }, { seq: index });
    await alarms.group({ readings: [reading] });
    await pool.query(
      `insert into readings (at, line_id, boot, seq, rx_ms, position, trip, channels) values ($1, $2, 1, $3, 0, 1, 0, $4)`,
      [new Date(reading.at), reading.lineId, index, reading.channels],
    );
  }
};
interface StoredAlarm {
  raised_at: Date;
  cleared_at: Date | null;
  level: number;
}
const stored = async (code: number): Promise<StoredAlarm[]> => {
  const { rows } = await alarms.world.pool.query<StoredAlarm>(
    `select raised_at, cleared_at, level from alarms
     where line_id = $1 and code = $2 and suppressed_by is null order by raised_at`,
    [alarms.line.lineId, code],
  );
  return rows;
};
/** The answer about the line itself. */
const ask = async (body: object, client = alarms.operator) => {
  const answer = await client.call(path, { line_ids: [alarms.line.lineId], ...body });
  return { ...answer, data: answer.data?.lines?.[0] ?? answer.data };
};
const timesOf = ({ raised_at, cleared_at }: StoredAlarm): string =>
  `${raised_at.toISOString()}/${cleared_at?.toISOString() ?? null}`;

describe('what if', () => {
  test('judges a recorded history again exactly as it was judged', async () => {
    // Around the limits of 101 (235.4, 264) and 201 (36, 44), and around their deadbands.
    const value = fc.record({
      'U.a': fc.constantFrom(220, 229, 231.5, 235.4, 236, 240, 250, 265, 270.1),
      'I.a': fc.constantFrom(0.9, 10, 33, 35, 36.1, 40, 45),
    });
    // A value that lasts for some readings.
    const stretch = fc.record({ values: value, count: fc.integer({ min: 1, max: 5 }) });
    await fc.assert(
      fc.asyncProperty(fc.array(stretch, { minLength: 4, maxLength: 14 }), async (stretches) => {
        await alarms.renew();
        await record(
          stretches.flatMap(({ values, count }) => Array.from({ length: count }, () => ({ values }))),
        );
        const ofVoltage = await stored(101);
        const early = await ask({ typeNumber: 101, key: 'ov_t', value: 60 });
        expect(early.data.before.raised).toBe(ofVoltage.length);
        expect(early.data.before.alarms).toBe(ofVoltage.filter(({ level }) => level === 2).length);
        // Beyond all values, so each present episode is missed or lowered, and listed with its times.
        for (const [code, limits] of [
          [101, { ov_w: 300, ov_a: 320 }],
          [201, { oc_w: 120, oc_a: 150 }],
        ] as const) {
          const expected = (await stored(code)).map(timesOf);
          const named = new Set<string>();
          for (const [key, value] of Object.entries(limits)) {
            const { data } = await ask({ typeNumber: code, key, value });
            for (const { at, ended_at } of [...data.missed.episodes, ...data.lowered.episodes])
              named.add(`${at}/${ended_at}`);
          }
          expect([...named].toSorted()).toEqual(expected.toSorted());
        }
      }),
      { numRuns: 3 },
    );
  });

  test('gives beginning, end and level of each episode, also if only a reset ends it', async () => {
    const hot = { values: { IL: 60 } };
    const cool = { values: { IL: 3 } };
    await record([cool, hot, hot, cool, cool, { ...cool, reset: true }, cool, hot, hot, hot, cool, cool]);
    const found = await stored(301);
    expect(found).toMatchObject([
      { level: 2, cleared_at: expect.any(Date) },
      { level: 2, cleared_at: null },
    ]);
    // The longest possible delay: shorter episodes are missed, and listed as such.
    const { data } = await ask({ typeNumber: 301, key: 'il_a', value: 1000 });
    expect(data.before).toEqual({ raised: 2, alarms: 2, early_warnings: 0 });
    const episodes = [...data.missed.episodes, ...data.lowered.episodes].map(
      ({ at, ended_at }: { at: string; ended_at: string | null }) => [at, ended_at],
    );
    expect(episodes.toSorted()).toEqual(
      found.map(({ raised_at, cleared_at }) => [raised_at.toISOString(), cleared_at?.toISOString() ?? null]),
    );
  });

  test('lists the alarms that would remain, those that would be missed and the new ones', async () => {
    const at = (volts: number) => ({ values: { 'U.a': volts } });
    const quiet = [at(220), at(220), at(220)];
    await record([...quiet, at(240), at(240), ...quiet, at(270), at(270), ...quiet]);
    const higher = (await ask({ typeNumber: 101, key: 'ov_w', value: 250 })).data;
    expect(higher).toMatchObject({
      readings: 13,
      first_reading: new Date(start + began * 1000).toISOString(),
      before: { raised: 2, alarms: 1, early_warnings: 1 },
      after: { raised: 1, alarms: 1 },
      remain: { count: 1, episodes: [{ level: 2 }] },
      missed: { count: 1, episodes: [{ level: 1, value: 240 }] },
      limits: { before: { alarm: 264 }, after: { early: 250, alarm: 264 } },
      crosses: null,
      chart: null,
      lowered: { count: 0 },
      added: { count: 0 },
    });
    const lowered = (await ask({ typeNumber: 101, key: 'ov_a', value: 290 })).data;
    expect(lowered).toMatchObject({
      after: { raised: 2, alarms: 0 },
      lowered: { count: 1 },
      missed: { count: 0 },
    });
    const lower = (await ask({ typeNumber: 101, key: 'ov_w', value: 215 })).data;
    expect(lower.after.raised).toBeGreaterThan(0);
    expect((await stored(101)).length).toBe(2);
  });

  test('judges a deadband and a delay as the engine would', async () => {
    const at = (volts: number) => ({ values: { 'U.a': volts } });
    const dips = [at(240), at(240), at(230), at(230)];
    await record([at(220), ...dips, ...dips, at(220), at(220)]);
    expect((await ask({ typeNumber: 101, key: 'ov_d', value: 10 })).data).toMatchObject({
      before: { raised: 2 },
      after: { raised: 1 },
      missed: { count: 0 },
      limits: { after: { end: 225.4 } },
    });
    expect((await ask({ typeNumber: 101, key: 'ov_t', value: 60 })).data).toMatchObject({
      before: { raised: 2 },
    });
  });

  test('gives the judged values over time, and names the paired limit that a value would cross', async () => {
    await record([220, 231, 229].map((volts) => ({ values: { 'U.a': volts } })));
    const { data } = await ask({ typeNumber: 101, key: 'ov_w', value: 270, days: 1, chart: true });
    expect(data).toMatchObject({ crosses: 'ov_a', chart: { step_s: 240 } });
    expect([Math.min(...data.chart.low), Math.max(...data.chart.high)]).toEqual([220, 231]);
  });

  test('a what-if does not use readings from the time of a former owner', async () => {
    const { db } = alarms.world;
    const at = (volts: number) => ({ values: { 'U.a': volts } });
    await record([at(240), at(240), at(220), at(220), at(240), at(240), at(220), at(220)]);
    const ofTheirs = await alarms.world.as(
      (await makeUser(db, { role: 3, projects: [{ id: alarms.line.projectId! }] })).id,
    );
    const whatIf = { typeNumber: 101, key: 'ov_w', value: 250 };
    expect((await ask(whatIf, ofTheirs)).data).toMatchObject({ readings: 8, before: { raised: 2 } });
    await db
      .insertInto('device_past_owners')
      .values({
        device_id: alarms.line.deviceId,
        project_id: (await makeProject(db)).id,
        part_id: null,
        since: new Date(0),
        until: new Date(start + (began + 2.5 * every) * 1000),
      })
      .execute();
    expect((await ask(whatIf, ofTheirs)).data).toMatchObject({ readings: 5, before: { raised: 1 } });
    expect((await ask(whatIf)).data).toMatchObject({ readings: 8, before: { raised: 2 } });
  });

  test('accepts at most ten lines at once, and known types only', async () => {
    const whatIf = { typeNumber: 101, key: 'ov_w', value: 250 };
    const many = Array.from({ length: 11 }, (_, index) => index + 1);
    expect((await ask({ ...whatIf, line_ids: many })).status).toBe(422);
    expect((await ask({ ...whatIf, line_ids: [] })).status).toBe(422);
    expect((await ask({ ...whatIf, days: 31 })).status).toBe(422);
    expect((await ask({ ...whatIf, typeNumber: 999 })).status).toBe(422);
    expect((await ask({ ...whatIf, typeNumber: 304, key: 'ilt_w' })).status).toBe(422);
    expect((await ask({ ...whatIf, line_ids: [alarms.line.lineId, 999_999] })).status).toBe(404);
  });

  test('refuses a value that is not allowed for the limit, an unknown key, and lines of another project', async () => {
    expect(await ask({ typeNumber: 101, key: 'ov_w', value: 5000 })).toMatchObject({
      status: 422,
      data: { value: expect.any(String) },
    });
    expect(await ask({ typeNumber: 101, key: 'il_a', value: 30 })).toMatchObject({
      status: 422,
      data: { key: expect.any(String) },
    });
    const { db } = alarms.world;
    const elsewhere = await makeProject(db);
    const stranger = await alarms.world.as((await makeUser(db, { role: 3, projects: [elsewhere] })).id);
    expect((await ask({ typeNumber: 101, key: 'ov_w', value: 250 }, stranger)).status).toBe(404);
    const lines = { project_id: alarms.line.projectId, typeNumber: 101, key: 'ov_w' };
    expect((await stranger.call('/device_warning/what_if_lines', lines)).status).toBe(404);
    const { deviceId, lineId } = alarms.line;
    for (const place of [{ device_id: deviceId }, { line_id: lineId }])
      expect(
        await stranger.call('/device_warning/what_if_lines', { ...place, typeNumber: 101, key: 'ov_w' }),
      ).toMatchObject({ status: 404 });
    expect(
      (await stranger.call('/device_warning/what_if_lines', { typeNumber: 101, key: 'ov_w' })).status,
    ).toBe(422);
  });

  test('lists the lines of a project with the value in effect', async () => {
    const lines = { project_id: alarms.line.projectId, typeNumber: 101, key: 'ov_w' };
    const { data } = await alarms.operator.call('/device_warning/what_if_lines', lines);
    expect(data).toMatchObject({
      total: 1,
      enabled: true,
      unit: 'V',
      lines: [{ line_id: alarms.line.lineId, on_device: false, own: null }],
    });
    expect(data.lines[0].value).toBeCloseTo(235.4);
  });
});
