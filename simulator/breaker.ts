import {
  type Core,
  closeBlockingCodes,
  isLocked,
  type Line,
  numeric,
  type PositionCause,
  type Refusal,
} from './core.ts';

const hour = 3_600_000;
const restMs = 3_000;
const operationsPerHour = 10;

const isSupplyBad = (core: Core, line: Line) => {
  const high = numeric(line.parameters, 'ov_a');
  const low = numeric(line.parameters, 'uv_a');
  return (
    line.model.readings.volts.some((volts) => volts > high || volts < low) || core.faults.reversedSequence
  );
};

/**
 * Why the device itself refuses to move the contacts, whatever asks for it. Source: domain reference §4.2.
 */
export const whyNotMove = (core: Core, line: Line, target: 0 | 1): Refusal => {
  if (isLocked(core)) return 'locked';
  if (target === 0) return null;
  if (line.trip !== 0) return 'tripped';
  if (line.alarms.stands(closeBlockingCodes)) return 'alarm_active';
  if (isSupplyBad(core, line)) return 'supply_bad';
  if (core.ota) return 'ota';
  const now = core.now();
  line.operations = line.operations.filter((at) => now - at < hour);
  if (line.operations.some((at) => now - at < restMs) || line.operations.length >= operationsPerHour)
    return 'too_fast';
  return null;
};

/** Moves the contacts at once and reports it. */
export const move = (
  core: Core,
  line: Line,
  target: 0 | 1,
  by: PositionCause,
  detail: { id?: string; code?: number } = {},
) => {
  line.operation?.cancel();
  line.operation = null;
  if (line.position === target) return;
  line.position = target;
  line.conducting = target === 1 || core.faults.contact === 'welded';
  line.operations.push(core.now());
  core.touch();
  core.settle();
  core.hurry();
  core.sendEvent({ eid: core.nextEventId(), kind: 'pos', n: line.config.n, sw: target, by, ...detail });
};

/** Starts the drive; the contacts arrive some tens of milliseconds later. */
export const drive = (core: Core, line: Line, target: 0 | 1, id: string | null, arrived: () => void) => {
  line.operation?.cancel();
  const operation = {
    id,
    target,
    cancel: core.clock.after(Math.round(core.random.between(30, 90)), () => {
      if (line.operation === operation) line.operation = null;
      arrived();
    }),
  };
  line.operation = operation;
};

/** Opens the line as a protection does, and latches the cause until `reset`. */
export const tripLine = (core: Core, line: Line, code: number) => {
  line.trip = code;
  if (code === 205) line.shortCircuits++;
  move(core, line, 0, 'trip', { code });
};

const recloseCodes: readonly number[] = [101, 102];
const forgetAfterSeconds = 600;

/**
 * Auto-reclose: only after over- and undervoltage, a limited number of times, when the supply is normal
 * again.
 */
export const stepReclose = (core: Core, line: Line, elapsed: number) => {
  const { reclose } = line;
  if (line.trip === 0) {
    reclose.calmFor += elapsed;
    if (reclose.calmFor >= forgetAfterSeconds) reclose.attempts = 0;
    return;
  }
  reclose.calmFor = 0;
  if (!core.enables['auto_reclose'] || !recloseCodes.includes(line.trip) || reclose.locked) return;
  if (reclose.attempts >= numeric(core.parameters, 'ar_n')) {
    reclose.locked = true;
    return;
  }
  reclose.goodFor = isSupplyBad(core, line) ? 0 : reclose.goodFor + elapsed;
  if (reclose.goodFor < numeric(core.parameters, 'ar_t') || isLocked(core)) return;
  reclose.goodFor = 0;
  reclose.attempts++;
  line.trip = 0;
  move(core, line, 1, 'reclose');
};
