import type { DeviceType } from '#contract/telemetry.ts';
import type { DeviceConfig, LineConfig } from './model.ts';
import { isFeeder, linePhases } from './model.ts';

/** Parameters stored on the device. Source: domain reference §1.3. */
interface Parameter {
  scope: 'line' | 'dev';
  types: readonly DeviceType[];
  min: number;
  max: number;
  zeroIsOff?: true;
  choices?: readonly (number | string)[];
  value(line: LineConfig, device: DeviceConfig): number | string;
}
const all: readonly DeviceType[] = [1, 2, 3, 4, 5, 6, 7];
const switches: readonly DeviceType[] = [3, 4];
const breaking: readonly DeviceType[] = [3, 4, 7];
const arcs: readonly DeviceType[] = [5, 6, 7];
const unbalanced: readonly DeviceType[] = [2, 4, 6];
const filters: readonly DeviceType[] = [1, 2];

const ratedCurrents = [6, 10, 16, 20, 25, 32, 40, 50, 63, 80, 100, 125, 160, 200, 250, 315, 400, 500, 630];
const round = Math.round;
const ofNominal = (share: number) => (_: LineConfig, device: DeviceConfig) =>
  round(device.nominalVoltage * share);
const fixed = (value: number | string) => () => value;
const ratedPower = (share: number) => (line: LineConfig, device: DeviceConfig) =>
  round(linePhases(line, device.type).length * device.nominalVoltage * line.ratedCurrent * share);
const byFeeder = (final: number, feeder: number) => (line: LineConfig, device: DeviceConfig) =>
  isFeeder(line, device.type) ? feeder : final;
const number = (
  scope: 'line' | 'dev',
  types: readonly DeviceType[],
  min: number,
  max: number,
  value: Parameter['value'],
  zeroIsOff?: true,
): Parameter => ({ scope, types, min, max, value, ...(zeroIsOff ? { zeroIsOff } : {}) });

export const parameterCatalogue: Record<string, Parameter> = {
  un: number('dev', all, 110, 277, (_, device) => device.nominalVoltage),
  tele_s: number('dev', all, 5, 3600, (_, device) => device.tele_s ?? 60),
  rbe: number('dev', all, 0, 50, fixed(5), true),
  hb_s: number('dev', all, 30, 1800, fixed(60)),
  ar_n: number('dev', switches, 1, 5, fixed(3)),
  ar_t: number('dev', switches, 60, 3600, fixed(60)),
  in: { ...number('line', all, 6, 630, (line) => line.ratedCurrent), choices: ratedCurrents },
  ov_w: number('line', all, 110, 300, ofNominal(1.07)),
  ov_a: number('line', all, 120, 320, ofNominal(1.2)),
  ov_t: number('line', all, 0.1, 60, fixed(5)),
  ov_trip: number('line', breaking, 130, 350, ofNominal(1.25), true),
  uv_w: number('line', all, 80, 260, ofNominal(0.9)),
  uv_a: number('line', all, 70, 250, ofNominal(0.8)),
  uv_t: number('line', all, 0.1, 60, fixed(5)),
  uv_trip: number('line', switches, 60, 240, ofNominal(0.727), true),
  oc_w: number('line', all, 50, 120, (_, device) => (device.type === 7 ? 100 : 90)),
  oc_a: number('line', all, 80, 150, (_, device) => (device.type === 7 ? 120 : 110)),
  oc_t: number('line', all, 1, 600, (_, device) => (device.type === 7 ? 3 : 60)),
  oc_trip: number('line', breaking, 100, 300, fixed(120)),
  oc_curve: {
    ...number('line', breaking, 0, 0, (_, device) => (device.type === 7 ? 'dt' : 'iec_vi')),
    choices: ['dt', 'iec_vi', 'iec_ei'],
  },
  op_w: number('line', switches, 0, 600_000, ratedPower(0.9), true),
  op_a: number('line', switches, 0, 600_000, ratedPower(1.1), true),
  op_t: number('line', switches, 1, 600, fixed(10)),
  il_w: number('line', all, 10, 1000, byFeeder(15, 150)),
  il_a: number('line', all, 20, 1000, byFeeder(30, 300)),
  il_t: number('line', all, 0.1, 30, fixed(5)),
  il_trip: {
    ...number('line', switches, 0, 500, (_, device) => (device.type === 3 ? 30 : 0)),
    choices: [0, 30, 100, 300, 500],
  },
  tl_w: number('line', all, 40, 130, fixed(60)),
  tl_a: number('line', all, 45, 140, fixed(70)),
  tm_w: number('line', [1, 2, 3, 4, 7], 45, 140, fixed(70)),
  tm_a: number('line', [1, 2, 3, 4, 7], 45, 140, fixed(80)),
  tm_trip: number('line', [1, 2, 3, 4, 7], 45, 140, fixed(90)),
  tc_w: number('line', all, 40, 110, fixed(55)),
  tc_a: number('line', all, 40, 110, fixed(65)),
  dT: number('line', all, 1, 20, fixed(5)),
  arc_n: number('line', arcs, 10, 30, fixed(14)),
  unb_u: number('line', unbalanced, 1, 20, fixed(4)),
  unb_i: number('line', unbalanced, 10, 100, fixed(80)),
  in_n: number('line', unbalanced, 30, 200, fixed(80)),
  thdu: number('line', filters, 1, 30, fixed(8)),
  thdi: number('line', filters, 5, 200, fixed(50)),
  pf_min: number('line', [2, 4], 0.5, 0.99, fixed(0.85), true),
  quota_kwh: number('line', switches, 0, 99_999, fixed(0)),
};

/** The first of a pair must stay below the second. */
const ordered: readonly (readonly [string, string])[] = [
  ['ov_w', 'ov_a'],
  ['uv_a', 'uv_w'],
  ['oc_w', 'oc_a'],
  ['il_w', 'il_a'],
  ['tl_w', 'tl_a'],
  ['tm_w', 'tm_a'],
  ['tc_w', 'tc_a'],
];

export type ParameterSet = Record<string, number | string>;

export const defaultParameters = (device: DeviceConfig, line: LineConfig): ParameterSet => {
  const values: ParameterSet = {};
  for (const [key, parameter] of Object.entries(parameterCatalogue))
    if (parameter.scope === 'line' && parameter.types.includes(device.type))
      values[key] = parameter.value(line, device);
  return { ...values, ...line.parameters };
};
export const defaultDeviceParameters = (device: DeviceConfig): ParameterSet => {
  const values: ParameterSet = {};
  for (const [key, parameter] of Object.entries(parameterCatalogue))
    if (parameter.scope === 'dev' && parameter.types.includes(device.type))
      values[key] = parameter.value(device.lines[0]!, device);
  return values;
};

export const isParameterValid = (
  key: string,
  value: unknown,
  scope: 'line' | 'dev',
  type: DeviceType,
): value is number | string => {
  const parameter = Object.hasOwn(parameterCatalogue, key) ? parameterCatalogue[key]! : undefined;
  if (!parameter || parameter.scope !== scope || !parameter.types.includes(type)) return false;
  if (parameter.choices) return parameter.choices.includes(value as number | string);
  if (typeof value !== 'number' || !Number.isFinite(value)) return false;
  if (value === 0 && parameter.zeroIsOff) return true;
  return value >= parameter.min && value <= parameter.max;
};

export const areParametersOrdered = (values: ParameterSet): boolean =>
  ordered.every(([low, high]) => {
    const [a, b] = [values[low], values[high]];
    return typeof a !== 'number' || typeof b !== 'number' || a <= b;
  });

/** Function enables of domain reference §1.4 that are stored on the device. */
export const enableDefaults: Record<string, boolean> = {
  net_ctrl: true,
  local_lock: false,
  auto_reclose: false,
  prot_ov: true,
  prot_uv: true,
  prot_oc: true,
  prot_op: true,
  prot_il: true,
  prot_t: true,
  prot_arc: true,
  prot_pl: true,
  buzzer: true,
  led: true,
  timer_en: true,
  quota_en: false,
};
