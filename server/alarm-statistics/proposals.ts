/** What to do about a source of many alarms, based on how they begin and end. */
import { alarmTypeOf } from '#contract/alarm-catalogue.ts';
import { alarmCodes } from '#contract/alarm-codes.ts';
import type { Proposal } from '#contract/alarm-quality.ts';

export interface Offender {
  readonly typeNumber: number;
  readonly raised: number;
  readonly early_warnings: number;
  readonly chattering: number;
  /** Median duration of the alarms that ended. */
  readonly median_s: number | null;
  readonly active_s: number;
  /** Median of how far the peak exceeded the limit, as a share of the limit; null: unknown. */
  readonly beyond: number | null;
}

const ofLink: ReadonlySet<number> = new Set([alarmCodes.offline, alarmCodes.weakLink]);
const ofDevice: ReadonlySet<number> = new Set([
  alarmCodes.clock,
  alarmCodes.deviceFault,
  alarmCodes.sensorFault,
]);
/** Share of the period. */
const mostOfTheTime = 0.5;
const often = 1 / 3;
const mostly = 2 / 3;
const fewest = 3;
const justBeyond = 0.05;

/** Whether the server compares a value with a limit; only then can limit, deadband and delay be changed. */
const isCompared = (code: number): boolean => {
  const type = alarmTypeOf(code);
  return type !== undefined && (type.alarm !== null || type.warn !== null) && type.off !== null;
};
/** Whether the alarm usually ends by itself within a few of its delays. */
const isShort = ({ typeNumber, median_s }: Offender): boolean => {
  const type = alarmTypeOf(typeNumber);
  return median_s !== null && type !== undefined && median_s <= 3 * Math.max(60, type.off ?? 0);
};

export const proposalOf = (offender: Offender, periodSeconds: number): Proposal => {
  const { typeNumber, raised, early_warnings, chattering, active_s, beyond } = offender;
  if (ofLink.has(typeNumber)) return 'link';
  if (ofDevice.has(typeNumber)) return 'device';
  if (active_s > mostOfTheTime * periodSeconds) return 'standing';
  if (raised < fewest && chattering === 0) return 'few';
  if (!isCompared(typeNumber)) return 'cause';
  if (chattering >= often * raised || isShort(offender)) return 'steady';
  if (early_warnings >= mostly * raised && beyond !== null && beyond <= justBeyond) return 'limit';
  return 'cause';
};
