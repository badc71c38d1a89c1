/** What a line is judged by: one check for each alarm and phase. */
import type { AlarmType } from '#contract/alarm-catalogue.ts';
import type { GroupReading } from '#server/core/group.ts';
import type { Draft } from './changes.ts';
import type { Timing } from './delays.ts';
import type { LineMemory, LineState, Measure } from './memory.ts';

/** Limits are kept times `sign`, so that 'beyond' is always 'greater'. */
export interface Check {
  readonly type: AlarmType;
  readonly phase: number;
  readonly key: number;
  readonly measure: Measure;
  /** The stored channel, where the check judges one as it is. */
  readonly channel?: number;
  readonly sign: 1 | -1;
  /** +Infinity where the level does not exist. */
  readonly early: number;
  readonly alarm: number;
  /** The nearer of both, and where the value counts as normal again. */
  readonly first: number;
  readonly clear: number;
  /**
   * Beyond `forbidden` the line may not be closed, until the value is within `allowed`: only where the alarm level
   * itself is switched off, and with the catalogue's limit. Else +Infinity.
   */
  readonly forbidden: number;
  readonly allowed: number;
  /** At level 2 it latches when it is beyond this. */
  readonly latchAbove: number;
  readonly timing: Timing;
  /** Voltage of an open line proves nothing: it may be measured behind the contacts. */
  readonly needsClosed: boolean;
  /** While this holds, the check raises nothing and its delay starts again. Such a check has only alarms of its own. */
  readonly waits?: (draft: Pick<Draft, 'isProcessed'>, state: LineState, deviceLineId: number) => boolean;
  /** What to show as value and threshold, where the measure itself says little. */
  readonly shows?: (
    reading: GroupReading,
    memory: LineMemory,
    level: 1 | 2,
  ) => readonly [value: number | null, threshold: number, unit?: string];
}
