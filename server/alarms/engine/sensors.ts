/** Sensors that report their own fault: an alarm (805) for each channel of a line. */

import { alarmTypeOf } from '#contract/alarm-catalogue.ts';
import { alarmCodes } from '#contract/alarm-codes.ts';
import type { GroupReading } from '#server/core/group.ts';
import type { Draft, Finding } from './changes.ts';
import { holdMs, isIdle, isSettled, step, type Timing } from './delays.ts';
import { goOn, type IsEnabled, raiseFound } from './found.ts';
import { type Condition, firstChannelPhase, type LineState } from './memory.ts';
import { snapshotOf } from './snapshot.ts';

const sensorCode = alarmCodes.sensorFault;
const type = alarmTypeOf(sensorCode);
const timing: Timing = { onMs: (type?.on ?? 0) * 1000, offMs: (type?.off ?? 0) * 1000, atOnce: false };

/** A channel that is missing in a reading is neither faulty nor sound. */
export const judgeSensors = (
  draft: Draft,
  state: LineState,
  reading: GroupReading,
  isEnabled: IsEnabled,
): void => {
  for (const channel of reading.faults) judge(draft, state, reading, channel, 2, isEnabled);
  if (state.conditions.size === 0) return;
  // Consequences first: they end when their cause does.
  const known = [...state.conditions.values()].filter(
    ({ code, phase }) => code === sensorCode && phase >= firstChannelPhase,
  );
  for (const isConsequence of [true, false])
    for (const { phase, active } of known) {
      const channel = phase - firstChannelPhase;
      const sound = Number.isFinite(reading.channels[channel]);
      if (sound && (active !== null && active.parent !== null) === isConsequence)
        judge(draft, state, reading, channel, 0, isEnabled);
    }
};

const judge = (
  draft: Draft,
  state: LineState,
  reading: GroupReading,
  channel: number,
  level: 0 | 2,
  isEnabled: IsEnabled,
): void => {
  const { at } = reading;
  const condition = draft.journal.condition(state, sensorCode, firstChannelPhase + channel);
  const { active } = condition;
  const offMs = at < condition.chatteringUntil ? holdMs(timing.offMs) : timing.offMs;
  const verdict = step(condition, { ...timing, offMs }, at, level, level === 0, active?.level ?? 0);
  if (verdict === 'normal' && active) draft.clear(state, active, at, 'cleared');
  else if (verdict === 'alarm' || verdict === 'still') {
    const finding = findingOf(reading, condition);
    if (active && finding) goOn(draft, state, active, finding, false);
    else if (finding) raiseFound(draft, state, finding, isEnabled);
  }
  if (condition.active === null && isIdle(condition) && isSettled(condition, at))
    draft.journal.forget(state, condition);
};

const findingOf = (reading: GroupReading, { phase }: Condition): Finding | null =>
  type
    ? {
        line: reading.line,
        type,
        phase,
        level: 2,
        source: 'server',
        at: reading.at,
        receivedAt: reading.receivedAt,
        value: null,
        threshold: null,
        unit: null,
        latched: false,
        boot: reading.boot,
        snapshot: () => snapshotOf(reading),
        original: reading.original,
      }
    : null;
