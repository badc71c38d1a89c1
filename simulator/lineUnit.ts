import { type AlarmPort, createAlarms, type StoredAlarm } from './alarms.ts';
import { type Core, type Line, numeric } from './core.ts';
import type { Environment } from './environment.ts';
import { type DeviceConfig, type Faults, type LineConfig, linePhases } from './model.ts';
import { defaultParameters } from './parameters.ts';
import { createLine } from './physics/line.ts';
import { randomStream } from './random.ts';
import { energyRegisterEnd } from './report.ts';
import { arcSecond, type View } from './rules.ts';
import { wallTime } from './timers.ts';
import { createTrips } from './trips.ts';

interface StoredLine {
  parameters: Line['parameters'];
  position: 0 | 1;
  trip: number;
  energy: number;
  arcTotal: number;
  shortCircuits: number;
  alarms?: StoredAlarm[];
}
export const createLineUnit = (
  device: DeviceConfig,
  config: LineConfig,
  seed: string | number,
  port: AlarmPort,
  stored: StoredLine | undefined,
): Line => {
  const random = randomStream(seed, `line/${device.number}/${config.n}`);
  const count = linePhases(config, device.type).length;
  const position = stored?.position ?? config.position ?? 1;
  return {
    config,
    model: createLine(config, device.type, device.nominalVoltage, random),
    alarms: createAlarms(port, config.n, count, device.type, stored?.alarms),
    trips: createTrips(),
    parameters: { ...defaultParameters(device, config), ...stored?.parameters },
    position,
    conducting: position === 1,
    trip: stored?.trip ?? 0,
    energy: stored?.energy ?? config.energy ?? Math.round(random.between(500, 40_000) * 100) / 100,
    arcTotal: stored?.arcTotal ?? 0,
    arcMax: 0,
    arcTimes: [],
    shortCircuits: stored?.shortCircuits ?? 0,
    operations: [],
    operation: null,
    reclose: { attempts: 0, goodFor: 0, calmFor: 0, locked: false },
    quota: { day: '', start: 0, reached: false },
    leakages: [],
    temperatures: [],
    wattsBefore: 0,
    heaterWatts: 0,
    selftestFailed: 0,
  };
};

/** The register only grows, and rolls over at its end. */
export const flowEnergy = (core: Core, line: Line, seconds: number) => {
  line.energy += (line.model.totalWatts() / 1000) * (seconds / 3600);
  if (line.energy < energyRegisterEnd) return;
  line.energy -= energyRegisterEnd;
  line.quota.start -= energyRegisterEnd;
  core.touch();
};

const slotMs = 5_000;
const slotsPerMinute = 12;

/** Keeps what rules over time need: a minute of leakage and temperature, an hour of arcs, today's energy. */
export const observe = (core: Core, line: Line, seconds: number, at: number) => {
  const { readings } = line.model;
  const { leakages, temperatures } = line;
  const hottest = Math.max(...readings.terminals);
  const isNewSlot = Math.floor(at / slotMs) !== Math.floor((at - seconds * 1000) / slotMs);
  if (leakages.length === 0 || isNewSlot) {
    leakages.push(readings.leakage);
    temperatures.push(hottest);
    if (leakages.length > slotsPerMinute + 1) {
      leakages.shift();
      temperatures.shift();
    }
  }
  if (arcSecond(readings.arcs)) line.arcTotal += 1;
  line.arcMax = Math.min(100, Math.max(line.arcMax, readings.arcs));
  if (arcSecond(readings.arcs)) line.arcTimes.push(at);
  if (line.arcTimes.length > 0) line.arcTimes = line.arcTimes.filter((time) => at - time < 3_600_000);
  const watts = line.model.totalWatts();
  const step = watts - line.wattsBefore;
  if (step >= 800 && line.wattsBefore > 0 && readings.main.powerFactor > 0.97) line.heaterWatts = step;
  else if (step <= -0.8 * line.heaterWatts) line.heaterWatts = 0;
  line.wattsBefore = watts;
  if (core.enables['quota_en']) {
    const today = wallTime(at, core.zone).date;
    if (line.quota.day !== today) line.quota = { day: today, start: line.energy, reached: false };
    const quota = numeric(line.parameters, 'quota_kwh');
    line.quota.reached = quota > 0 && line.energy - line.quota.start >= quota;
  }
};

export const lineView = (
  core: Core,
  line: Line,
  environment: Environment,
  rssi: number,
  faults: Faults,
): View => {
  const { readings } = line.model;
  const nominal = core.config.nominalVoltage;
  const highest = Math.max(...readings.volts);
  const lowest = Math.min(...readings.volts);
  const three = readings.volts.length === 3;
  const outage = highest < nominal * 0.1;
  const phaseLost = three && !outage && lowest < nominal * 0.6 && highest > nominal * 0.85;
  const leakBefore = line.leakages[0] ?? readings.leakage;
  const minutes = Math.max(1, line.temperatures.length - 1) / slotsPerMinute;
  const hottest = Math.max(...readings.terminals);
  const quota = numeric(line.parameters, 'quota_kwh');
  return {
    type: core.config.type,
    closed: line.conducting,
    readings,
    parameter: (key) => numeric(line.parameters, key),
    nominal,
    rated: line.config.ratedCurrent,
    watts: line.model.totalWatts(),
    // A line that was just closed has its permanent leakage at once, which is not a fault step.
    leakRise: leakBefore > 0 ? readings.leakage - leakBefore : 0,
    leakBefore,
    heatRate: line.temperatures.length > slotsPerMinute / 2 ? (hottest - line.temperatures[0]!) / minutes : 0,
    arcsInHour: line.arcTimes.length,
    heaterWatts: line.heaterWatts,
    quotaUsed: core.enables['quota_en'] && quota > 0 ? line.energy - line.quota.start : null,
    trip: line.trip,
    recloseLocked: line.reclose.locked,
    selftestFailed:
      line.selftestFailed ||
      (faults.selftestFails ? (core.config.type === 5 || core.config.type === 6 ? 503 : 303) : 0),
    dip: environment.dip,
    hertz: environment.hertz,
    reversedSequence: core.faults.reversedSequence === true,
    rssi,
    internalFault: core.faults.internalFault === true,
    sensorBroken: faults.brokenSensor !== undefined,
    outage,
    phaseLost,
    neutralBroken: three && !outage && !phaseLost && (highest - lowest) / nominal > 0.2,
  };
};
