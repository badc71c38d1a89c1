import { alarmTypeOf } from '#contract/alarm-catalogue.ts';
import { alarmCodes } from '#contract/alarm-codes.ts';
import { alarmUnit } from '#contract/alarm-units.ts';
import { channelUnit } from '#contract/parameter-names.ts';
import { type DeviceType, lineChannels } from '#contract/telemetry.ts';

const letters = ['', 'a', 'b', 'c', 'n'];
const quantities: Readonly<Record<number, readonly string[]>> = {
  1: ['U.?', 'in.U.?'],
  2: ['I.?', 'out.I.?'],
  3: ['P.t', 'out.P.t'],
  4: ['IL'],
  6: ['arcH'],
  7: ['U.?', 'in.U.?'],
};
const sensors: Readonly<Record<number, readonly string[]>> = {
  [alarmCodes.currentUnbalance]: ['I.?', 'out.I.?'],
  [alarmCodes.neutralOvercurrent]: ['I.n', 'out.I.n'],
  [alarmCodes.cableTemperature]: ['T.l', 'T.?'],
  [alarmCodes.coreTemperature]: ['T.m', 'T.?'],
  [alarmCodes.shellTemperature]: ['T.c'],
  [alarmCodes.temperatureRise]: ['T.m', 'T.?', 'T.l'],
  [alarmCodes.leakageTrend]: ['IL'],
  [alarmCodes.jointTrend]: ['T.m', 'T.?', 'T.l'],
  [alarmCodes.arcTrend]: ['arc'],
  [alarmCodes.frequency]: ['F'],
  [alarmCodes.powerFactor]: ['PF.t', 'out.PF.t'],
  [alarmCodes.voltageDistortion]: ['out.HU.?'],
  [alarmCodes.currentDistortion]: ['out.HI.?'],
  [alarmCodes.filtering]: ['out.HI.?'],
};

/** The channel that shows the quantity of an alarm, or -1. */
export const alarmChannel = (type: DeviceType, code: number, phase: number): number => {
  const names = lineChannels[type];
  const letter = letters[phase] || 'a';
  const wanted = sensors[code] ?? quantities[alarmTypeOf(code)?.valueType ?? 10] ?? [];
  for (const name of wanted) {
    const found = names.indexOf(name.replace('?', letter));
    if (found >= 0) return found;
  }
  return -1;
};

/**
 * Types that judge a value derived from readings in the same unit: a difference between phases, a step, a
 * residual share.
 */
const computed: ReadonlySet<number> = new Set([
  alarmCodes.neutralLoss,
  alarmCodes.leakageStep,
  alarmCodes.filtering,
]);
/** Whether a channel shows the same quantity as the alarm's value and limits. */
export const isComparable = (
  channel: string,
  { code, value_type, unit }: { code: number; value_type: number; unit: string | null },
): boolean =>
  !computed.has(code) && channelUnit(channel) === alarmUnit({ typeNumber: code, value_type, unit }).unit;
