import type { DeviceType } from '#contract/telemetry.ts';
import { lineChannels, phases } from '#contract/telemetry.ts';

export type Position = 0 | 1;
/** The facts of a line that its readings depend on. Volts line to neutral. */
export interface Measured {
  type: DeviceType;
  poles: number;
  nominalVoltage: number;
}
type Channels = readonly (number | null)[];
export type Verdict = 'agrees' | 'contradicts' | 'silent';
type Side = 'in' | 'out';

/**
 * Currents up to this, in A, count as zero for every rating: three steps of the coarsest meter (0.01 A) plus
 * its noise. Source: domain reference §1.1.
 */
export const noCurrent = 0.05;
/** Share of the nominal voltage required in every phase of a closed line. */
const leastVoltageShare = 0.6;
const threePhaseTypes: readonly DeviceType[] = [2, 4, 6];

const isThreePhase = ({ type, poles }: Pick<Measured, 'type' | 'poles'>): boolean =>
  threePhaseTypes.includes(type) || (type === 7 && poles >= 3);

/** A channel's value; null if it is not measured. Devices with two ports name the side of each channel. */
const measured = (type: DeviceType, channels: Channels, name: string, side: Side): number | null => {
  const names = lineChannels[type];
  const prefix = names.some((each) => each.startsWith('in.')) ? `${side}.` : '';
  const value = channels[names.indexOf(`${prefix}${name}`)];
  return typeof value === 'number' && Number.isFinite(value) ? value : null;
};

/**
 * Values of a quantity by phase, on the supply (`in`) or the load side (`out`) of the line; null if a phase
 * of the line is not measured. Additional phases count if they are measured.
 */
export const phaseValues = (
  line: Pick<Measured, 'type' | 'poles'>,
  channels: Channels,
  quantity: 'U' | 'I',
  side: Side,
): (number | null)[] =>
  phases.flatMap((phase) => {
    const value = measured(line.type, channels, `${quantity}.${phase}`, side);
    return value !== null || isThreePhase(line) || phase === 'a' ? [value] : [];
  });

/** Currents of all conductors on the load side, including the neutral if the line switches or measures it. */
const conductorCurrents = (line: Measured, channels: Channels): (number | null)[] => {
  const neutral = measured(line.type, channels, 'I.n', 'out');
  const isSwitched = isThreePhase(line) && line.poles >= 4;
  return [...phaseValues(line, channels, 'I', 'out'), ...(neutral !== null || isSwitched ? [neutral] : [])];
};

/** Whether a measured power is higher than zero current allows at the nominal voltage. */
const powerFlows = (line: Measured, channels: Channels): boolean => {
  const ofPhase = noCurrent * line.nominalVoltage;
  const exceeds = (name: string, most: number) =>
    Math.abs(measured(line.type, channels, name, 'out') ?? 0) > most;
  return (
    exceeds('P.t', isThreePhase(line) ? 3 * ofPhase : ofPhase) ||
    phases.some((phase) => exceeds(`P.${phase}`, ofPhase))
  );
};

/**
 * Whether one report shows the requested position and agrees with it electrically. Open: all conductors, the
 * neutral included, are measured and without current, and there is no power. Closed: at least 60 % of the
 * nominal voltage in every phase, at the output if it is measured there. Unmeasured quantities prove nothing.
 */
export const judge = (
  asked: Position,
  line: Measured,
  seen: { position: Position | null; channels: Channels },
): Verdict => {
  if (seen.position !== null && seen.position !== asked) return 'contradicts';
  if (asked === 0) {
    const currents = conductorCurrents(line, seen.channels);
    const flows = currents.some((current) => current !== null && Math.abs(current) > noCurrent);
    if (flows || powerFlows(line, seen.channels)) return 'contradicts';
    return seen.position === null || currents.includes(null) ? 'silent' : 'agrees';
  }
  if (seen.position === null) return 'silent';
  const least = leastVoltageShare * line.nominalVoltage;
  const voltages = phaseValues(line, seen.channels, 'U', 'out');
  if (voltages.some((voltage) => voltage !== null && voltage < least)) return 'contradicts';
  return voltages.includes(null) ? 'silent' : 'agrees';
};

/** The largest current that contradicts an open line, A; null if none is measured. */
export const largestCurrent = (line: Measured, channels: Channels): number | null => {
  const currents = conductorCurrents(line, channels).filter((current) => current !== null);
  return currents.length === 0 ? null : Math.max(...currents.map(Math.abs));
};
