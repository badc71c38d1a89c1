import type { DeviceType, Phase } from '#contract/telemetry.ts';
import { arcEventHalfCycles, parallelArcHalfCycles } from './physics/arcs.ts';
import { unbalancePercent } from './physics/electrical.ts';
import type { LineReadings } from './physics/line.ts';

/** Input of the device's own rules: one line at one instant. */
export interface View {
  type: DeviceType;
  closed: boolean;
  readings: LineReadings;
  parameter(key: string): number;
  nominal: number;
  rated: number;
  watts: number;
  /** mA above the value of one minute ago. */
  leakRise: number;
  /** Leakage of one minute ago, mA. */
  leakBefore: number;
  /** K/min of the hottest terminal. */
  heatRate: number;
  /** Seconds with an arc in the last hour. */
  arcsInHour: number;
  /** W of a resistive load that was switched on at once, while it is on. */
  heaterWatts: number;
  /** kWh in the period of the quota; null without a quota. */
  quotaUsed: number | null;
  trip: number;
  recloseLocked: boolean;
  selftestFailed: number;
  dip: { factor: number } | null;
  hertz: number;
  reversedSequence: boolean;
  rssi: number;
  internalFault: boolean;
  sensorBroken: boolean;
  outage: boolean;
  phaseLost: boolean;
  neutralBroken: boolean;
}
export interface Rule {
  code: number;
  types: readonly DeviceType[];
  scope: 'line' | 'device';
  unit: string;
  perPhase?: true;
  below?: true;
  latched?: true;
  /** Null: the rule is not evaluated now; an active alarm stays active unless the rule reports its end. */
  value(view: View, phase: number): number | null;
  warn?(view: View): number;
  alarm(view: View): number;
  deadband?(view: View): number;
  on(view: View): number;
  off: number;
}
const all: readonly DeviceType[] = [1, 2, 3, 4, 5, 6, 7];
const threePhase: readonly DeviceType[] = [2, 4, 6, 7];
const max = Math.max;
const spread = (view: View) =>
  ((max(...view.readings.volts) - Math.min(...view.readings.volts)) / view.nominal) * 100;
const loadRatio = (view: View) => max(...view.readings.main.current) / view.rated;
const unset = Number.POSITIVE_INFINITY;
const orOff = (limit: number) => (limit > 0 ? limit : unset);
/** Type 7 also evaluates its neutral conductor, with a fixed limit. */
const neutralShare = (view: View): number => (view.type === 7 ? 80 : view.parameter('in_n')) / 100;
const seconds = (value: number) => () => value;
const flag = (code: number, types: readonly DeviceType[], isOn: (view: View) => boolean): Rule => ({
  code,
  types,
  scope: 'line',
  unit: '',
  value: (view) => (isOn(view) ? 1 : 0),
  alarm: () => 0.5,
  on: seconds(0),
  off: 0,
});

/** Rules that a device evaluates itself, with limits from its parameters. Source: domain reference §2.2. */
export const rules: readonly Rule[] = [
  {
    code: 101,
    types: all,
    scope: 'line',
    unit: 'V',
    perPhase: true,
    value: (view, k) => (view.outage || view.neutralBroken ? null : view.readings.volts[k]!),
    warn: (view) => view.parameter('ov_w'),
    alarm: (view) => view.parameter('ov_a'),
    deadband: (view) => view.nominal * 0.02,
    on: (view) => view.parameter('ov_t'),
    off: 30,
  },
  {
    code: 102,
    types: all,
    scope: 'line',
    unit: 'V',
    perPhase: true,
    below: true,
    value: (view, k) =>
      view.outage || view.phaseLost || view.neutralBroken ? null : view.readings.volts[k]!,
    warn: (view) => view.parameter('uv_w'),
    alarm: (view) => view.parameter('uv_a'),
    deadband: (view) => view.nominal * 0.02,
    on: (view) => view.parameter('uv_t'),
    off: 30,
  },
  {
    code: 103,
    types: threePhase,
    scope: 'line',
    unit: 'V',
    perPhase: true,
    below: true,
    value: (view, k) =>
      view.outage
        ? null
        : max(...view.readings.volts) > view.nominal * 0.85
          ? view.readings.volts[k]!
          : view.nominal,
    alarm: (view) => view.nominal * 0.6,
    deadband: (view) => view.nominal * 0.05,
    on: seconds(2),
    off: 10,
  },
  {
    code: 104,
    types: threePhase,
    scope: 'line',
    unit: '%',
    value: (view) => (view.outage || view.phaseLost ? null : spread(view)),
    warn: seconds(10),
    alarm: seconds(20),
    deadband: seconds(3),
    on: seconds(1),
    off: 10,
  },
  {
    code: 105,
    types: [2, 4, 6],
    scope: 'line',
    unit: '%',
    value: (view) =>
      view.outage || view.phaseLost || view.neutralBroken ? null : unbalancePercent(view.readings.volts),
    warn: (view) => view.parameter('unb_u') / 2,
    alarm: (view) => view.parameter('unb_u'),
    deadband: seconds(0.5),
    on: seconds(600),
    off: 600,
  },
  {
    code: 106,
    types: all,
    scope: 'device',
    unit: 'Hz',
    value: (view) => (view.outage ? null : Math.abs(view.hertz - 50)),
    warn: seconds(0.2),
    alarm: seconds(0.5),
    deadband: seconds(0.05),
    on: seconds(60),
    off: 60,
  },
  {
    ...flag(107, [1, 2, 4], (view) => view.dip !== null && view.dip.factor < 1),
    unit: '%',
    value: (view) => (view.dip && view.dip.factor < 1 ? view.dip.factor * 100 : 100),
    below: true,
    alarm: seconds(90),
  },
  {
    ...flag(108, [1, 2, 4], (view) => view.dip !== null && view.dip.factor > 1),
    unit: '%',
    value: (view) => (view.dip && view.dip.factor > 1 ? view.dip.factor * 100 : 100),
    alarm: seconds(110),
  },
  {
    code: 109,
    types: all,
    scope: 'device',
    unit: 'V',
    below: true,
    value: (view) => max(...view.readings.volts),
    alarm: (view) => view.nominal * 0.1,
    deadband: (view) => view.nominal * 0.1,
    on: seconds(1),
    off: 5,
  },
  { ...flag(110, [2, 4, 6], (view) => view.reversedSequence), scope: 'device', on: seconds(5), off: 5 },
  {
    code: 201,
    types: all,
    scope: 'line',
    unit: 'A',
    value: (view) => max(...view.readings.main.current),
    warn: (view) => (view.parameter('oc_w') / 100) * view.rated,
    alarm: (view) => (view.parameter('oc_a') / 100) * view.rated,
    deadband: (view) => 0.05 * view.rated,
    on: (view) => view.parameter('oc_t'),
    off: 60,
  },
  {
    code: 202,
    types: [3, 4],
    scope: 'line',
    unit: 'W',
    value: (view) => view.watts,
    warn: (view) => orOff(view.parameter('op_w')),
    alarm: (view) => orOff(view.parameter('op_a')),
    deadband: (view) => view.parameter('op_a') * 0.05,
    on: (view) => view.parameter('op_t'),
    off: 60,
  },
  {
    code: 203,
    types: [2, 4, 6],
    scope: 'line',
    unit: '%',
    value: (view) => {
      const { current } = view.readings.main;
      const mean = current.reduce((total, value) => total + value, 0) / current.length;
      return view.phaseLost || mean < 0.15 * view.rated ? null : unbalancePercent(current);
    },
    warn: (view) => view.parameter('unb_i') * 0.625,
    alarm: (view) => view.parameter('unb_i'),
    deadband: seconds(5),
    on: seconds(600),
    off: 300,
  },
  {
    code: 204,
    types: [2, 4, 7],
    scope: 'line',
    unit: 'A',
    value: (view) => (view.readings.volts.length < 3 ? null : view.readings.main.neutral),
    warn: (view) => 0.75 * neutralShare(view) * view.rated,
    alarm: (view) => neutralShare(view) * view.rated,
    deadband: (view) => 0.05 * view.rated,
    on: seconds(60),
    off: 60,
  },
  {
    code: 205,
    types: [3, 4, 7],
    scope: 'line',
    unit: 'A',
    latched: true,
    value: (view) => max(view.readings.arcAmperes, ...view.readings.main.current),
    alarm: (view) => 5 * view.rated,
    on: seconds(0),
    off: 0,
  },
  {
    code: 206,
    types: [2, 4],
    scope: 'line',
    unit: '',
    below: true,
    value: (view) =>
      view.watts > 0.1 * view.rated * view.nominal * view.readings.volts.length
        ? view.readings.main.powerFactor
        : null,
    warn: (view) => (view.parameter('pf_min') > 0 ? view.parameter('pf_min') + 0.05 : 0),
    alarm: (view) => view.parameter('pf_min'),
    deadband: seconds(0.02),
    on: seconds(900),
    off: 900,
  },
  {
    code: 207,
    types: [3],
    scope: 'line',
    unit: 'W',
    value: (view) => view.heaterWatts,
    alarm: seconds(800),
    on: seconds(5),
    off: 60,
  },
  {
    code: 208,
    types: [3, 4],
    scope: 'line',
    unit: 'kWh',
    value: (view) => view.quotaUsed,
    warn: (view) => 0.9 * orOff(view.parameter('quota_kwh')),
    alarm: (view) => orOff(view.parameter('quota_kwh')) - 0.001,
    on: seconds(0),
    off: 0,
  },
  {
    code: 301,
    types: all,
    scope: 'line',
    unit: 'mA',
    latched: true,
    value: (view) => view.readings.leakage,
    warn: (view) => view.parameter('il_w'),
    alarm: (view) => view.parameter('il_a'),
    deadband: (view) => view.parameter('il_a') * 0.1,
    on: (view) => view.parameter('il_t'),
    off: 30,
  },
  {
    code: 302,
    types: all,
    scope: 'line',
    unit: 'mA',
    value: (view) => (view.leakRise > max(30, 0.5 * view.leakBefore) ? view.leakRise : 0),
    alarm: seconds(30),
    on: seconds(5),
    off: 300,
  },
  flag(303, [3, 4], (view) => view.selftestFailed === 303),
  {
    code: 401,
    types: all,
    scope: 'line',
    unit: '°C',
    latched: true,
    value: (view) => (view.sensorBroken ? null : view.readings.cable),
    warn: (view) => view.parameter('tl_w'),
    alarm: (view) => view.parameter('tl_a'),
    deadband: seconds(5),
    on: seconds(30),
    off: 60,
  },
  {
    code: 402,
    types: [1, 2, 3, 4, 7],
    scope: 'line',
    unit: '°C',
    latched: true,
    value: (view) => max(...view.readings.terminals),
    warn: (view) => view.parameter('tm_w'),
    alarm: (view) => view.parameter('tm_a'),
    deadband: seconds(5),
    on: seconds(30),
    off: 60,
  },
  {
    code: 403,
    types: all,
    scope: 'device',
    unit: '°C',
    value: (view) => view.readings.case,
    warn: (view) => view.parameter('tc_w'),
    alarm: (view) => view.parameter('tc_a'),
    deadband: seconds(3),
    on: seconds(60),
    off: 60,
  },
  {
    code: 404,
    types: all,
    scope: 'line',
    unit: 'K/min',
    value: (view) => view.heatRate,
    warn: (view) => view.parameter('dT') * 0.6,
    alarm: (view) => view.parameter('dT'),
    deadband: seconds(1),
    on: seconds(120),
    off: 120,
  },
  {
    code: 501,
    types: [5, 6, 7],
    scope: 'line',
    unit: '',
    latched: true,
    value: (view) =>
      view.readings.arcAmperes > 0
        ? 0
        : view.readings.arcs < 10 && view.arcsInHour >= 5
          ? 10
          : view.readings.arcs,
    warn: seconds(9.5),
    alarm: (view) => view.parameter('arc_n') - 0.5,
    on: seconds(0),
    off: 30,
  },
  {
    code: 502,
    types: [5, 6, 7],
    scope: 'line',
    unit: '',
    latched: true,
    value: (view) => {
      const needed = parallelArcHalfCycles(view.readings.arcAmperes);
      return needed !== null && view.readings.arcs >= needed ? view.readings.arcs : 0;
    },
    alarm: seconds(0.5),
    on: seconds(0),
    off: 30,
  },
  flag(503, [5, 6], (view) => view.selftestFailed === 503),
  {
    code: 601,
    types: [1, 2],
    scope: 'line',
    unit: '%',
    value: (view) => view.readings.main.voltageDistortion,
    warn: (view) => view.parameter('thdu') * 0.625,
    alarm: (view) => view.parameter('thdu'),
    deadband: seconds(0.5),
    on: seconds(600),
    off: 600,
  },
  {
    code: 602,
    types: [1, 2],
    scope: 'line',
    unit: '%',
    value: (view) => (loadRatio(view) > 0.2 ? view.readings.main.distortion : null),
    warn: (view) => view.parameter('thdi') * 0.6,
    alarm: (view) => view.parameter('thdi'),
    deadband: seconds(3),
    on: seconds(600),
    off: 600,
  },
  {
    code: 603,
    types: [1, 2],
    scope: 'line',
    unit: '%',
    below: true,
    value: (view) => {
      const { raw, main } = view.readings;
      return raw && raw.distortion > 5 && loadRatio(view) > 0.1
        ? (1 - main.distortion / raw.distortion) * 100
        : null;
    },
    warn: seconds(50),
    alarm: seconds(30),
    deadband: seconds(5),
    on: seconds(1800),
    off: 600,
  },
  { ...flag(701, [3, 4, 7], (view) => view.trip !== 0), value: (view) => view.trip },
  { ...flag(702, [3, 4], (view) => view.recloseLocked), latched: true },
  {
    code: 802,
    types: all,
    scope: 'device',
    unit: 'dBm',
    below: true,
    value: (view) => view.rssi,
    warn: seconds(-100),
    alarm: seconds(-110),
    deadband: seconds(3),
    on: seconds(900),
    off: 900,
  },
  { ...flag(804, all, (view) => view.internalFault), scope: 'device' },
  { ...flag(805, all, (view) => view.sensorBroken), on: seconds(10), off: 60 },
];

export const arcSecond = (halfCycles: number) => halfCycles >= arcEventHalfCycles;
export const phaseNames: readonly Phase[] = ['a', 'b', 'c'];
