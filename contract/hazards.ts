import { enableOf, parameterOf } from './parameters.ts';
import { type CommandVerb, type DeviceTimer, type DeviceType, switchingTypes } from './telemetry.ts';

/**
 * Hazards of an act, which make it need the same checks as closing.
 * - `closes`: it may close a line, at once or later. Needs the permission `line.switch`.
 * - `weakens`: a fault is detected or cleared later, or not at all. Both need a recent password, and a
 * lock-out tag forbids both.
 */
export type Hazard = 'closes' | 'weakens';

const withQuota: readonly DeviceType[] = [3, 4];
const restarts: readonly CommandVerb[] = ['reboot', 'ota'];

export const commandHazard = (verb: CommandVerb, type: DeviceType): Hazard | null => {
  if (verb === 'close') return 'closes';
  // A reset makes a limiter restore the supply, and a switch restart its auto-reclose attempts.
  if (verb === 'reset' && switchingTypes.includes(type)) return 'closes';
  // A line that its energy quota opened may close when the count is cleared.
  if (verb === 'clear_energy' && withQuota.includes(type)) return 'closes';
  // The lines are unprotected while the device restarts.
  return restarts.includes(verb) ? 'weakens' : null;
};

const limiter: DeviceType = 7;
/** Whether the command energises a line at once: a limiter that tripped restores the supply when it is reset. */
export const energises = (verb: CommandVerb, type: DeviceType): boolean =>
  verb === 'close' || (verb === 'reset' && type === limiter);

/**
 * Whether a line may close because of the command: at once, because its energy quota begins anew, or because the
 * device closes its lines when it starts.
 */
export const mayClose = (verb: CommandVerb, type: DeviceType): boolean =>
  energises(verb, type) || restarts.includes(verb) || (verb === 'clear_energy' && withQuota.includes(type));

/** Commands that act on every line of the device, whichever line they name. */
export const actsOnWholeDevice = (verb: CommandVerb): boolean =>
  restarts.includes(verb) || verb === 'time_sync';

/** Commands that may interrupt the supply of a line. */
export const mayInterrupt = (verb: CommandVerb): boolean =>
  verb === 'open' ||
  verb === 'leak_test' ||
  verb === 'arc_test' ||
  verb === 'selftest' ||
  restarts.includes(verb);

/** `before` is the value on the device; undefined or null: unknown, then every change counts as hazardous. */
export const parameterHazard = (key: string, before: unknown, after: unknown): Hazard | null => {
  const known = parameterOf(key);
  if (!known?.hazard || before === after) return null;
  const { hazard, weaker, zeroIsOff } = known;
  if (weaker === 'any' || typeof before !== 'number' || typeof after !== 'number') return hazard;
  // A switched-off limit is weaker than any value.
  if (zeroIsOff && after === 0) return hazard;
  if (zeroIsOff && before === 0) return null;
  return (weaker === 'higher' ? after > before : after < before) ? hazard : null;
};

/**
 * The hazard of a new limit that only the server applies. No such limit closes a line. `before` and `after`
 * are the values in effect.
 */
export const limitHazard = (
  key: string,
  before: number | undefined,
  after: number | undefined,
): Hazard | null => (parameterHazard(key, before, after) === null ? null : 'weakens');

export const enableHazard = (key: string, before: unknown, after: unknown): Hazard | null => {
  const known = enableOf(key);
  return known?.hazard && before !== after && after === known.hazardousValue ? known.hazard : null;
};

/** The effect of a custom object on the device is unknown. */
export const customHazard: Hazard = 'closes';

export const timerHazard = (timer: Pick<DeviceTimer, 'action'> & { en: unknown }): Hazard | null =>
  timer.action === 'close' && timer.en ? 'closes' : null;

/** The most severe of several hazards. */
export const graverOf = (hazards: Iterable<Hazard | null>): Hazard | null => {
  let graver: Hazard | null = null;
  for (const hazard of hazards) {
    if (hazard === 'closes') return 'closes';
    graver ??= hazard;
  }
  return graver;
};

/**
 * Whether what was asked for in one project stays behind there, because its device is in another one by now: the
 * people of that project were asked for nothing, even if the operator belongs to both. Only what may close a line or
 * weaken its protection stays behind.
 */
export const staysBehind = (hazard: Hazard | null, askedIn: number | null, isIn: number | null): boolean =>
  hazard !== null && askedIn !== isIn;
