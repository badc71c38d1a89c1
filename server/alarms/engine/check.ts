/** The checks of a line: one for each alarm and phase. */
import type { AlarmType } from '#contract/alarm-catalogue.ts';
import type { GroupReading } from '#server/core/group.ts';
import type { Draft } from './changes.ts';
import type { Timing } from './delays.ts';
import type { LineMemory, LineState, Measure } from './memory.ts';

/** Limits are multiplied by `sign`, so that 'beyond' always means 'greater'. */
export interface Check {
  readonly type: AlarmType;
  readonly phase: number;
  readonly key: number;
  readonly measure: Measure;
  /** The stored channel, if the check judges a channel directly. */
  readonly channel?: number;
  readonly sign: 1 | -1;
  /** +Infinity if the level does not exist. */
  readonly early: number;
  readonly alarm: number;
  /** The nearer of both limits, and the value below which it counts as normal again. */
  readonly first: number;
  readonly clear: number;
  /**
   * Beyond `forbidden` the line may not be closed, until the value is within `allowed`: used only if the
   * alarm level is switched off, and with the catalogue's limit. Else +Infinity.
   */
  readonly forbidden: number;
  readonly allowed: number;
  /** An alarm of level 2 latches beyond this value. */
  readonly latchAbove: number;
  readonly timing: Timing;
  /** The voltage of an open line proves nothing: it may be measured behind the contacts. */
  readonly needsClosed: boolean;
  /**
   * While this is true, the check raises no alarm and its delay starts again. The alarms of such a check
   * belong to no other check.
   */
  readonly waits?: (draft: Pick<Draft, 'isProcessed'>, state: LineState, deviceLineId: number) => boolean;
  /** Replaces the measured value and its threshold for users if the measure itself means nothing to them. */
  readonly shows?: (
    reading: GroupReading,
    memory: LineMemory,
    level: 1 | 2,
  ) => readonly [value: number | null, threshold: number, unit?: string];
}
