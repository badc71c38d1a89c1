import type { DeviceType } from '#contract/telemetry.ts';
import { lineChannels, phases } from '#contract/telemetry.ts';

export type Position = 0 | 1;
/** What of a line its readings are understood by. Amperes, volts line to neutral. */
export interface Measured {
  type: DeviceType;
  poles: number;
  ratedCurrent: number | null;
  nominalVoltage: number;
}
type Channels = readonly (number | null)[];
export type Verdict = 'agrees' | 'contradicts' | 'silent';

const leastCurrent = 0.05;
const leastCurrentShare = 0.005;
const leastVoltageShare = 0.6;

/**
 * Values of a quantity by phase, on the supply (`in`) or the load side (`out`) of the line; null where a phase that
 * the line has is not measured. Phases beyond those the line must have count where they are measured.
 */
export const phaseValues = (
  { type, poles }: Pick<Measured, 'type' | 'poles'>,
  channels: Channels,
  quantity: 'U' | 'I',
  side: 'in' | 'out',
): (number | null)[] => {
  const names = lineChannels[type];
  const prefix = names.some((name) => name.startsWith('in.')) ? `${side}.` : '';
  const threePhase = type === 2 || type === 4 || type === 6 || (type === 7 && poles >= 3);
  return phases.flatMap((phase) => {
    const value = channels[names.indexOf(`${prefix}${quantity}.${phase}`)];
    const known = typeof value === 'number' && Number.isFinite(value);
    if (known) return [value];
    return threePhase || phase === 'a' ? [null] : [];
  });
};

/** Currents up to this, in A, count as none: metering noise. */
export const noCurrent = (ratedCurrent: number | null): number =>
  Math.max(leastCurrent, leastCurrentShare * (ratedCurrent ?? 0));

/**
 * Whether a report shows the asked position and agrees with it electrically. Open: no load current in any phase,
 * and every phase measured. Closed: voltage of at least 60 % nominal in every phase, at the output where it is measured
 * there. What is not measured proves nothing.
 * Source: switching.md, 'Life of a command'.
 */
export const judge = (
  asked: Position,
  line: Measured,
  seen: { position: Position | null; channels: Channels },
): Verdict => {
  if (seen.position !== null && seen.position !== asked) return 'contradicts';
  if (asked === 0) {
    const currents = phaseValues(line, seen.channels, 'I', 'out');
    const limit = noCurrent(line.ratedCurrent);
    if (currents.some((current) => current !== null && current >= limit)) return 'contradicts';
    return seen.position === null || currents.includes(null) ? 'silent' : 'agrees';
  }
  if (seen.position === null) return 'silent';
  const least = leastVoltageShare * line.nominalVoltage;
  const voltages = phaseValues(line, seen.channels, 'U', 'out');
  if (voltages.some((voltage) => voltage !== null && voltage < least)) return 'contradicts';
  return voltages.includes(null) ? 'silent' : 'agrees';
};
