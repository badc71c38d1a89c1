import { isFresh } from '#contract/freshness.ts';
import { judge, type Position } from '#server/core/evidence.ts';
import type { DeviceFacts, LineFacts } from './control.guard.ts';

/**
 * Whether a line is proved to be in a position. Closed: it reports so. Open: it reports so and every
 * conductor is without current and power. Missing, stale or unmeasured facts prove nothing.
 */
export const isProvedIn = (asked: Position, device: DeviceFacts, line: LineFacts, now: number): boolean => {
  const seen = line.latest;
  const { type, nominalVoltage, uploadSeconds } = device;
  if (!seen || seen.position !== asked || !isFresh(seen.positionAt, now, uploadSeconds)) return false;
  if (asked === 1) return true;
  const measured = { type, poles: line.poles, nominalVoltage };
  return isFresh(seen.at, now, uploadSeconds) && judge(0, measured, seen) === 'agrees';
};
