import { type DeviceType, type Phase, phases } from '#contract/telemetry.ts';
import type { LoadProfile } from './physics/load.ts';

export interface LineConfig {
  n: number;
  /** A. */
  ratedCurrent: number;
  /** The line opens and closes on command (types 3, 4, 7; on 1 and 2 a bypass contactor). */
  switchable: boolean;
  /** kW at the profile's full hour. */
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
  /** Dirichlet α of the split over phases; the smaller, the more unbalanced. */
  phaseSpread?: number;
}
export interface DeviceConfig {
  number: string;
  secret: string;
  type: DeviceType;
  lines: LineConfig[];
  /** Line to neutral, V. */
  nominalVoltage: number;
  /** Devices of one key share supply, weather and project-wide scenes. */
  projectKey: string;
  tele_s?: number;
  timeZone?: string;
  model?: string;
  firmware?: string;
  /** Share by which the site's voltage lies above nominal. */
  voltageBias?: number;
  /** dBm on average. */
  signal?: number;
  enables?: Record<string, boolean>;
}

export const linePhases = (config: LineConfig, type: DeviceType): readonly Phase[] => {
  const count = config.phases ?? (type === 2 || type === 4 || type === 6 || type === 7 ? 3 : 1);
  return count === 3 ? phases : phases.slice(0, 1);
};
export const isFeeder = (config: LineConfig, type: DeviceType) =>
  config.feeder ?? linePhases(config, type).length === 3;

/** What a scene does to a device at one instant; an empty object is an honest, healthy device. */
export interface Faults {
  /** The line on which line faults act. */
  line?: number;
  /** Current forced to this share of rated current. */
  currentRatio?: number;
  /** Growth of κ of a loose joint, per second. */
  looseRate?: number;
  thirdHarmonic?: number;
  /** Factor on the insulation resistance. */
  insulation?: number;
  /** Leakage added, mA. */
  leakStep?: number;
  /** Arcing half-cycles per second. */
  arcRate?: number;
  parallelArc?: { amperes: number; halfCycles: number };
  filterHealth?: number;
  /** Added to the supply's distortion, %. */
  voltageDistortion?: number;
  powerFactor?: number;
  /** Resistive load that appears at once, W. */
  heater?: number;
  /** Share on which unbalance piles the load of phase a. */
  skew?: number;

  supplyFactor?: number;
  phaseFactors?: readonly [number, number, number];
  hertzOffset?: number;
  reversedSequence?: boolean;
  /** Sags (or swells) of this factor, each lasting `seconds`, counted by `count`. */
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
   * How a firmware update goes wrong: the file is not the signed one, the new firmware does not start and the old one
   * comes back, the device reports nothing any more, or it says that it is updated and still runs the old one.
   */
  update?: 'fails' | 'rollsBack' | 'silent' | 'lies';
  /** Foreign heat on the cable and in the case, K. */
  heat?: number;
  caseHeat?: number;

  signal?: number;
  offline?: boolean;
  /** Mean seconds up and down of a flapping connection. */
  flapping?: { up: number; down: number };
  duplicateShare?: number;
  reorderShare?: number;
  /** Every message is held back for this long. */
  lateMs?: number;
  malformedShare?: number;
  /** Upload interval in s that overrides the parameter. */
  burstSeconds?: number;
}
export const healthy: Faults = {};
