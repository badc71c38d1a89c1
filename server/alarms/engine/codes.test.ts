import { describe, expect, it } from 'vitest';
import { alarmCatalogue, alarmTypeOf, limitOf, ratingsOf } from '#contract/alarm-catalogue.ts';
import { alarmCodes } from '#contract/alarm-codes.ts';
import { alarmNames } from '#contract/alarm-names.ts';
import { languages } from '#contract/languages.ts';
import { parameters } from '#contract/parameters.ts';
import { deviceTypes, lineChannels } from '#contract/telemetry.ts';
import type { LineRef } from '#server/core/group.ts';
import { createFeeder, lineOf, type Values } from '#test/alarm-feeder.ts';
import { measuredCodes } from './engine.ts';
import { checksOf } from './limits.ts';
import { AlarmMemory } from './memory.ts';

const one: Values = { 'U.a': 220, 'I.a': 10, 'P.t': 2200, IL: 5, 'T.m': 40, 'T.l': 40, 'T.c': 35 };
const three: Values = {
  'U.a': 220,
  'U.b': 221,
  'U.c': 219,
  'I.a': 20,
  'I.b': 20,
  'I.c': 20,
  'I.n': 2,
  'P.t': 13_000,
  IL: 50,
  'T.a': 40,
  'T.b': 40,
  'T.c': 40,
};
const filter: Values = {
  ...Object.fromEntries(
    ['in', 'out'].flatMap((side) =>
      ['a', 'b', 'c'].flatMap((phase) => [
        [`${side}.U.${phase}`, 220],
        [`${side}.I.${phase}`, 20],
        [`${side}.HI.${phase}`, side === 'in' ? 60 : 20],
        [`${side}.HU.${phase}`, 2],
      ]),
    ),
  ),
  'out.I.n': 5,
};

/** [what, type, normal values, values beyond, seconds of sampling, expected, not before (s)] */
const table: [string, LineRef['type'], Values, Values, number, string, number][] = [
  ['101 early warning above 107 %', 3, one, { 'U.a': 236 }, 60, '101/1', 10],
  ['101 alarm above 120 %', 3, one, { 'U.a': 265 }, 60, '101/2', 10],
  ['102 early warning below 90 %', 3, one, { 'U.a': 197 }, 60, '102/1', 10],
  ['102 alarm below 80 %', 3, one, { 'U.a': 171 }, 60, '102/2', 10],
  ['103 one phase below 60 % while others stand', 4, three, { 'U.b': 88 }, 60, '103/2', 0],
  ['104 spread above 10 %', 4, three, { 'U.a': 235, 'U.b': 210 }, 60, '104/1', 0],
  ['104 spread above 20 %', 4, three, { 'U.a': 260, 'U.b': 190 }, 60, '104/2', 0],
  ['105 unbalance above 2 %', 4, three, { 'U.a': 226, 'U.b': 214 }, 60, '105/1', 600],
  ['109 no voltage at all', 3, one, { 'U.a': 3 }, 60, '109/2', 0],
  ['201 above 90 % of rated current', 3, one, { 'I.a': 37 }, 60, '201/1', 60],
  ['201 above 110 % of rated current', 3, one, { 'I.a': 45 }, 60, '201/2', 60],
  ['202 above 90 % of rated power', 3, one, { 'P.t': 8000 }, 60, '202/1', 60],
  ['202 above 110 % of rated power', 3, one, { 'P.t': 9700 }, 60, '202/2', 60],
  ['203 unbalance above 50 %', 4, three, { 'I.a': 50, 'I.b': 10, 'I.c': 10 }, 60, '203/2', 600],
  ['204 neutral above 60 %', 4, three, { 'I.n': 40 }, 60, '204/1', 60],
  ['204 neutral above 80 %', 4, three, { 'I.n': 52 }, 60, '204/2', 60],
  ['205 above five times rated current', 3, one, { 'I.a': 201 }, 60, '205/2', 0],
  ['301 above half of 30 mA on a final circuit', 3, one, { IL: 16 }, 60, '301/1', 0],
  ['301 above 30 mA on a final circuit', 3, one, { IL: 31 }, 60, '301/2', 0],
  ['301 above 300 mA on a feeder', 4, three, { IL: 301 }, 60, '301/2', 0],
  ['401 cable above 60 °C', 5, one, { 'T.l': 61 }, 60, '401/1', 30],
  ['401 cable above 70 °C', 5, one, { 'T.l': 71 }, 60, '401/2', 30],
  ['402 terminal above 70 °C', 3, one, { 'T.m': 71 }, 60, '402/1', 30],
  ['402 terminal above 80 °C', 4, three, { 'T.b': 81 }, 60, '402/2', 30],
  ['403 case above 55 °C', 3, one, { 'T.c': 56 }, 60, '403/1', 60],
  ['403 case above 65 °C', 3, one, { 'T.c': 66 }, 60, '403/2', 60],
  ['501 ten half-cycles in a second', 5, { ...one, arc: 0, arcH: 0 }, { arcH: 10 }, 60, '501/1', 0],
  ['501 fourteen half-cycles in a second', 5, { ...one, arc: 0, arcH: 0 }, { arcH: 14 }, 60, '501/2', 0],
  ['501 five arcs within the hour', 5, { ...one, arc: 7, arcH: 0 }, { arc: 12 }, 60, '501/1', 0],
  ['106 early warning 0.2 Hz away', 3, { ...one, F: 50 }, { F: 49.75 }, 60, '106/1', 60],
  ['106 alarm 0.5 Hz away', 4, { ...three, F: 50 }, { F: 50.6 }, 60, '106/2', 60],
  ['206 power factor below 0.90', 4, { ...three, 'PF.t': 0.95 }, { 'PF.t': 0.88 }, 60, '206/1', 900],
  ['206 power factor below 0.85', 4, { ...three, 'PF.t': 0.95 }, { 'PF.t': -0.8 }, 60, '206/2', 900],
  [
    '206 behind a filter',
    2,
    { ...filter, 'out.PF.t': 0.98, 'out.P.t': 30_000 },
    { 'out.PF.t': 0.84 },
    60,
    '206/2',
    900,
  ],
  ['601 voltage distortion above 5 %', 2, filter, { 'out.HU.a': 6 }, 60, '601/1', 600],
  ['601 voltage distortion above 8 %', 1, filter, { 'out.HU.a': 9 }, 60, '601/2', 600],
  ['603 a filter that takes less than half', 2, filter, { 'in.HI.a': 28, 'out.HI.a': 16 }, 60, '603/1', 1800],
  [
    '603 a filter that takes less than a third',
    2,
    filter,
    { 'in.HI.b': 28, 'out.HI.b': 24 },
    60,
    '603/2',
    1800,
  ],
  ['602 current distortion above 30 %', 2, filter, { 'out.HI.a': 35 }, 60, '602/1', 600],
  ['602 current distortion above 50 %', 2, filter, { 'out.HI.b': 55 }, 60, '602/2', 600],
];

describe('the catalogue', () => {
  it('the alarm catalogue has 44 types, 25 of them core, each with a name in every language', () => {
    expect(alarmCatalogue).toHaveLength(44);
    expect(alarmCatalogue.filter((type) => type.core)).toHaveLength(25);
    for (const language of languages)
      expect(Object.keys(alarmNames[language]).map(Number)).toEqual(alarmCatalogue.map(({ code }) => code));
  });
  it('the alarm catalogue has a name in the code for each type', () => {
    expect(alarmCatalogue.map(({ code }) => code)).toEqual(Object.values(alarmCodes));
  });
  it('the alarm catalogue lists in `measuredCodes` exactly the types that line checks judge', () => {
    const judged = deviceTypes.flatMap((type) =>
      checksOf(lineOf({ type, thresholds: { quota_kwh: 100 } }), () => 0).checks.map(
        (check) => check.type.code,
      ),
    );
    expect([...measuredCodes].sort()).toEqual([...new Set(judged)].sort());
  });
  it('each type that line checks judge is raised by values in this file', () => {
    /** Judged by what happened before, not by the values of one reading. */
    const byHistory = [alarmCodes.energyQuota, alarmCodes.leakageStep, alarmCodes.temperatureRise];
    const inTable = table.map(([what]) => Number(what.slice(0, 3)));
    expect([...new Set([...inTable, ...byHistory])].sort()).toEqual([...measuredCodes].sort());
  });
  it('derives limits from nominal voltage and rated current, and lets the line override them', () => {
    const type = (code: number) => alarmTypeOf(code)!;
    const plain = ratingsOf(lineOf());
    expect(limitOf(type(101).warn, plain)).toBeCloseTo(235.4);
    expect(limitOf(type(101).alarm, plain)).toBeCloseTo(264);
    expect(limitOf(type(201).alarm, plain)).toBeCloseTo(44);
    const own = ratingsOf(
      lineOf({ nominalVoltage: 240, thresholds: { ov_w: 262, oc_a: 100, il_a: 100, op_w: 0 } }),
    );
    expect(limitOf(type(101).warn, own)).toBe(262);
    expect(limitOf(type(101).alarm, own)).toBeCloseTo(288);
    expect(limitOf(type(201).alarm, own)).toBe(40);
    expect(limitOf(type(301).warn, own)).toBe(50);
    expect(limitOf(type(202).warn, own)).toBeNaN();
  });
});

const onEachPhase = (volts: number): Values =>
  Object.fromEntries(
    ['', 'in.'].flatMap((side) => ['a', 'b', 'c'].map((phase) => [`${side}U.${phase}`, volts])),
  );
/** Each parameter that sets a delay, and values beyond the limits of its alarm type. */
const delayed: readonly (readonly [code: number, key: string, beyond: Values])[] = [
  [101, 'ov_t', onEachPhase(265)],
  [102, 'uv_t', onEachPhase(171)],
  [201, 'oc_t', { 'I.a': 80, 'out.I.a': 80 }],
  [202, 'op_t', { 'P.t': 60_000 }],
  [301, 'il_t', { IL: 400 }],
];
describe('a parameter that sets a delay', () => {
  it('each parameter for a delay belongs to one alarm type', () => {
    const keys = parameters.filter(({ role, key }) => role === 'delay' && key !== 'ar_t');
    expect(delayed.map(([, key]) => key).sort()).toEqual(keys.map(({ key }) => key).sort());
    for (const [code, key] of delayed) expect(alarmTypeOf(code)?.onKey).toBe(key);
  });
  for (const [code, key, beyond] of delayed)
    for (const type of alarmTypeOf(code)?.types ?? [])
      it(`parameter ${key} delays alarm ${code} of device type ${type}`, () => {
        const normal = type <= 2 ? filter : lineChannels[type].includes('U.b') ? three : one;
        const raisedAfter = (seconds: number) => {
          const line = createFeeder({
            type,
            ratedCurrent: 40,
            thresholds: { [key]: seconds },
            uploadSeconds: 1,
          });
          line.feed(0, normal);
          for (let at = 1; at <= 60; at += 1) {
            line.feed(at, { ...normal, ...beyond });
            if (line.standing().includes(`${code}/2`)) return at - 1;
          }
          return null;
        };
        expect([raisedAfter(10), raisedAfter(20)]).toEqual([10, 19]);
      });
  it('an alarm that needs action within seconds is raised at once if its delay is at most 5 s', () => {
    const line = createFeeder({ thresholds: { il_t: 5 } });
    line.feed(0, one);
    line.feed(60, { ...one, IL: 31 });
    expect(line.standing()).toEqual(['301/2']);
  });
});

describe.each(table)('%s', (_name, type, normal, beyond, interval, expected, delay) => {
  const feeder = () => createFeeder({ type, ratedCurrent: type === 3 || type === 5 ? 40 : 63 });
  it('the alarm is raised after its delay and not before', () => {
    const line = feeder();
    line.feed(0, normal);
    for (let seconds = interval; seconds <= interval + delay + 120; seconds += interval)
      line.feed(seconds, { ...normal, ...beyond });
    const raised = line.changes.find(
      (change) => change.kind === 'raised' && `${change.code}/${change.level}` === expected && !change.quiet,
    );
    expect(line.standing()).toContain(expected);
    expect(raised?.at).toBe(interval + Math.ceil(delay / interval) * interval);
  });
  it('the alarm is not raised by normal values', () => {
    const line = feeder();
    for (let seconds = 0; seconds <= 1800; seconds += interval) line.feed(seconds, normal);
    expect(line.changes).toEqual([]);
  });
});

describe('206', () => {
  it('alarm 206 does not report distortion that the filter removes', () => {
    const line = createFeeder({ type: 2, ratedCurrent: 63 });
    const values = { ...filter, 'in.PF.t': 0.83, 'in.P.t': 30_000, 'out.PF.t': 0.98, 'out.P.t': 29_000 };
    for (let seconds = 0; seconds <= 2400; seconds += 60) line.feed(seconds, values);
    expect(line.changes).toEqual([]);
  });
  it('alarm 206 does not judge a load below a tenth of the rated power', () => {
    const line = createFeeder({ type: 4, ratedCurrent: 63 });
    for (let seconds = 0; seconds <= 2400; seconds += 60)
      line.feed(seconds, { ...three, 'P.t': 4000, 'PF.t': 0.5 });
    expect(line.changes).toEqual([]);
  });
});

describe('rates and steps', () => {
  const heat = (perMinute: number, interval: number) => {
    const line = createFeeder();
    for (let seconds = 0; seconds <= 600; seconds += interval)
      line.feed(seconds, { ...one, 'T.m': 20 + (perMinute * seconds) / 60 });
    return line.changes.filter((change) => change.code === 404 && change.kind !== 'repeated');
  };
  it.each([5, 10, 60])(
    'alarm 404 reports a fast rise and ignores a slow one (a reading every %i s)',
    (interval) => {
      expect(heat(0.7, interval)).toEqual([]);
      expect(heat(3.5, interval).map((change) => change.level)).toEqual([1]);
      expect(heat(5.5, interval).map((change) => change.level)).toContain(2);
      expect(heat(5.5, interval)[0]?.at).toBeLessThanOrEqual(300);
    },
  );
  it.each([5, 60])(
    'alarm 302 reports a step of more than 30 mA and 50 %, and ignores slow growth (a reading every %i s)',
    (interval) => {
      const step = createFeeder({ type: 4, ratedCurrent: 63 });
      for (let seconds = 0; seconds <= 300; seconds += interval)
        step.feed(seconds, { ...three, IL: seconds < 120 ? 50 : 120 });
      expect(step.changes.filter((change) => change.kind === 'raised').map((change) => change.code)).toEqual([
        302,
      ]);
      for (let seconds = 300; seconds <= 900; seconds += interval) step.feed(seconds, { ...three, IL: 120 });
      expect(step.standing()).toEqual([]);
      const slow = createFeeder({ type: 4, ratedCurrent: 63 });
      for (let seconds = 0; seconds <= 600; seconds += interval)
        slow.feed(seconds, { ...three, IL: 50 + seconds / 10 });
      expect(slow.changes).toEqual([]);
    },
  );
  it('alarm 205 is raised when the intervention counter of a limiter increases', () => {
    const line = createFeeder({ type: 7, ratedCurrent: 63 });
    line.feed(0, { ...three, sc: 4 });
    line.feed(60, { ...three, sc: 5 });
    expect(line.standing()).toEqual(['205/2']);
  });
  it('alarm 208 warns at 90 % of the quota and alarms at 100 %', () => {
    const line = createFeeder({ thresholds: { quota_kwh: 100 } });
    for (const [seconds, energy] of [
      [0, 1000],
      [60, 1089],
      [120, 1091],
      [180, 1100],
    ] as const)
      line.feed(seconds, one, { energy });
    expect(line.changes.map((change) => `${change.at} ${change.kind}`)).toEqual([
      '120 raised',
      '180 escalated',
      '180 repeated',
    ]);
  });
});

describe('causes and consequences', () => {
  it('a lost phase raises 103, and no undervoltage or unbalance', () => {
    const line = createFeeder({ type: 4, ratedCurrent: 63 });
    line.feed(0, three);
    for (let seconds = 10; seconds <= 900; seconds += 10) line.feed(seconds, { ...three, 'U.b': 88 });
    expect(line.standing().filter((name) => !name.startsWith('('))).toEqual(['103/2']);
    expect(
      line.changes.filter((change) => change.kind === 'raised' && !change.quiet).map((change) => change.code),
    ).toEqual([103]);
  });
  it('a broken neutral raises 104, and no over- or undervoltage', () => {
    const line = createFeeder({ type: 4, ratedCurrent: 63 });
    for (let seconds = 0; seconds <= 60; seconds += 10)
      line.feed(seconds, { ...three, 'U.a': 268, 'U.b': 180, 'U.c': 190 });
    expect(line.standing()).toEqual(['(101/2)', '(102/1)', '(102/1)', '104/2']);
  });
  it('a line without voltage is part of the outage of another line of its device', () => {
    const memory = new AlarmMemory();
    const dark = createFeeder({}, { memory });
    const other = createFeeder({ lineId: 3, n: 2 }, { memory });
    dark.feed(0, { ...one, 'U.a': 0, 'I.a': 0 });
    other.feed(0, { ...one, 'U.a': 0, 'I.a': 0 });
    expect(dark.standing()).toEqual(['(109/2)', '109/2']);
    dark.feed(180, one);
    dark.feed(240, one);
    expect(
      other.feed(300, { ...one, 'U.a': 0, 'I.a': 0 }).find((change) => change.kind === 'raised'),
    ).toMatchObject({ code: 109, quiet: false });
  });
  it('0 V on one line does not hide an overload or overvoltage of another line', () => {
    const memory = new AlarmMemory();
    const dark = createFeeder({}, { memory });
    const loaded = createFeeder({ lineId: 3, n: 2 }, { memory });
    const high = createFeeder({ lineId: 4, n: 3 }, { memory });
    for (let seconds = 0; seconds <= 120; seconds += 60) {
      dark.feed(seconds, { ...one, 'U.a': 0, 'I.a': 0 });
      loaded.feed(seconds, { ...one, 'I.a': 60 });
      high.feed(seconds, { ...one, 'U.a': 280 });
    }
    expect(dark.standing()).toEqual(['101/2', '109/2', '201/2']);
  });
  it('current on a line without voltage disproves its outage as the cause of an overload', () => {
    const line = createFeeder();
    for (let seconds = 0; seconds <= 120; seconds += 60) line.feed(seconds, { ...one, 'U.a': 0, 'I.a': 60 });
    expect(line.standing()).toEqual(['109/2', '201/2']);
  });
  it('an alarm suppressed by an outage appears when its line has voltage again', () => {
    const memory = new AlarmMemory();
    const dark = createFeeder({}, { memory });
    const other = createFeeder({ lineId: 3, n: 2 }, { memory });
    dark.feed(0, { ...one, 'U.a': 0, 'I.a': 0 });
    other.feed(0, { ...one, 'U.a': 0, 'I.a': 0 });
    other.event(10, { st: 'raise', code: 201, lvl: 2 });
    expect(dark.standing()).toEqual(['(109/2)', '(201/2)', '109/2']);
    expect(other.feed(60, { ...one, 'I.a': 60 })).toContainEqual(
      expect.objectContaining({ code: 201, kind: 'raised', quiet: false }),
    );
  });
  it('an alarm of switching appears when its line has voltage again, while another line has none', () => {
    const memory = new AlarmMemory();
    const dark = createFeeder({}, { memory });
    const other = createFeeder({ lineId: 3, n: 2, contacts: { poles: 2 } }, { memory });
    for (const line of [dark, other]) line.feed(0, { ...one, 'U.a': 0, 'I.a': 0 });
    for (const code of [702, 703]) other.event(10, { st: 'raise', code });
    expect(dark.standing()).toEqual(['(109/2)', '(702/2)', '(703/2)', '109/2']);
    const changes = other.feed(60, one).filter(({ kind }) => kind === 'raised');
    expect(changes).toMatchObject([
      { code: 702, quiet: false },
      { code: 703, quiet: false },
    ]);
  });
  it('an alarm suppressed by an outage that still needs a reset appears when the outage has ended', () => {
    const line = createFeeder({ type: 4, ratedCurrent: 63 });
    for (const seconds of [0, 60]) line.feed(seconds, { ...three, 'I.n': 80 });
    const dark = { 'U.a': 0, 'U.b': 0, 'U.c': 0, 'I.a': 0, 'I.b': 0, 'I.c': 0, 'I.n': 0 };
    for (let seconds = 65; seconds <= 600; seconds += 60) line.feed(seconds, { ...three, ...dark });
    expect(line.standing()).toEqual(['(204/2)', '109/2']);
    for (let seconds = 605; seconds <= 665; seconds += 60) line.feed(seconds, three);
    expect(line.standing()).toEqual(['204/2']);
  });
  it('a trip that a backlog reported is announced when a live reading still shows it', () => {
    const line = createFeeder();
    line.event(0, { st: 'raise', code: 701, val: 201 }, true, 3500);
    expect(line.feed(3600, { ...one, 'I.a': 0 }, { trip: 201, position: 0 })).toContainEqual(
      expect.objectContaining({ code: 701, kind: 'raised', quiet: false }),
    );
  });
  it('an undervoltage of the supply is one alarm per device; a line that stays low gets its own alarm later', () => {
    const memory = new AlarmMemory();
    const first = createFeeder({}, { memory });
    const second = createFeeder({ lineId: 3, n: 2 }, { memory });
    for (let seconds = 0; seconds <= 60; seconds += 10)
      for (const line of [first, second]) line.feed(seconds, { ...one, 'U.a': 190 });
    expect(first.standing()).toEqual(['(102/1)', '102/1']);
    second.feed(70, { ...one, 'U.a': 170 });
    second.feed(80, { ...one, 'U.a': 170 });
    expect(first.standing()).toEqual(['102/1', '102/2']);
  });
  it('the offline alarm of a device is part of its outage, unless a line had voltage', () => {
    const memory = new AlarmMemory();
    const dark = createFeeder({}, { memory });
    const offline = createFeeder({ lineId: 1, n: 0 }, { memory });
    dark.feed(0, { ...one, 'U.a': 0, 'I.a': 0 });
    offline.event(200, { st: 'raise', code: 801 });
    expect(dark.standing()).toEqual(['(801/2)', '109/2']);

    const other = new AlarmMemory();
    createFeeder({}, { memory: other }).feed(0, { ...one, 'U.a': 0, 'I.a': 0 });
    createFeeder({ lineId: 3, n: 2 }, { memory: other }).feed(0, one);
    createFeeder({ lineId: 1, n: 0 }, { memory: other }).event(200, { st: 'raise', code: 801 });
    expect([...other.active()].filter(({ parent }) => parent === null)).toHaveLength(2);
  });
  it('a step of leakage that also exceeds the alarm limit is one alarm', () => {
    const line = createFeeder({ uploadSeconds: 10 });
    for (let seconds = 0; seconds <= 60; seconds += 10) line.feed(seconds, { ...one, IL: 2 });
    for (let seconds = 70; seconds <= 90; seconds += 10) line.feed(seconds, { ...one, IL: 60 });
    expect(line.standing()).toEqual(['(302/2)', '301/2']);
  });
  it('an early warning does not suppress an alarm', () => {
    const line = createFeeder({ type: 4, ratedCurrent: 63 });
    for (let seconds = 0; seconds <= 60; seconds += 10)
      line.feed(seconds, { ...three, 'U.a': 270, 'U.b': 235, 'U.c': 236 });
    expect(line.standing()).toEqual(['(101/1)', '101/2', '104/1']);
  });
  it('a trip joins the work order of the leakage that caused it, and the reset ends both', () => {
    const line = createFeeder();
    line.feed(0, one);
    line.feed(60, { ...one, IL: 60 });
    line.feed(61, { ...one, IL: 0, 'I.a': 0 }, { trip: 301, position: 0 });
    expect(line.standing()).toEqual(['301/2']);
    expect(line.changes.at(-1)?.alarm.tags).toEqual(['trip']);
    line.feed(120, { ...one, IL: 0 }, { trip: 301, position: 0 });
    line.feed(180, { ...one, IL: 0 }, { trip: 301, position: 0 });
    expect(line.standing()).toEqual(['301/2']);
    line.feed(240, one, { trip: 0 });
    expect(line.standing()).toEqual([]);
  });
  it('an early warning of leakage does not suppress a trip, and the end of the cause does not hide it', () => {
    const early = createFeeder();
    early.event(0, { st: 'raise', code: 301, lvl: 1 });
    early.feed(0, { ...one, 'I.a': 0 }, { trip: 301, position: 0 });
    expect(early.standing()).toEqual(['301/1', '701/2']);

    const before = createFeeder();
    before.feed(0, { ...one, 'I.a': 0 }, { trip: 301, position: 0 });
    before.event(0, { st: 'raise', code: 301, latched: false });
    expect(before.standing()).toEqual(['(701/2)', '301/2']);
    before.event(5, { st: 'clear', code: 301 });
    before.feed(60, { ...one, 'I.a': 0 }, { trip: 301, position: 0 });
    expect(before.standing()).toEqual(['701/2']);
    expect(before.changes.at(-1)).toMatchObject({ code: 701, kind: 'raised', quiet: false });
  });
  for (const [code, values] of [
    [101, { 'U.a': 290 }],
    [201, { 'I.a': 60 }],
    [402, { 'T.m': 95 }],
  ] as const)
    it(`a trip by ${code} joins the work order of that alarm`, () => {
      const line = createFeeder({ uploadSeconds: 10 });
      for (let seconds = 0; seconds <= 60; seconds += 10) line.feed(seconds, { ...one, ...values });
      line.feed(61, { ...one, ...values, 'I.a': 0 }, { trip: code, position: 0 });
      expect(line.standing().filter((name) => name.endsWith('/2'))).toEqual([`${code}/2`]);
      line.event(62, { st: 'raise', code: 301 });
      expect(line.standing()).toContain('301/2');
    });
  it('a trip by overload is a separate alarm until the reset', () => {
    const line = createFeeder();
    line.feed(0, one);
    line.feed(60, { ...one, 'I.a': 0 }, { trip: 201, position: 0 });
    expect(line.standing()).toEqual(['701/2']);
    line.feed(120, one, { trip: 0 });
    expect(line.standing()).toEqual([]);
  });
  it('the end of a trip at the device does not end another alarm that the device still reports', () => {
    for (const code of [205, 401, 501]) {
      const line = createFeeder();
      line.feed(0, one);
      line.feed(60, { ...one, 'I.a': 0 }, { trip: 301, position: 0 });
      line.event(61, { st: 'raise', code, latched: true });
      line.feed(120, one, { trip: 0 });
      line.feed(600, one, { trip: 0 });
      expect(line.standing()).toContain(`${code}/2`);
      line.event(660, { st: 'clear', code });
      expect(line.standing()).toEqual([]);
    }
  });
  it('the end of a trip at the device ends the device alarm that the trip belongs to', () => {
    const line = createFeeder();
    line.feed(0, one);
    line.event(60, { st: 'raise', code: 501, latched: true });
    line.feed(61, { ...one, 'I.a': 0 }, { trip: 501, position: 0 });
    line.feed(120, one, { trip: 0 });
    expect(line.standing()).toEqual([]);
  });
  it('zero voltage on an open line raises no alarm', () => {
    const line = createFeeder();
    for (let seconds = 0; seconds < 600; seconds += 60)
      line.feed(seconds, { ...one, 'U.a': 0, 'I.a': 0 }, { position: 0 });
    expect(line.changes).toEqual([]);
  });
});

describe('levels and latches', () => {
  it('an early warning becomes an alarm in the same work order, and the level never falls again', () => {
    const line = createFeeder();
    for (let seconds = 0; seconds <= 120; seconds += 60) line.feed(seconds, { ...one, 'I.a': 37 });
    for (let seconds = 180; seconds <= 300; seconds += 60) line.feed(seconds, { ...one, 'I.a': 45 });
    for (let seconds = 360; seconds <= 480; seconds += 60) line.feed(seconds, { ...one, 'I.a': 37 });
    expect(line.standing()).toEqual(['201/2']);
    expect(new Set(line.changes.map((change) => change.alarm)).size).toBe(1);
    expect(line.changes.filter((change) => change.kind !== 'repeated').map((change) => change.kind)).toEqual([
      'raised',
      'escalated',
    ]);
  });
  it('an alarm stays active while the value is within the deadband', () => {
    const line = createFeeder();
    for (let seconds = 0; seconds <= 120; seconds += 60) line.feed(seconds, { ...one, 'I.a': 37 });
    for (let seconds = 180; seconds <= 900; seconds += 60) line.feed(seconds, { ...one, 'I.a': 35 });
    expect(line.standing()).toEqual(['201/1']);
    for (let seconds = 960; seconds <= 1080; seconds += 60) line.feed(seconds, { ...one, 'I.a': 33 });
    expect(line.standing()).toEqual([]);
  });
  it('a latched alarm stays active when the value is normal, and shows that it needs a reset', () => {
    const line = createFeeder();
    line.feed(0, { ...one, IL: 60 });
    for (let seconds = 60; seconds <= 300; seconds += 60) line.feed(seconds, one);
    expect(line.standing()).toEqual(['301/2']);
    expect(line.changes.at(-1)?.alarm.normalAt).not.toBeNull();
  });
  it('three activations within a minute become one chattering alarm', () => {
    const line = createFeeder({ uploadSeconds: 5 });
    let seconds = 0;
    for (let cycle = 0; cycle < 3; cycle++) {
      line.feed(seconds, { ...one, 'U.a': 10 });
      line.feed(seconds + 5, one);
      line.feed(seconds + 10, one);
      seconds += 15;
    }
    const last = line.changes.filter((change) => change.kind === 'raised').at(-1);
    expect(last?.alarm.tags).toEqual(['chattering']);
    expect(line.standing()).toEqual(['109/2']);
  });
});

describe('a device that flaps', () => {
  it('a device that flaps has one alarm, which stays active until the readings have been normal for four times the off-delay', () => {
    const line = createFeeder({ uploadSeconds: 10 });
    const over = { code: 201, lvl: 1 } as const;
    line.feed(0, one);
    for (const [index, at] of [10, 25, 40].entries()) {
      line.event(at, { ...over, eid: `1-${index}`, st: 'raise' });
      line.event(at + 5, { ...over, eid: `1-${index}`, st: 'clear' });
    }
    expect(line.standing()).toEqual(['201/1']);
    expect(line.changes.filter(({ kind }) => kind === 'raised').at(-1)?.alarm.tags).toEqual(['chattering']);
    line.event(55, { ...over, eid: '1-9', st: 'raise' });
    line.event(60, { ...over, eid: '1-9', st: 'clear' });
    expect(line.changes.filter(({ kind }) => kind === 'raised')).toHaveLength(3);
    for (let at = 70; at < 310; at += 10) line.feed(at, one);
    expect(line.standing()).toEqual(['201/1']);
    for (let at = 310; at <= 320; at += 10) line.feed(at, one);
    expect(line.standing()).toEqual([]);
  });
});

describe('late data', () => {
  it('late data never raises and never ends an alarm', () => {
    const line = createFeeder();
    for (let seconds = 0; seconds <= 600; seconds += 60) {
      line.feed(seconds, { ...one, IL: 500, 'U.a': 300 }, { late: true, latest: false });
      line.feed(seconds, { ...one, IL: 500 }, { latest: false });
    }
    expect(line.changes).toEqual([]);
  });
});

describe('switched-off types', () => {
  it('switched-off types raise no alarm', () => {
    const line = createFeeder({}, { enabled: () => false, memory: new AlarmMemory() });
    for (let seconds = 0; seconds <= 300; seconds += 60) line.feed(seconds, { ...one, IL: 60, 'I.a': 50 });
    expect(line.changes).toEqual([]);
  });
});
