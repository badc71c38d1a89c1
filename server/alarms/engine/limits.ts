/** A line's checks with their limits, computed once from the catalogue and the line's own thresholds. */

import {
  alarmCatalogue,
  defaultOf,
  interlockCodes,
  levelsOf,
  limitOf,
  type Ratings,
  ratingsOf,
} from '#contract/alarm-catalogue.ts';
import { alarmCodes } from '#contract/alarm-codes.ts';
import { lineChannels } from '#contract/telemetry.ts';
import type { GroupReading, LineRef } from '#server/core/group.ts';
import type { Check } from './check.ts';
import {
  arcsAnHour,
  channel,
  energyUsed,
  filtering,
  largest,
  largestOf,
  leakageStep,
  loadedPowerFactor,
  lostVoltage,
  nominalHertz,
  offNominal,
  type Remembered,
  spread,
  suppliedVoltage,
  temperatureRate,
  unbalance,
  whileAbove,
} from './measures.ts';
import { keyOf, type LineState, type Measure, phaseOf } from './memory.ts';
import { contactChecks } from './open-with-current.ts';

/** A line with its compiled checks. */
export interface LineWatch {
  readonly state: LineState;
  readonly checks: LineChecks;
  /** Server alarms that no check of this line can end any more, because its limits changed. */
  orphans: readonly number[];
}
export interface LineChecks {
  readonly ratings: Ratings;
  readonly checks: readonly Check[];
  readonly remembered: Remembered;
  readonly switching: boolean;
  /** Whether a reading shows voltage or current on any phase, which proves that the line has supply. */
  readonly carries: (reading: GroupReading) => boolean;
}

const byCode = new Map(alarmCatalogue.map((type) => [type.code, type]));
const phaseLetters = ['a', 'b', 'c'] as const;
/** With a delay up to this, s, an alarm of severity 1 is raised by its first sample. */
const longestAtOnceS = 5;
const neverAbove = Number.POSITIVE_INFINITY;

const checkOf = (
  line: LineRef,
  ratings: Ratings,
  code: number,
  phase: number,
  measure: Measure,
  extra: Pick<Partial<Check>, 'needsClosed' | 'shows' | 'channel'> = {},
): Check | null => {
  const type = byCode.get(code);
  if (!type?.types.includes(line.type)) return null;
  const sign = type.side === 'above' ? 1 : -1;
  const special = type.byType?.[line.type];
  const slack = type.inclusive ? 1e-6 : 0;
  const signed = (limit: number) => (Number.isNaN(limit) ? neverAbove : sign * limit - slack);
  const levels = levelsOf(type, line.type, ratings);
  const [early, alarm] = [signed(levels.early), signed(levels.alarm)];
  const isOff = alarm === neverAbove && interlockCodes.has(code) && type.alarm !== null;
  const forbidden = isOff ? sign * defaultOf(special?.alarm ?? type.alarm, ratings) - slack : neverAbove;
  const deadband = limitOf(type.deadband, ratings);
  const first = Math.min(early, alarm, forbidden);
  if (first === neverAbove) return null;
  const onSeconds = (type.onKey && ratings.thresholds[type.onKey]) || (special?.on ?? type.on);
  const critical = type.severity === 1 && onSeconds <= longestAtOnceS;
  return {
    type,
    phase,
    key: keyOf(code, phase),
    measure,
    sign,
    early,
    alarm,
    first,
    clear: Math.min(early, alarm) - deadband,
    forbidden,
    allowed: forbidden - deadband,
    latchAbove:
      type.latched === null
        ? neverAbove
        : type.latched === 'alarm'
          ? Number.NEGATIVE_INFINITY
          : limitOf(type.latched, ratings),
    timing: {
      onMs: onSeconds * 1000,
      offMs: (type.off ?? 0) * 1000,
      atOnce: type.on === 0 || type.atOnce === true || critical,
    },
    needsClosed: false,
    ...extra,
  };
};

interface Sensors {
  /** Cable, terminal and case temperatures as [channel, phase]. */
  readonly cable: readonly (readonly [number, number])[];
  readonly core: readonly (readonly [number, number])[];
  readonly shell: readonly (readonly [number, number])[];
}
/**
 * Meaning of each temperature channel: T.l, T.m, T.c are cable, terminal and case; on a type with T.a the
 * letters are phases: of the terminals of a switch (4), of the cables of a detector (6) and of type 7.
 */
const sensorsOf = (names: readonly string[], type: LineRef['type']): Sensors => {
  const at = (name: string, phase: number) => {
    const index = names.indexOf(name);
    return index < 0 ? [] : [[index, phase] as const];
  };
  const perPhase = names.includes('T.a')
    ? ['a', 'b', 'c', 'n'].flatMap((letter) => at(`T.${letter}`, phaseOf[letter] ?? 0))
    : [];
  return {
    cable: [...at('T.l', 0), ...(type === 4 ? [] : perPhase)],
    core: [...at('T.m', 0), ...(type === 4 ? perPhase : [])],
    shell: names.includes('T.a') ? [] : at('T.c', 0),
  };
};

/** Where the channels of a line are in its readings; -1 for a channel that its type lacks. */
const placesOf = (type: LineRef['type']) => {
  const names = lineChannels[type];
  const filters = type <= 2;
  const index = (name: string) => names.indexOf(name);
  // A filter's supply is its input; its load, and the remaining distortion, is its output.
  const perPhase = (prefix: string) =>
    phaseLetters.map((letter) => index(`${prefix}.${letter}`)).filter((found) => found >= 0);
  const sensors = sensorsOf(names, type);
  return {
    ...sensors,
    temperatures: [...sensors.cable, ...sensors.core, ...sensors.shell],
    voltages: perPhase(filters ? 'in.U' : 'U'),
    currents: perPhase(filters ? 'out.I' : 'I'),
    distortions: perPhase('out.HI'),
    entering: perPhase('in.HI'),
    voltageDistortions: perPhase('out.HU'),
    frequency: index('F'),
    neutral: index(filters ? 'out.I.n' : 'I.n'),
    power: index('P.t'),
    factor: index(filters ? 'out.PF.t' : 'PF.t'),
    factorPower: index(filters ? 'out.P.t' : 'P.t'),
    leakage: index('IL'),
    arcs: index('arc'),
    halfCycles: index('arcH'),
    shortCircuits: index('sc'),
  };
};

/** A line while its checks are collected. */
interface Collecting extends ReturnType<typeof placesOf> {
  readonly ratings: Ratings;
  add(code: number, phase: number, measure: Measure, extra?: Parameters<typeof checkOf>[5]): void;
  addChannel(code: number, phase: number, index: number): void;
  phaseNumber(position: number): number;
}
const needsClosed = { needsClosed: true };

const addSupply = ({ voltages, currents, ratings, add, addChannel, phaseNumber }: Collecting) => {
  const nominal = ratings.nominalVoltage;
  add(alarmCodes.outage, 0, largest(voltages), needsClosed);
  if (voltages.length !== 1) {
    voltages.forEach((voltage, position) => {
      const others = voltages.filter((other) => other !== voltage);
      add(alarmCodes.phaseLoss, position + 1, lostVoltage(voltage, others, nominal), needsClosed);
    });
    add(alarmCodes.neutralLoss, 0, spread(voltages, nominal), needsClosed);
    add(alarmCodes.voltageUnbalance, 0, unbalance(voltages, 0.1 * nominal, Number.NaN), needsClosed);
    add(alarmCodes.currentUnbalance, 0, unbalance(currents, 0.15 * ratings.ratedCurrent, 0));
  }
  voltages.forEach((voltage, position) => {
    addChannel(alarmCodes.overvoltage, phaseNumber(position), voltage);
    add(alarmCodes.undervoltage, phaseNumber(position), suppliedVoltage(voltage, nominal), {
      ...needsClosed,
      channel: voltage,
    });
  });
};

/** Alarms that may open a line or start a fire: short circuit, arc, leakage. */
const addInsulation = (line: Collecting) => {
  const { currents, ratings, arcs, halfCycles, leakage, add } = line;
  const most = largest(currents);
  add(
    alarmCodes.shortCircuit,
    0,
    (reading, memory) => (memory.shortCircuited ? Number.POSITIVE_INFINITY : most(reading, memory)),
    { shows: (reading, memory) => [most(reading, memory), 5 * ratings.ratedCurrent] },
  );
  if (halfCycles >= 0) add(alarmCodes.seriesArc, 0, ...arcChecks(arcs, halfCycles, ratings));
  if (leakage < 0) return;
  line.addChannel(alarmCodes.leakage, 0, leakage);
  add(alarmCodes.leakageStep, 0, leakageStep(leakage));
};

const addTemperatures = ({ cable, core, shell, temperatures, add, addChannel }: Collecting) => {
  for (const [sensor, phase] of cable) addChannel(alarmCodes.cableTemperature, phase, sensor);
  for (const [sensor, phase] of core) addChannel(alarmCodes.coreTemperature, phase, sensor);
  for (const [sensor, phase] of shell) addChannel(alarmCodes.shellTemperature, phase, sensor);
  for (const phase of new Set(temperatures.map((sensor) => sensor[1])))
    add(
      alarmCodes.temperatureRise,
      phase,
      temperatureRate(temperatures.filter((sensor) => sensor[1] === phase).map((sensor) => sensor[0])),
    );
};

const addCurrents = (line: Collecting) => {
  const { ratings, add, addChannel } = line;
  line.currents.forEach((current, position) => {
    const phase = line.phaseNumber(position);
    addChannel(alarmCodes.overcurrent, phase, current);
    const distortion = line.distortions[position];
    if (distortion !== undefined)
      add(alarmCodes.currentDistortion, phase, whileAbove(distortion, current, 0.2 * ratings.ratedCurrent));
    const before = line.entering[position];
    if (before !== undefined && distortion !== undefined)
      add(alarmCodes.filtering, phase, filtering(before, distortion, current, 0.1 * ratings.ratedCurrent));
    const voltageDistortion = line.voltageDistortions[position];
    if (voltageDistortion !== undefined) addChannel(alarmCodes.voltageDistortion, phase, voltageDistortion);
  });
};

const addFrequency = ({ frequency, ratings, add }: Collecting) => {
  if (frequency < 0) return;
  const type = byCode.get(alarmCodes.frequency);
  add(alarmCodes.frequency, 0, offNominal(frequency), {
    shows: (reading, _memory, level) => {
      const hertz = reading.channels[frequency] ?? 50;
      const nominal = nominalHertz(hertz);
      const limit = limitOf((level === 2 ? type?.alarm : type?.warn) ?? null, ratings);
      return [hertz, nominal + (hertz < nominal ? -limit : limit)];
    },
  });
};

const addPower = ({ factor, factorPower, power, neutral, ratings, add, addChannel }: Collecting) => {
  if (factor >= 0 && factorPower >= 0)
    add(
      alarmCodes.powerFactor,
      0,
      loadedPowerFactor(factor, factorPower, 0.1 * limitOf({ of: 'pn', factor: 1 }, ratings)),
    );
  if (power >= 0) addChannel(alarmCodes.overpower, 0, power);
  if (neutral >= 0) addChannel(alarmCodes.neutralOvercurrent, 4, neutral);
  add(alarmCodes.energyQuota, 0, energyUsed);
};

/** All checks of a line in the order of evaluation: causes before their consequences. */
export const checksOf = (line: LineRef, quotaUntil: (at: number) => number): LineChecks => {
  const ratings = ratingsOf(line);
  const places = placesOf(line.type);
  const { voltages, currents, temperatures, leakage, arcs, shortCircuits } = places;
  const found: (Check | null)[] = [];
  const add: Collecting['add'] = (code, phase, measure, extra) =>
    found.push(checkOf(line, ratings, code, phase, measure, extra));
  const collecting: Collecting = {
    ...places,
    ratings,
    add,
    addChannel: (code, phase, index) => add(code, phase, channel(index), { channel: index }),
    phaseNumber: (position) => (voltages.length === 1 ? 0 : position + 1),
  };
  addSupply(collecting);
  addInsulation(collecting);
  addTemperatures(collecting);
  addCurrents(collecting);
  addFrequency(collecting);
  addPower(collecting);

  const checks = [...found.filter((check) => check !== null), ...contactChecks(line)];
  return {
    ratings,
    checks,
    remembered: {
      temperatures: temperatures.map((sensor) => sensor[0]),
      leakage,
      arcs,
      shortCircuits,
      quotaUntil: checks.some((check) => check.type.code === alarmCodes.energyQuota) ? quotaUntil : null,
    },
    switching: line.type === 3 || line.type === 4 || line.type === 7,
    carries: (reading) =>
      largestOf(reading, voltages) >= 0.1 * ratings.nominalVoltage ||
      largestOf(reading, currents) > leastCurrent(ratings),
  };
};
const mostShared = 5_000;
/**
 * Equal lines of a project share their checks: a check holds no state of a line, and compiling checks is
 * expensive.
 */
export const sharedChecks = (
  quotaUntil: (projectId: number | null) => (at: number) => number,
): ((line: LineRef) => LineChecks) => {
  const known = new Map<string, LineChecks>();
  return (line) => {
    const { type, projectId, ratedCurrent, nominalVoltage, thresholds, contacts } = line;
    const key = `${type} ${projectId} ${ratedCurrent} ${nominalVoltage} ${contacts?.poles} ${JSON.stringify(thresholds)}`;
    const checks = known.get(key) ?? checksOf(line, quotaUntil(projectId));
    if (known.size >= mostShared) known.clear();
    known.set(key, checks);
    return checks;
  };
};
/** Currents up to this, A, are noise of the meter. */
const leastCurrent = ({ ratedCurrent }: Ratings) => Math.min(0.2, Math.max(0.05, 0.005 * ratedCurrent));

const arcsForWarning = 5;
/** 501: half-cycles in one second; as an early warning several arcs within the hour. */
const arcChecks = (
  arcs: number,
  halfCycles: number,
  ratings: Ratings,
): readonly [Measure, Pick<Check, 'shows'>] => {
  const type = byCode.get(alarmCodes.seriesArc);
  const early = limitOf(type?.warn ?? null, ratings);
  const alarm = limitOf(type?.alarm ?? null, ratings);
  const most = (reading: GroupReading) => reading.channels[halfCycles] ?? 0;
  return [
    (reading, memory) =>
      arcsAnHour(reading, memory, arcs) >= arcsForWarning ? Math.max(most(reading), early) : most(reading),
    {
      shows: (reading, memory, level) => {
        if (level === 2) return [most(reading), alarm];
        return most(reading) >= early
          ? [most(reading), early]
          : [arcsAnHour(reading, memory, arcs), arcsForWarning, '1/h'];
      },
    },
  ];
};
