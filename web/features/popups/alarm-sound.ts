import type { LiveEvent } from '#contract/live.ts';
import { isCritical } from './popup-queue.ts';

/**
 * One low tone for an early warning, two high ones for an alarm, four alternating ones for critical alarms
 * (Hz).
 */
export const tonesOf = (alarm: Pick<LiveEvent['alarm'], 'level' | 'severity'>): readonly number[] => {
  if (alarm.level < 2) return [587];
  return isCritical(alarm) ? [988, 740, 988, 740] : [880, 880];
};
