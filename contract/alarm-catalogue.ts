/**
 * The alarm types with their numbers: 41 from the domain reference §2.2 (which names GB/T 12325, GB/T 15543,
 * GB 14287, IEC 62606 … for each row) and three for trends (decision 0135). The meaning of a type code never
 * changes; 900 to 999 are reserved for sites.
 */
import { alarmCodes } from './alarm-codes.ts';
import type { DeviceType } from './telemetry.ts';

/** Numbers of the wire field `value_type`. */
export const valueTypes = {
  volt: 1,
  ampere: 2,
  watt: 3,
  milliampere: 4,
  celsius: 5,
  arcs: 6,
  percent: 7,
  kilowattHour: 8,
  hertz: 9,
  state: 10,
  dBm: 11,
  time: 12,
  kelvinPerMinute: 13,
  /** Power factor. */
  ratio: 14,
} as const;
export type ValueType = (typeof valueTypes)[keyof typeof valueTypes];
export const valueUnits: Record<ValueType, string> = {
  1: 'V',
  2: 'A',
  3: 'W',
  4: 'mA',
  5: '°C',
  6: '1/s',
  7: '%',
  8: 'kWh',
  9: 'Hz',
  10: '',
  11: 'dBm',
  12: 's',
  13: 'K/min',
  14: '',
};

/** Stored phase number → letter. */
export const alarmPhases = ['', 'a', 'b', 'c', 'n'] as const;

/**
 * The quantity that a factor multiplies: nothing, nominal voltage, rated current, rated power, the set
 * leakage current, the energy quota.
 */
export type Base = 'one' | 'un' | 'in' | 'pn' | 'set' | 'quota';
/**
 * `factor` × `of`. If the line has the parameter `key`, the limit is parameter × `keyFactor` × `keyOf`
 * instead.
 */
export interface Limit {
  readonly of: Base;
  readonly factor: number;
  readonly key?: string;
  readonly keyOf?: Base;
  readonly keyFactor?: number;
}
type Severity = 1 | 2 | 3 | 4;
export interface AlarmType {
  readonly code: number;
  /** Severity of the alarm (level 2): 1 critical … 4 low. `severityOf` gives that of the early warning. */
  readonly severity: Severity;
  readonly valueType: ValueType;
  readonly unit: string;
  /** From this level on the alarm stays active until a reset; null: never. */
  readonly latched: Limit | 'alarm' | null;
  readonly types: readonly DeviceType[];
  /** One of the 25 types that the domain reference requires first; only a test counts them. */
  readonly core: boolean;
  /**
   * Early warning (level 1) and alarm (level 2); null if the level does not exist or has no limit (yes or
   * no).
   */
  readonly warn: Limit | null;
  readonly alarm: Limit | null;
  /** Whether the value alarms when it rises above its limit or falls below it. */
  readonly side: 'above' | 'below';
  /** A value equal to the limit already counts as beyond it. */
  readonly inclusive?: boolean;
  readonly deadband: Limit;
  /** Seconds; `onKey` is the parameter that replaces the on-delay. `off` null: ends by an event or a reset only. */
  readonly on: number;
  readonly onKey?: string;
  readonly off: number | null;
  /** Raised by the first sample beyond the limit, without a delay. */
  readonly atOnce?: boolean;
  /** Raised only if the installation has switched the type on. */
  readonly offByDefault?: true;
  /** Values that differ for single device types. */
  readonly byType?: Partial<Record<DeviceType, { alarm?: Limit; on?: number }>>;
}

const abs = (factor: number, key?: string, keyFactor = 1): Limit =>
  key === undefined ? { of: 'one', factor } : { of: 'one', factor, key, keyFactor };
const of = (base: Base, factor: number): Limit => ({ of: base, factor });
/** A share of `base`, replaced by a parameter in the limit's own unit. */
const share = (base: Base, factor: number, key: string, keyFactor = 1): Limit => ({
  of: base,
  factor,
  key,
  keyFactor,
});
/** A share of rated current, replaced by a parameter in per cent of it. */
const shareOfIn = (factor: number, key: string, keyFactor = 0.01): Limit => ({
  of: 'in',
  factor,
  key,
  keyOf: 'in',
  keyFactor,
});

const all: readonly DeviceType[] = [1, 2, 3, 4, 5, 6, 7];
const none = abs(0);

type Given = Partial<AlarmType> & Pick<AlarmType, 'severity' | 'valueType' | 'types' | 'on' | 'off'>;
const type = (code: number, given: Given): AlarmType => ({
  code,
  unit: valueUnits[given.valueType],
  latched: null,
  core: false,
  warn: null,
  alarm: null,
  side: 'above',
  deadband: none,
  ...given,
});
const {
  volt,
  ampere,
  watt,
  milliampere,
  celsius,
  arcs,
  percent,
  kilowattHour,
  hertz,
  state,
  dBm,
  time,
  kelvinPerMinute,
  ratio,
} = valueTypes;

export const alarmCatalogue: readonly AlarmType[] = [
  type(101, {
    core: true,
    severity: 2,
    valueType: volt,
    types: all,
    on: 10,
    off: 30,
    onKey: 'ov_t',
    warn: share('un', 1.07, 'ov_w'),
    alarm: share('un', 1.2, 'ov_a'),
    deadband: share('un', 0.02, 'ov_d'),
  }),
  type(102, {
    core: true,
    severity: 2,
    valueType: volt,
    types: all,
    on: 10,
    off: 30,
    onKey: 'uv_t',
    side: 'below',
    warn: share('un', 0.9, 'uv_w'),
    alarm: share('un', 0.8, 'uv_a'),
    deadband: share('un', 0.02, 'uv_d'),
  }),
  type(103, {
    core: true,
    severity: 2,
    atOnce: true,
    valueType: volt,
    types: [2, 4, 6, 7],
    on: 2,
    off: 10,
    side: 'below',
    alarm: of('un', 0.6),
    deadband: of('un', 0.05),
  }),
  type(104, {
    core: true,
    severity: 1,
    valueType: volt,
    types: [2, 4, 6, 7],
    on: 1,
    off: 10,
    warn: of('un', 0.1),
    alarm: of('un', 0.2),
    deadband: of('un', 0.03),
  }),
  type(105, {
    core: true,
    severity: 3,
    valueType: percent,
    types: [2, 4, 6],
    on: 600,
    off: 600,
    warn: abs(2, 'unb_u', 0.5),
    alarm: abs(4, 'unb_u'),
    deadband: abs(0.5),
  }),
  type(106, {
    severity: 3,
    valueType: hertz,
    types: all,
    on: 60,
    off: 60,
    warn: abs(0.2),
    alarm: abs(0.5),
    deadband: abs(0.05),
  }),
  type(107, {
    severity: 3,
    valueType: volt,
    types: [1, 2, 4],
    on: 0,
    off: null,
    side: 'below',
    alarm: of('un', 0.9),
    deadband: of('un', 0.02),
  }),
  type(108, {
    severity: 3,
    valueType: volt,
    types: [1, 2, 4],
    on: 0,
    off: null,
    alarm: of('un', 1.1),
    deadband: of('un', 0.02),
  }),
  // The last gasp of a device without supply: no second sample will follow.
  type(109, {
    core: true,
    severity: 2,
    valueType: volt,
    types: all,
    on: 1,
    off: 5,
    atOnce: true,
    side: 'below',
    alarm: of('un', 0.1),
    deadband: of('un', 0.1),
  }),
  type(110, { severity: 3, valueType: state, types: [2, 4, 6], on: 5, off: 5 }),
  type(201, {
    core: true,
    severity: 2,
    valueType: ampere,
    types: all,
    on: 60,
    off: 60,
    onKey: 'oc_t',
    warn: shareOfIn(0.9, 'oc_w'),
    alarm: shareOfIn(1.1, 'oc_a'),
    deadband: shareOfIn(0.05, 'oc_d'),
    byType: { 7: { alarm: shareOfIn(1.2, 'oc_a'), on: 3 } },
  }),
  type(202, {
    core: true,
    severity: 3,
    valueType: watt,
    types: [3, 4],
    on: 60,
    off: 60,
    onKey: 'op_t',
    warn: share('pn', 0.9, 'op_w'),
    alarm: share('pn', 1.1, 'op_a'),
    deadband: share('pn', 0.05, 'op_d'),
  }),
  type(203, {
    core: true,
    severity: 4,
    valueType: percent,
    types: [2, 4, 6],
    on: 600,
    off: 300,
    warn: abs(50, 'unb_i', 0.625),
    alarm: abs(80, 'unb_i'),
    deadband: abs(5),
  }),
  type(204, {
    core: true,
    severity: 2,
    valueType: ampere,
    types: [2, 4, 7],
    on: 60,
    off: 60,
    warn: shareOfIn(0.6, 'in_n', 0.0075),
    alarm: shareOfIn(0.8, 'in_n'),
    deadband: of('in', 0.05),
    latched: of('in', 1.2),
  }),
  type(205, {
    core: true,
    severity: 2,
    valueType: ampere,
    types: [3, 4, 7],
    on: 0,
    off: null,
    alarm: of('in', 5),
    latched: 'alarm',
  }),
  type(206, {
    severity: 4,
    valueType: ratio,
    types: [2, 4],
    on: 900,
    off: 900,
    side: 'below',
    warn: abs(0.9, 'pf_min', 0.9 / 0.85),
    alarm: abs(0.85, 'pf_min'),
    deadband: abs(0.02),
  }),
  type(207, { severity: 3, valueType: watt, types: [3], on: 5, off: 60 }),
  type(208, {
    core: true,
    severity: 4,
    valueType: kilowattHour,
    types: [3, 4],
    inclusive: true,
    on: 0,
    off: null,
    warn: of('quota', 0.9),
    alarm: of('quota', 1),
  }),
  type(301, {
    core: true,
    severity: 1,
    valueType: milliampere,
    types: all,
    on: 5,
    off: 30,
    onKey: 'il_t',
    warn: share('set', 0.5, 'il_w'),
    alarm: share('set', 1, 'il_a'),
    deadband: share('set', 0.1, 'il_d'),
    latched: 'alarm',
  }),
  type(302, {
    core: true,
    severity: 2,
    valueType: milliampere,
    types: all,
    on: 5,
    off: 300,
    alarm: abs(30),
  }),
  type(303, { severity: 2, valueType: state, types: [3, 4], on: 0, off: null }),
  // Days until leakage reaches its limit at the rate of the last weeks.
  type(304, {
    offByDefault: true,
    severity: 2,
    valueType: time,
    unit: 'd',
    types: all,
    on: 0,
    off: 0,
    side: 'below',
    warn: abs(30, 'ilt_w'),
    deadband: abs(15),
  }),
  type(401, {
    core: true,
    severity: 1,
    valueType: celsius,
    types: all,
    on: 30,
    off: 60,
    warn: abs(60, 'tl_w'),
    alarm: abs(70, 'tl_a'),
    deadband: abs(5, 'tl_d'),
    latched: 'alarm',
  }),
  type(402, {
    core: true,
    severity: 1,
    valueType: celsius,
    types: [1, 2, 3, 4, 7],
    on: 30,
    off: 60,
    warn: abs(70, 'tm_w'),
    alarm: abs(80, 'tm_a'),
    deadband: abs(5, 'tm_d'),
    latched: 'alarm',
  }),
  type(403, {
    core: true,
    severity: 3,
    valueType: celsius,
    types: all,
    on: 60,
    off: 60,
    warn: abs(55, 'tc_w'),
    alarm: abs(65, 'tc_a'),
    deadband: abs(3, 'tc_d'),
  }),
  type(404, {
    core: true,
    severity: 2,
    valueType: kelvinPerMinute,
    types: all,
    on: 120,
    off: 120,
    warn: abs(3, 'dT', 0.6),
    alarm: abs(5, 'dT'),
    deadband: abs(1),
  }),
  // Rise of the terminal temperature at the rated current, compared with weeks ago.
  type(405, {
    offByDefault: true,
    severity: 2,
    valueType: percent,
    types: all,
    inclusive: true,
    on: 0,
    off: 0,
    warn: abs(30, 'tmt_w'),
    deadband: abs(10),
  }),
  type(501, {
    core: true,
    severity: 1,
    valueType: arcs,
    types: [5, 6, 7],
    inclusive: true,
    on: 0,
    off: null,
    warn: abs(10),
    alarm: abs(14, 'arc_n'),
    latched: 'alarm',
  }),
  type(502, {
    core: true,
    severity: 1,
    valueType: arcs,
    // Half-cycles with arcs within half a second.
    unit: '1/0.5 s',
    types: [5, 6, 7],
    inclusive: true,
    on: 0,
    off: null,
    alarm: abs(8),
    latched: 'alarm',
  }),
  type(503, { severity: 2, valueType: state, types: [5, 6], on: 0, off: null }),
  // Arcs of the last day, when they become more frequent.
  type(504, {
    offByDefault: true,
    severity: 2,
    valueType: arcs,
    unit: '1/d',
    types: [5, 6, 7],
    inclusive: true,
    on: 0,
    off: 0,
    warn: abs(10, 'arct_w'),
    deadband: abs(5),
  }),
  type(601, {
    severity: 3,
    valueType: percent,
    types: [1, 2],
    on: 600,
    off: 600,
    warn: abs(5, 'thdu', 0.625),
    alarm: abs(8, 'thdu'),
    deadband: abs(0.5),
  }),
  type(602, {
    core: true,
    severity: 3,
    valueType: percent,
    types: [1, 2],
    on: 600,
    off: 600,
    warn: abs(30, 'thdi', 0.6),
    alarm: abs(50, 'thdi'),
    deadband: abs(3),
  }),
  type(603, {
    severity: 3,
    valueType: percent,
    types: [1, 2],
    on: 1800,
    off: 600,
    side: 'below',
    warn: abs(50),
    alarm: abs(30),
    deadband: abs(5),
  }),
  type(701, {
    core: true,
    severity: 2,
    valueType: state,
    types: [3, 4, 7],
    on: 0,
    off: null,
    latched: 'alarm',
  }),
  type(702, { severity: 2, valueType: state, types: [3, 4], on: 0, off: null, latched: 'alarm' }),
  type(703, { core: true, severity: 2, valueType: state, types: [3, 4, 7], on: 15, off: null }),
  type(704, { severity: 2, valueType: state, types: [3, 4, 7], on: 2, off: null }),
  type(801, { core: true, severity: 3, valueType: state, types: all, on: 180, off: 0 }),
  type(802, {
    severity: 4,
    valueType: dBm,
    types: all,
    on: 900,
    off: 900,
    side: 'below',
    warn: abs(-100),
    alarm: abs(-110),
    deadband: abs(3),
  }),
  type(803, {
    severity: 4,
    valueType: time,
    types: all,
    on: 300,
    off: 60,
    warn: abs(5),
    alarm: abs(60),
  }),
  type(804, { core: true, severity: 2, valueType: state, types: all, on: 0, off: null }),
  type(805, { severity: 2, valueType: state, types: all, on: 10, off: 60 }),
  type(806, {
    severity: 4,
    valueType: time,
    unit: 'd',
    types: all,
    on: 0,
    off: null,
    side: 'below',
    warn: abs(30),
    alarm: abs(7),
  }),
];

/** Parameters that replace the limits, the deadband and the delay of a type. */
export const judgedKeysOf = (entry: AlarmType): readonly string[] => [
  ...new Set(
    [entry.warn, entry.alarm, entry.deadband]
      .map((limit) => limit?.key)
      .concat(entry.onKey)
      .filter((key) => key !== undefined),
  ),
];
/** The parameters of a device type that can be set for many devices at once. */
export const thresholdKeysOf = (deviceType: DeviceType): readonly string[] => [
  ...new Set(alarmCatalogue.filter((entry) => entry.types.includes(deviceType)).flatMap(judgedKeysOf)),
];

/**
 * The value of a parameter that equals the catalogue's own numbers on a line with these ratings. Undefined if
 * no type of the catalogue uses the parameter, or if it depends on an unknown rating (NaN).
 */
export const catalogueValue = (key: string, deviceType: DeviceType, ratings: Ratings): number | undefined => {
  if (key === 'un') return known(ratings.nominalVoltage);
  if (key === 'in') return known(ratings.ratedCurrent);
  for (const entry of alarmCatalogue) {
    if (!entry.types.includes(deviceType)) continue;
    const special = entry.byType?.[deviceType];
    if (entry.onKey === key) return special?.on ?? entry.on;
    const limit = [special?.alarm ?? entry.alarm, entry.warn, entry.deadband].find(
      (each) => each?.key === key,
    );
    if (limit) return known(inParameter(limit, ratings));
  }
  return undefined;
};
/** The value in effect on a line: its own, one set for many lines, or the catalogue's. */
export const effectiveValue = (key: string, line: Parameters<typeof ratingsOf>[0]): number | undefined =>
  line.thresholds[key] ?? catalogueValue(key, line.type, ratingsOf(line));
const known = (value: number): number | undefined => (Number.isFinite(value) ? value : undefined);
const inParameter = (limit: Limit, ratings: Ratings): number => {
  const share = limit.factor / (limit.keyFactor ?? 1);
  const keyOf = limit.keyOf ?? 'one';
  return keyOf === limit.of ? share : (share * baseOf(limit.of, ratings)) / baseOf(keyOf, ratings);
};

const byCode = new Map(alarmCatalogue.map((entry) => [entry.code, entry]));
/** The type of a code; a site's own code (900 to 999) is a yes or no of severity 3. Undefined for unknown codes. */
export const alarmTypeOf = (code: number): AlarmType | undefined =>
  byCode.get(code) ??
  (Number.isInteger(code) && code >= 900 && code <= 999
    ? type(code, { severity: 3, valueType: state, types: all, on: 0, off: null })
    : undefined);

/**
 * Severity by type and level. Critical are only alarms that need action within minutes: a danger of fire or
 * electric shock, or a lost neutral, that nothing has disconnected. An early warning is one step lower than
 * its alarm.
 */
export const severityOf = (code: number, level: 1 | 2): Severity => {
  const severity = alarmTypeOf(code)?.severity ?? 3;
  return level === 2 || severity === 4 ? severity : ((severity + 1) as Severity);
};

/** Ratings from which the limits of a line are derived. */
export interface Ratings {
  readonly nominalVoltage: number;
  readonly ratedCurrent: number;
  readonly threePhase: boolean;
  /** Overrides by parameter key (domain reference §1.3); 0 switches the limit off. */
  readonly thresholds: Readonly<Record<string, number>>;
}
const threePhaseTypes: readonly DeviceType[] = [2, 4, 6, 7];
/** Line-to-neutral voltage, V, if the project does not set another. */
export const usualNominalVoltage = 220;
/** Rated current, A, of a line that does not report one. */
export const usualRatedCurrent = (type: DeviceType): number => (threePhaseTypes.includes(type) ? 63 : 40);
/** Ratings of a line. */
export const ratingsOf = (line: {
  type: DeviceType;
  nominalVoltage: number;
  ratedCurrent: number | null;
  thresholds: Readonly<Record<string, number>>;
}): Ratings => {
  const threePhase = threePhaseTypes.includes(line.type);
  return {
    nominalVoltage: line.thresholds['un'] ?? line.nominalVoltage,
    ratedCurrent: line.thresholds['in'] ?? line.ratedCurrent ?? usualRatedCurrent(line.type),
    threePhase,
    thresholds: line.thresholds,
  };
};

/**
 * Set leakage current, mA: single-phase types protect final circuits (30), three-phase types protect feeders
 * (300).
 */
const setLeakage = (ratings: Ratings) => ratings.thresholds['il_a'] || (ratings.threePhase ? 300 : 30);
/** Value of a base; NaN if the line has no quota. */
export const baseOf = (base: Base, ratings: Ratings): number => {
  switch (base) {
    case 'one':
      return 1;
    case 'un':
      return ratings.nominalVoltage;
    case 'in':
      return ratings.ratedCurrent;
    case 'pn':
      return ratings.nominalVoltage * ratings.ratedCurrent * (ratings.threePhase ? 3 : 1);
    case 'set':
      return setLeakage(ratings);
    case 'quota':
      return ratings.thresholds['quota_kwh'] || Number.NaN;
  }
};

/** Alarms of level 2 that forbid closing their own line (domain reference §4.2). */
export const lineInterlockCodes: readonly number[] = [
  alarmCodes.shortCircuit,
  alarmCodes.leakage,
  alarmCodes.cableTemperature,
  alarmCodes.coreTemperature,
  alarmCodes.seriesArc,
  alarmCodes.parallelArc,
];
/** Alarms of level 2 that mean a bad supply: phase loss, neutral loss, outage. */
export const supplyInterlockCodes: readonly number[] = [
  alarmCodes.phaseLoss,
  alarmCodes.neutralLoss,
  alarmCodes.outage,
];
export const interlockCodes: ReadonlySet<number> = new Set([...lineInterlockCodes, ...supplyInterlockCodes]);

/** A limit of the catalogue, without the line's parameter. */
export const defaultOf = (limit: Limit | null, ratings: Ratings): number =>
  limit === null ? Number.NaN : limit.factor * baseOf(limit.of, ratings);

/**
 * Early and alarm limit of a type on a line of that device type, in the type's unit; NaN if there is none.
 */
export const levelsOf = (type: AlarmType, device: DeviceType, ratings: Ratings) => ({
  early: limitOf(type.warn, ratings),
  alarm: limitOf(type.byType?.[device]?.alarm ?? type.alarm, ratings),
});

/** A limit of a line in the alarm's own unit; NaN when it is switched off. */
export const limitOf = (limit: Limit | null, ratings: Ratings): number => {
  if (limit === null) return Number.NaN;
  const given = limit.key === undefined ? undefined : ratings.thresholds[limit.key];
  if (given === 0) return Number.NaN;
  return given === undefined
    ? limit.factor * baseOf(limit.of, ratings)
    : given * (limit.keyFactor ?? 1) * baseOf(limit.keyOf ?? 'one', ratings);
};
