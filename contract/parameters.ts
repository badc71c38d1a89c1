import { alarmCodes } from './alarm-codes.ts';
import { type DeviceType, deviceTypes, switchingTypes } from './telemetry.ts';

export type ParameterValue = number | string;
/** Ratings from which a default is derived: V line to neutral, A. */
export interface Rating {
  readonly type: DeviceType;
  readonly nominalVoltage: number;
  readonly ratedCurrent: number;
  readonly poles: number;
}
/** What a limit does when it is exceeded. */
export type ParameterRole = 'rating' | 'warn' | 'alarm' | 'trip' | 'delay' | 'deadband' | 'report' | 'other';
/**
 * A parameter stored on the device, for one line or the whole device; or one that only the server knows
 * (`server`), for a line. `step`: the grid of its values. `zeroIsOff`: 0 switches the function off although
 * it is below `min`. `share`: also shown as a percentage of that rating. `choices`: the only values, instead
 * of a range.
 */
export interface Parameter {
  readonly key: string;
  readonly of: 'line' | 'device' | 'server';
  readonly role: ParameterRole;
  readonly unit: string;
  readonly types: readonly DeviceType[];
  readonly min: number;
  readonly max: number;
  readonly step: number;
  readonly zeroIsOff?: true;
  readonly choices?: readonly ParameterValue[];
  readonly share?: 'un';
  /** The effect of a change in the direction of `weaker` on the line's safety; see contract/hazards.ts. */
  readonly hazard: 'weakens' | 'closes';
  readonly weaker: 'higher' | 'lower' | 'any';
  fallback(rating: Rating): ParameterValue;
}

const switches: readonly DeviceType[] = [3, 4];
const filters: readonly DeviceType[] = [1, 2];
const arcs: readonly DeviceType[] = [5, 6, 7];
const unbalanced: readonly DeviceType[] = [2, 4, 6];
const withTerminals: readonly DeviceType[] = [1, 2, 3, 4, 7];

const ratedCurrents = [6, 10, 16, 20, 25, 32, 40, 50, 63, 80, 100, 125, 160, 200, 250, 315, 400, 500, 630];
/** The smallest standard rating, A, that carries a current; the largest if none does. */
export const ratingFor = (amperes: number): number =>
  ratedCurrents.find((rating) => rating >= amperes) ?? 630;
const leastLeakage = [0, 30, 100, 300, 500];
const curves = ['dt', 'iec_vi', 'iec_ei'];

type Fallback = Parameter['fallback'] | ParameterValue;
type Extra = Partial<
  Pick<Parameter, 'types' | 'step' | 'zeroIsOff' | 'choices' | 'share' | 'of' | 'hazard' | 'weaker'>
>;
const parameter = (
  key: string,
  role: ParameterRole,
  unit: string,
  [min, max]: readonly [number, number],
  fallback: Fallback,
  extra: Extra = {},
): Parameter => ({
  key,
  of: 'line',
  role,
  unit,
  types: deviceTypes,
  min,
  max,
  step: 1,
  hazard: 'weakens',
  weaker: 'higher',
  ...extra,
  fallback: typeof fallback === 'function' ? fallback : () => fallback,
});
const onDevice = { of: 'device' } as const;
const offAtZero = { zeroIsOff: true } as const;
const tenths = { step: 0.1 } as const;
const ofNominal = { share: 'un' } as const;
const lowerIsWeaker = { weaker: 'lower' } as const;
const anyIsWeaker = { weaker: 'any' } as const;
const closes = { hazard: 'closes' } as const;

const nominal = (share: number) => (rating: Rating) => Math.round(rating.nominalVoltage * share);
const ratedPower = (share: number) => (rating: Rating) =>
  Math.round((rating.poles >= 3 ? 3 : 1) * rating.nominalVoltage * rating.ratedCurrent * share);
/** A three-phase line counts as a feeder, a single-phase line as a final circuit. */
const leakage = (final: number, feeder: number) => (rating: Rating) => (rating.poles >= 3 ? feeder : final);
const limiter = (other: ParameterValue, limiting: ParameterValue) => (rating: Rating) =>
  rating.type === 7 ? limiting : other;

/** Source: domain reference §1.3. */
export const parameters: readonly Parameter[] = [
  parameter('un', 'rating', 'V', [110, 277], (rating) => rating.nominalVoltage, {
    ...onDevice,
    ...anyIsWeaker,
  }),
  parameter('tele_s', 'report', 's', [5, 3600], 60, onDevice),
  parameter('rbe', 'report', '%', [0, 50], 5, onDevice),
  parameter('hb_s', 'report', 's', [30, 1800], 60, onDevice),
  parameter('ar_n', 'other', '', [1, 5], 3, { ...onDevice, ...closes, types: switches }),
  parameter('ar_t', 'delay', 's', [60, 3600], 60, {
    ...onDevice,
    ...closes,
    ...lowerIsWeaker,
    types: switches,
  }),
  parameter('in', 'rating', 'A', [6, 630], (rating) => rating.ratedCurrent, { choices: ratedCurrents }),
  parameter('ov_w', 'warn', 'V', [110, 300], nominal(1.07), ofNominal),
  parameter('ov_a', 'alarm', 'V', [120, 320], nominal(1.2), ofNominal),
  parameter('ov_t', 'delay', 's', [0.1, 60], 5, tenths),
  parameter('ov_trip', 'trip', 'V', [130, 350], nominal(1.25), {
    ...ofNominal,
    ...offAtZero,
    types: switchingTypes,
  }),
  parameter('uv_w', 'warn', 'V', [80, 260], nominal(0.9), { ...ofNominal, ...lowerIsWeaker }),
  parameter('uv_a', 'alarm', 'V', [70, 250], nominal(0.8), { ...ofNominal, ...lowerIsWeaker }),
  parameter('uv_t', 'delay', 's', [0.1, 60], 5, tenths),
  parameter('uv_trip', 'trip', 'V', [60, 240], nominal(0.727), {
    ...ofNominal,
    ...lowerIsWeaker,
    ...offAtZero,
    types: switches,
  }),
  parameter('oc_w', 'warn', '%', [50, 120], limiter(90, 100)),
  parameter('oc_a', 'alarm', '%', [80, 150], limiter(110, 120)),
  parameter('oc_t', 'delay', 's', [1, 600], limiter(60, 3)),
  parameter('oc_trip', 'trip', '%', [100, 300], 120, { types: switchingTypes }),
  parameter('oc_curve', 'other', '', [0, 0], limiter('iec_vi', 'dt'), {
    ...anyIsWeaker,
    types: switchingTypes,
    choices: curves,
  }),
  parameter('op_w', 'warn', 'W', [0, 600_000], ratedPower(0.9), { ...offAtZero, types: switches }),
  parameter('op_a', 'alarm', 'W', [0, 600_000], ratedPower(1.1), { ...offAtZero, types: switches }),
  parameter('op_t', 'delay', 's', [1, 600], 10, { types: switches }),
  parameter('il_w', 'warn', 'mA', [10, 1000], leakage(15, 150)),
  parameter('il_a', 'alarm', 'mA', [20, 1000], leakage(30, 300)),
  parameter('il_t', 'delay', 's', [0.1, 30], 5, tenths),
  parameter('il_trip', 'trip', 'mA', [0, 500], (rating) => (rating.type === 3 ? 30 : 0), {
    ...offAtZero,
    types: switches,
    choices: leastLeakage,
  }),
  parameter('tl_w', 'warn', '°C', [40, 130], 60),
  parameter('tl_a', 'alarm', '°C', [45, 140], 70),
  parameter('tm_w', 'warn', '°C', [45, 140], 70, { types: withTerminals }),
  parameter('tm_a', 'alarm', '°C', [45, 140], 80, { types: withTerminals }),
  parameter('tm_trip', 'trip', '°C', [45, 140], 90, { types: withTerminals }),
  parameter('tc_w', 'warn', '°C', [40, 110], 55),
  parameter('tc_a', 'alarm', '°C', [40, 110], 65),
  parameter('dT', 'alarm', 'K/min', [1, 20], 5),
  parameter('arc_n', 'alarm', '1/s', [10, 30], 14, { types: arcs }),
  parameter('unb_u', 'alarm', '%', [1, 20], 4, { types: unbalanced }),
  parameter('unb_i', 'alarm', '%', [10, 100], 80, { types: unbalanced }),
  parameter('in_n', 'alarm', '%', [30, 200], 80, { types: unbalanced }),
  parameter('thdu', 'alarm', '%', [1, 30], 8, { types: filters }),
  parameter('thdi', 'alarm', '%', [5, 200], 50, { types: filters }),
  parameter('pf_min', 'alarm', '', [0.5, 0.99], 0.85, {
    ...offAtZero,
    ...lowerIsWeaker,
    types: [2, 4],
    step: 0.01,
  }),
  parameter('quota_kwh', 'alarm', 'kWh', [0, 99_999], 0, { ...offAtZero, ...closes, types: switches }),
];
const ofServer = { of: 'server', zeroIsOff: true } as const;
/** With a smaller deadband an alarm and its interlock end closer to the limit, so lower is weaker. */
const deadband = { of: 'server', ...lowerIsWeaker } as const;
/** Limits of trends, and deadbands: only the server uses them. */
export const serverParameters: readonly Parameter[] = [
  parameter('ov_d', 'deadband', 'V', [0.5, 12], nominal(0.02), { ...deadband, step: 0.5 }),
  parameter('uv_d', 'deadband', 'V', [0.5, 12], nominal(0.02), { ...deadband, step: 0.5 }),
  parameter('oc_d', 'deadband', '%', [1, 30], 5, deadband),
  parameter('op_d', 'deadband', 'W', [1, 100_000], ratedPower(0.05), { ...deadband, types: switches }),
  parameter('il_d', 'deadband', 'mA', [1, 100], leakage(3, 30), deadband),
  parameter('tl_d', 'deadband', '°C', [1, 20], 5, deadband),
  parameter('tm_d', 'deadband', '°C', [1, 20], 5, { ...deadband, types: withTerminals }),
  parameter('tc_d', 'deadband', '°C', [1, 20], 3, deadband),
  parameter('ilt_w', 'warn', 'd', [1, 365], 30, { ...ofServer, ...lowerIsWeaker }),
  parameter('tmt_w', 'warn', '%', [10, 300], 30, ofServer),
  parameter('arct_w', 'warn', '1/d', [1, 1000], 10, { ...ofServer, types: arcs }),
];
const byKey = new Map([...parameters, ...serverParameters].map((each) => [each.key, each]));
export const parameterOf = (key: string): Parameter | undefined => byKey.get(key);
export const parametersOf = (type: DeviceType, of: Parameter['of']): readonly Parameter[] =>
  parameters.filter((each) => each.of === of && each.types.includes(type));

/** Pairs whose first value must not exceed the second; a 0 that means 'off' is not compared. */
export const orderedPairs: readonly (readonly [low: string, high: string])[] = [
  ['ov_w', 'ov_a'],
  ['uv_a', 'uv_w'],
  ['oc_w', 'oc_a'],
  ['op_w', 'op_a'],
  ['il_w', 'il_a'],
  ['tl_w', 'tl_a'],
  ['tm_w', 'tm_a'],
  ['tc_w', 'tc_a'],
  // With a deadband below zero the alarm would never end.
  ['oc_d', 'oc_w'],
  ['op_d', 'op_w'],
  ['il_d', 'il_w'],
];
/** The pairs whose order these values violate. */
export const brokenPairs = (
  values: Readonly<Record<string, unknown>>,
): readonly (readonly [string, string])[] =>
  orderedPairs.filter(([low, high]) => {
    const [a, b] = [values[low], values[high]];
    if (typeof a !== 'number' || typeof b !== 'number') return false;
    const off = (key: string, value: number) => value === 0 && parameterOf(key)?.zeroIsOff === true;
    return !off(low, a) && !off(high, b) && a > b;
  });
/** The fault for such a pair. */
export const orderFaultOf = (low: string): 'setting.deadband' | 'setting.order' =>
  parameterOf(low)?.role === 'deadband' ? 'setting.deadband' : 'setting.order';
/** The first violated pair, or null. */
export const brokenPair = (values: Readonly<Record<string, unknown>>): readonly [string, string] | null =>
  brokenPairs(values)[0] ?? null;

/** Whether a number is in this parameter's range, on or off the grid of steps. */
export const isWithin = ({ min, max, zeroIsOff }: Parameter, value: number): boolean =>
  (value >= min && value <= max) || (value === 0 && zeroIsOff === true);

type ParameterFlaw = 'unknown' | 'notForType' | 'choice' | 'number' | 'range' | 'step';
/** The fault of a value for this key on a device of this type; null: none. */
export const flawOf = (key: string, value: unknown, type: DeviceType): ParameterFlaw | null => {
  const known = byKey.get(key);
  if (!known) return 'unknown';
  if (!known.types.includes(type)) return 'notForType';
  if (known.choices) return known.choices.includes(value as ParameterValue) ? null : 'choice';
  if (typeof value !== 'number' || !Number.isFinite(value)) return 'number';
  if (value === 0 && known.zeroIsOff) return null;
  if (!isWithin(known, value)) return 'range';
  const steps = value / known.step;
  return Math.abs(steps - Math.round(steps)) > 1e-6 ? 'step' : null;
};

/** Function enables. Source: domain reference §1.4. */
interface Enable {
  readonly key: string;
  readonly fallback: boolean;
  readonly types: readonly DeviceType[];
  /** Changed at the device only, never remotely. */
  readonly readOnly?: true;
  /** The effect of `hazardousValue` on the safety of the lines; see contract/hazards.ts. */
  readonly hazard?: 'weakens' | 'closes';
  readonly hazardousValue?: boolean;
  /** The alarm type whose trip it enables. */
  readonly trips?: number;
}
const enable = (
  key: string,
  fallback: boolean,
  types: readonly DeviceType[],
  extra: Pick<Enable, 'readOnly' | 'hazard' | 'hazardousValue' | 'trips'> = {},
): Enable => ({ key, fallback, types, ...extra });
const closesWhenOn = { hazard: 'closes', hazardousValue: true } as const;
const weakensWhenOff = { hazard: 'weakens', hazardousValue: false } as const;
const protects = (trips: number) => ({ ...weakensWhenOff, trips });
export const enables: readonly Enable[] = [
  // Remote control also permits opening; every close has its own checks.
  enable('net_ctrl', true, deviceTypes),
  enable('local_lock', false, switchingTypes, { readOnly: true }),
  enable('auto_reclose', false, switches, closesWhenOn),
  enable('prot_ov', true, switchingTypes, protects(alarmCodes.overvoltage)),
  enable('prot_uv', true, switches, protects(alarmCodes.undervoltage)),
  enable('prot_oc', true, switchingTypes, protects(alarmCodes.overcurrent)),
  enable('prot_op', true, switches, protects(alarmCodes.overpower)),
  enable('prot_il', true, switches, protects(alarmCodes.leakage)),
  enable('prot_t', true, switchingTypes, protects(alarmCodes.coreTemperature)),
  enable('prot_arc', true, [7], protects(alarmCodes.seriesArc)),
  enable('prot_pl', true, [4, 7], protects(alarmCodes.phaseLoss)),
  enable('buzzer', true, deviceTypes, weakensWhenOff),
  enable('led', true, deviceTypes),
  enable('timer_en', true, switchingTypes, closesWhenOn),
  // A line that its quota opened may close when the quota is switched off.
  enable('quota_en', false, switches, {
    ...{ hazard: 'closes', hazardousValue: false },
    trips: alarmCodes.energyQuota,
  }),
];
const enableByKey = new Map(enables.map((each) => [each.key, each]));
export const enableOf = (key: string): Enable | undefined => enableByKey.get(key);
export const enablesOf = (type: DeviceType): readonly Enable[] =>
  enables.filter((each) => each.types.includes(type));
