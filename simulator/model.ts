import { type DeviceType, type Phase, phases } from '#contract/telemetry.ts';
import type { LoadProfile } from './physics/load.ts';

export interface LineConfig {
  n: number;
  /** A. */
  ratedCurrent: number;
  /** The line opens and closes on command (types 3, 4, 7; on 1 and 2 a bypass contactor). */
  switchable: boolean;
  /** kW in the hour of full load. */
  load: number;
  profile: LoadProfile;
  phases?: 1 | 3;
  /** A feeder has lower insulation and higher leakage limits than a final circuit. */
  feeder?: boolean;
  /** Energy register at first start, kWh. */
  energy?: number;
  position?: 0 | 1;
  /** Parameters of domain reference §1.3 that differ from their defaults at first start. */
  parameters?: Record<string, number | string>;
  powerFactor?: number;
  /** Dirichlet α of the split over phases; a smaller value means more unbalance. */
  phaseSpread?: number;
}
export interface DeviceConfig {
  number: string;
  secret: string;
  type: DeviceType;
  lines: LineConfig[];
  /** Line to neutral, V. */
  nominalVoltage: number;
  /** Devices with the same key share supply, weather and project-wide scenes. */
  projectKey: string;
  tele_s?: number;
  timeZone?: string;
  model?: string;
  firmware?: string;
  /** Share by which the site's voltage is above nominal. */
  voltageBias?: number;
  /** Mean signal, dBm. */
  signal?: number;
  enables?: Record<string, boolean>;
}

export const linePhases = (config: LineConfig, type: DeviceType): readonly Phase[] => {
  const count = config.phases ?? (type === 2 || type === 4 || type === 6 || type === 7 ? 3 : 1);
  return count === 3 ? phases : phases.slice(0, 1);
};
export const isFeeder = (config: LineConfig, type: DeviceType) =>
  config.feeder ?? linePhases(config, type).length === 3;

/** The faults of a scene at one instant; an empty object is an honest, healthy device. */
export interface Faults {
  /** The line that line faults affect. */
  line?: number;
  /** Current forced to this share of rated current. */
  currentRatio?: number;
  /** Growth of a loose joint's κ, per second. */
  looseRate?: number;
  thirdHarmonic?: number;
  /** Factor on the insulation resistance. */
  insulation?: number;
  /** Added leakage, mA. */
  leakStep?: number;
  /** Arcing half-cycles per second. */
  arcRate?: number;
  parallelArc?: { amperes: number; halfCycles: number };
  filterHealth?: number;
  /** Added to the distortion of the supply, %. */
  voltageDistortion?: number;
  powerFactor?: number;
  /** Resistive load that is switched on at once, W. */
  heater?: number;
  /** Share of the load that unbalance moves to phase a. */
  skew?: number;

  supplyFactor?: number;
  phaseFactors?: readonly [number, number, number];
  hertzOffset?: number;
  reversedSequence?: boolean;
  /** Sags (or swells) with this factor, each lasting `seconds`; `count` numbers them. */
  dip?: { count: number; factor: number; seconds: number };

  contact?: 'stuck' | 'welded';
  answers?: 'lying' | 'silent';
  /** How often the handle has been moved so far. */
  manualOperations?: number;
  localLock?: boolean;
  clockOffsetMs?: number;
  brokenSensor?: string;
  internalFault?: boolean;
  selftestFails?: boolean;
  /**
   * How a firmware update fails: the file is not the signed one; the new firmware does not start and the old
   * one returns; the device stops reporting; or it reports the update and still runs the old version.
   */
  update?: 'fails' | 'rollsBack' | 'silent' | 'lies';
  /** External heating of the cable and the case, K. */
  heat?: number;
  caseHeat?: number;

  signal?: number;
  offline?: boolean;
  /** Mean seconds online and offline of an unstable connection. */
  flapping?: { up: number; down: number };
  duplicateShare?: number;
  reorderShare?: number;
  /** Every message is delayed by this time. */
  lateMs?: number;
  malformedShare?: number;
  /** Upload interval in s that overrides the parameter. */
  burstSeconds?: number;
}
export const healthy: Faults = {};
