import type { DeviceType } from '#contract/telemetry.ts';
import { type Faults, isFeeder, type LineConfig, linePhases } from '../model.ts';
import type { Random } from '../random.ts';
import { arcHalfCycles, healthyArcRate } from './arcs.ts';
import {
  loopImpedance,
  phaseCurrent,
  reactivePower,
  splitOverPhases,
  totalDistortion,
} from './electrical.ts';
import { filteredHarmonics, filterLoss, loadHarmonics, voltageDistortion } from './filter.ts';
import { dryInsulation, insulationResistance, leakageCurrent } from './leakage.ts';
import { createLoad, drawPowerFactor, loadCharacter } from './load.ts';
import { neutralCurrent } from './neutral.ts';
import { stepLooseness, stepTemperature } from './thermal.ts';

/** The environment of all lines of a device at one instant. */
export interface Surroundings {
  seconds: number;
  hour: number;
  weekend: boolean;
  dayOfYear: number;
  /** Temperature inside the cabinet, °C. */
  ambient: number;
  /** Relative, %. */
  humidity: number;
  /** Source voltage of each phase, V. */
  volts: readonly number[];
}

/** One side of a line, as a meter there would measure it. */
export interface Port {
  current: number[];
  neutral: number;
  watts: number[];
  distortion: number;
  voltageDistortion: number;
  harmonics: readonly number[];
  powerFactor: number;
}
export interface LineReadings {
  volts: number[];
  /** The only side, or the filtered one of a filter. */
  main: Port;
  /** The load side of a filter, before filtering. */
  raw: Port | null;
  vars: number;
  leakage: number;
  terminals: number[];
  neutralTerminal: number;
  cable: number;
  case: number;
  /** Arcs since the last step. */
  arcs: number;
  arcAmperes: number;
}

const emptyPort = (count: number): Port => ({
  current: new Array<number>(count).fill(0),
  neutral: 0,
  watts: new Array<number>(count).fill(0),
  distortion: 0,
  voltageDistortion: 0,
  harmonics: [0, 0, 0, 0, 0, 0],
  powerFactor: 1,
});

/** Upper end of the sensors' range, °C. */
const hottestShown = 149;

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);

/** The physics of one line: load, currents, heat, insulation and arcs, without protocol and protection. */
export const createLine = (config: LineConfig, type: DeviceType, nominal: number, random: Random) => {
  const count = linePhases(config, type).length;
  const filter = type === 1 || type === 2;
  const rated = config.ratedCurrent;
  const load = createLoad(config.load, config.profile, random);
  const powerFactor = config.powerFactor ?? drawPowerFactor(config.profile, random);
  const split = count === 3 ? splitOverPhases(random, config.phaseSpread ?? 90) : [1];
  const electronic = filter ? 0.9 : loadCharacter[config.profile].electronic;
  const feeder = isFeeder(config, type);
  const dryOhms = dryInsulation[feeder ? 'feeder' : 'final'] * random.between(1, 1.8);
  const standing = feeder ? random.between(3, 8) : random.between(0.2, 0.6);
  const impedance = loopImpedance(rated);
  const ageDays = random.between(30, 900);
  const kappas = [1, 1, 1];
  const warmth = random.between(0, 0.3);
  let elapsed = 0;
  let settled = false;
  const readings: LineReadings = {
    volts: new Array<number>(count).fill(nominal),
    main: emptyPort(count),
    raw: filter ? emptyPort(count) : null,
    vars: 0,
    leakage: 0,
    terminals: new Array<number>(count).fill(0),
    neutralTerminal: 0,
    cable: 0,
    case: 0,
    arcs: 0,
    arcAmperes: 0,
  };

  const fillPort = (
    port: Port,
    fundamentals: number[],
    watts: number[],
    harmonics: readonly number[],
    foreign: number,
  ) => {
    const distortion = totalDistortion(harmonics);
    const rms = Math.sqrt(1 + distortion * distortion);
    port.harmonics = harmonics;
    port.current = fundamentals.map((amperes) => amperes * rms);
    port.watts = watts;
    port.neutral = count === 3 ? neutralCurrent(fundamentals, harmonics[0]!) : port.current[0]!;
    const flowing = fundamentals[0]! > 0.01;
    port.distortion = flowing ? distortion * 100 : 0;
    port.voltageDistortion =
      voltageDistortion(fundamentals[0]!, harmonics, readings.volts[0]!) + 1.1 + foreign;
    const apparent = sum(port.current.map((amperes, k) => amperes * readings.volts[k]!));
    port.powerFactor = apparent > 1 ? sum(watts) / apparent : 1;
  };

  const electrical = (around: Surroundings, watts: number, faults: Faults, closed: boolean) => {
    const harmonics = loadHarmonics(electronic);
    if (faults.thirdHarmonic !== undefined) harmonics[0] = faults.thirdHarmonic;
    const shares =
      faults.skew && count === 3 ? [faults.skew, (1 - faults.skew) / 2, (1 - faults.skew) / 2] : split;
    const rms = Math.sqrt(1 + totalDistortion(harmonics) ** 2);
    // Distortion is part of a load's power factor; the rest is displacement.
    const factor = Math.min(0.999, (faults.powerFactor ?? powerFactor) * rms);
    const fundamentals: number[] = [];
    const power: number[] = [];
    let vars = 0;
    for (let k = 0; k < count; k++) {
      const source = around.volts[k]!;
      if (!closed || source < nominal * 0.1) {
        readings.volts[k] = source;
        fundamentals.push(0);
        power.push(0);
        continue;
      }
      const before = readings.main.current[k]!;
      const volts = Math.max(source * 0.5, source - Math.min(before, rated * 2) * impedance);
      readings.volts[k] = volts;
      // A phase that is only fed back through other loads drives almost nothing.
      const alive = source < nominal * 0.6 ? 0.05 : 1;
      let p = watts * shares[k]! * (volts / nominal) * alive;
      if (faults.currentRatio !== undefined && alive === 1)
        p = (faults.currentRatio * rated * volts * factor * (shares[k]! * count)) / rms;
      if (faults.currentRatio !== undefined && !faults.skew && alive === 1) p /= shares[k]! * count;
      const q = reactivePower(p, factor);
      if (faults.heater) p += faults.heater / count;
      vars += q;
      power.push(p);
      fundamentals.push(phaseCurrent(p, q, volts));
    }
    readings.vars = vars;
    const foreign = faults.voltageDistortion ?? 0;
    if (readings.raw) {
      fillPort(
        readings.raw,
        fundamentals.map((amperes) => amperes * (1 + filterLoss)),
        power.map((p, k) => p + filterLoss * fundamentals[k]! * readings.volts[k]!),
        harmonics,
        foreign,
      );
      const clean = filteredHarmonics(harmonics, ageDays + elapsed / 86_400, faults.filterHealth ?? 1);
      fillPort(readings.main, fundamentals, power, clean, foreign);
    } else fillPort(readings.main, fundamentals, power, harmonics, foreign);
  };

  const heat = (around: Surroundings, faults: Faults) => {
    const { ambient, seconds } = around;
    const ratios = readings.main.current.map((amperes) => amperes / rated);
    const largest = Math.max(...ratios);
    if (!settled) {
      settled = true;
      readings.terminals.fill(ambient + 35 * warmth);
      readings.neutralTerminal = ambient;
      readings.cable = ambient + 30 * warmth;
      readings.case = ambient + 18 * warmth;
    }
    for (let k = 0; k < count; k++) {
      if (faults.looseRate === undefined) kappas[k] = 1;
      else if (k === 0)
        kappas[0] = stepLooseness(kappas[0]!, seconds, faults.looseRate, readings.terminals[0]!);
      const next = stepTemperature(
        'terminal',
        readings.terminals[k]!,
        seconds,
        ambient,
        ratios[k]!,
        kappas[k],
      );
      readings.terminals[k] = Math.min(next, hottestShown);
    }
    readings.neutralTerminal = stepTemperature(
      'terminal',
      readings.neutralTerminal,
      seconds,
      ambient,
      count === 3 ? readings.main.neutral / rated : largest,
    );
    const cable = stepTemperature('cable', readings.cable, seconds, ambient + (faults.heat ?? 0), largest);
    readings.cable = Math.min(cable, hottestShown);
    const inside = stepTemperature('case', readings.case, seconds, ambient + (faults.caseHeat ?? 0), largest);
    readings.case = Math.min(inside, hottestShown);
  };

  return {
    readings,
    /** A whole step, or with `seconds` 0 only what changes at once (after switching). */
    step(around: Surroundings, closed: boolean, faults: Faults): void {
      const watts = load.step(around.seconds, around.hour, around.weekend, around.dayOfYear);
      elapsed += around.seconds;
      electrical(around, watts, faults, closed);
      heat(around, faults);
      const volts = closed ? Math.max(...readings.volts) : 0;
      const electronicKilowatts = (sum(readings.main.watts) / 1000) * electronic;
      const insulation = insulationResistance(dryOhms * (faults.insulation ?? 1), around.humidity);
      readings.leakage =
        volts > 10
          ? Math.min(
              1200,
              leakageCurrent(standing, electronicKilowatts, volts, insulation) + (faults.leakStep ?? 0),
            )
          : 0;
      const current = Math.max(...readings.main.current);
      readings.arcs =
        current > 0.2 ? arcHalfCycles(random, faults.arcRate ?? healthyArcRate, around.seconds) : 0;
      readings.arcAmperes = 0;
      if (faults.parallelArc && closed && volts > 10) {
        readings.arcs = Math.max(readings.arcs, faults.parallelArc.halfCycles);
        readings.arcAmperes = faults.parallelArc.amperes;
      } else if (faults.arcRate && readings.arcs > 4)
        // A series arc lowers the load current by 5–15 %.
        readings.main.current = readings.main.current.map((amperes) => amperes * 0.9);
    },
    totalWatts: () => sum(readings.main.watts),
  };
};
export type LineModel = ReturnType<typeof createLine>;
