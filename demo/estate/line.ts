import { type DeviceType, lineChannels } from '#contract/telemetry.ts';
import type { KitLine } from './kits.ts';
import { type LoadProfile, powerFactorOf, uncompensatedPowerFactor } from './load.ts';
import type { Random } from './random.ts';

/** The constant properties of one line. */
export interface LineNature {
  type: DeviceType;
  three: boolean;
  ratedCurrent: number;
  /** W in the hour of full load. */
  watts: number;
  powerFactor: number;
  /** Share of each phase. */
  split: readonly number[];
  /** Ω from line to earth in dry air. */
  insulation: number;
  /** Permanent leakage, mA. */
  standing: number;
  electronic: number;
}
/** Values of one line at an instant; overwritten at each step. */
export interface Measured {
  volts: [number, number, number];
  amps: [number, number, number];
  watts: [number, number, number];
  neutral: number;
  total: number;
  factor: number;
  leakage: number;
  cable: number;
  terminals: [number, number, number];
  neutralTerminal: number;
  box: number;
  hertz: number;
}
export interface Surroundings {
  ambient: number;
  /** Relative, %. */
  humidity: number;
  /** Source voltage of each phase, V. */
  source: readonly [number, number, number];
  hertz: number;
}

export const isThreePhase = (type: DeviceType) => type === 2 || type === 4 || type === 6 || type === 7;
export const nominalVoltage = 220;

export const natureOf = (
  type: DeviceType,
  { ratedCurrent, standby, uncompensated }: KitLine,
  profile: LoadProfile,
  random: Random,
): LineNature => {
  const three = isThreePhase(type);
  const poles = three ? 3 : 1;
  const share = standby ? 0.02 : random.between(0.24, 0.48);
  const a = random.between(0.9, 1.1);
  const b = random.between(0.9, 1.1);
  const c = random.between(0.9, 1.1);
  return {
    type,
    three,
    ratedCurrent,
    watts: Math.round((share * nominalVoltage * ratedCurrent * poles) / 10) * 10,
    powerFactor: uncompensated ? uncompensatedPowerFactor : powerFactorOf[profile],
    split: three ? [a / (a + b + c), b / (a + b + c), c / (a + b + c)] : [1],
    insulation: (three ? 20_000 : 2_000_000) * random.between(1, 1.8),
    standing: three ? random.between(3, 8) : random.between(0.2, 0.6),
    electronic: type <= 2 ? 0.9 : 0.25,
  };
};

export const blankMeasured = (): Measured => ({
  volts: [0, 0, 0],
  amps: [0, 0, 0],
  watts: [0, 0, 0],
  neutral: 0,
  total: 0,
  factor: 1,
  leakage: 0,
  cable: 0,
  terminals: [0, 0, 0],
  neutralTerminal: 0,
  box: 0,
  hertz: 50,
});

/** Fills `into` for a load of this many watts; an open line has 0. Formulas: domain reference §7. */
export const measure = (
  into: Measured,
  nature: LineNature,
  around: Surroundings,
  watts: number,
  closed: boolean,
): void => {
  const { three, ratedCurrent, split, powerFactor } = nature;
  const count = three ? 3 : 1;
  const impedance = 0.15 * Math.min(1, 40 / ratedCurrent);
  let largest = 0;
  for (let k = 0; k < count; k++) {
    const power = watts * split[k]!;
    const volts = around.source[k]! - Math.min(into.amps[k]!, ratedCurrent) * impedance;
    const amps = power / (volts * powerFactor);
    into.volts[k] = volts;
    into.amps[k] = amps;
    into.watts[k] = power;
    into.terminals[k] = around.ambient + 35 * (amps / ratedCurrent) ** 2;
    if (amps > largest) largest = amps;
  }
  const [a, b, c] = into.amps;
  into.neutral = three
    ? Math.sqrt(Math.max(0, a * a + b * b + c * c - a * b - b * c - c * a)) + 0.1 * (a + b + c)
    : a;
  into.total = watts;
  into.factor = watts > 0 ? powerFactor : 1;
  const ratio = (largest / ratedCurrent) ** 2;
  into.neutralTerminal = around.ambient + 35 * (into.neutral / ratedCurrent) ** 2;
  into.cable = around.ambient + 30 * ratio;
  into.box = around.ambient + 18 * ratio;
  const ohms = nature.insulation * Math.exp(-0.055 * (around.humidity - 50));
  into.leakage = closed
    ? nature.standing + (0.35 * nature.electronic * watts) / 1000 + (1000 * into.volts[0]) / ohms
    : 0;
  into.hertz = around.hertz;
};

const round = (value: number, digits: number) => Math.round(value * 10 ** digits) / 10 ** digits;
const orders = ['H3', 'H5', 'H7', 'H9', 'H11', 'H13'];
/** Harmonics as a share of the fundamental, %, before and after a filter. */
const rawHarmonics = [54.5, 33.5, 19.2, 10.9, 8, 6];
const cleanHarmonics = [8.2, 6.7, 4.8, 4.4, 3.2, 2.4];
const distortionOf = (harmonics: readonly number[]) => Math.hypot(...harmonics);
const rawRms = Math.sqrt(1 + (distortionOf(rawHarmonics) / 100) ** 2);

type Reader = (measured: Measured) => number;
const phase = (name: string | undefined) => Math.max(0, 'abc'.indexOf(name ?? 'a'));

const readerOf = (type: DeviceType, name: string): Reader => {
  const parts = name.split('.');
  const input = parts[0] === 'in';
  if (input || parts[0] === 'out') parts.shift();
  const [quantity = '', at] = parts;
  const k = phase(at);
  const swell = input ? rawRms * 1.008 : 1;
  const harmonics = input ? rawHarmonics : cleanHarmonics;
  switch (quantity) {
    case 'U':
      return (m) => round(m.volts[k]!, 1);
    case 'I':
      return at === 'n' ? (m) => round(m.neutral * swell, 2) : (m) => round(m.amps[k]! * swell, 3);
    case 'P':
      return at === 't' ? (m) => round(m.total * (input ? 1.008 : 1), 1) : (m) => round(m.watts[k]!, 1);
    case 'Q':
      return (m) => round(m.total * Math.tan(Math.acos(m.factor)), 1);
    case 'PF':
      return (m) => round(m.factor / (input ? rawRms : 1), 3);
    case 'IL':
      return (m) => round(m.leakage, 1);
    case 'F':
      return (m) => round(m.hertz, 2);
    case 'HU':
      return () => (input ? 3.1 : 1.6);
    case 'HI':
      return (m) => (m.total > 0 ? round(distortionOf(harmonics), 1) : 0);
    case 'T':
      if (at === 'l') return (m) => round(m.cable, 1);
      if (at === 'm') return (m) => round(Math.max(...m.terminals), 1);
      if (at === 'n') return (m) => round(m.neutralTerminal, 1);
      if (at === 'c' && !(type === 4 || type >= 6)) return (m) => round(m.box, 1);
      return (m) => round(m.terminals[k]!, 1);
    default: {
      const order = orders.indexOf(quantity);
      return order < 0 ? () => 0 : (m) => (m.total > 0 ? harmonics[order]! : 0);
    }
  }
};

const readers = new Map<DeviceType, readonly Reader[]>();
/** The stored channels of a device type, in the order of the channel list. */
export const channelsOf = (type: DeviceType, measured: Measured): number[] => {
  let known = readers.get(type);
  if (!known) {
    known = lineChannels[type].map((name) => readerOf(type, name));
    readers.set(type, known);
  }
  return known.map((read) => read(measured));
};
