/** What the server finds in a reading: an alarm continues, or is raised. */
import { isLoggedWhenOff } from '#contract/alarm-traits.ts';
import { isHeldBack } from './causes.ts';
import type { Draft, Finding } from './changes.ts';
import type { ActiveAlarm, LineState } from './memory.ts';

export type IsEnabled = (code: number) => boolean;

/** A value exceeds its limit while its alarm is active; `rises`: it exceeds the limit of a higher level. */
export const goOn = (
  draft: Draft,
  state: LineState,
  active: ActiveAlarm,
  finding: Finding,
  rises: boolean,
): void => {
  const { at, value, threshold, latched } = finding;
  const back = (active.normalAt !== null && active.latched) || active.goneAt !== null;
  if (active.goneAt !== null) draft.cameBack(active);
  draft.wake(active, at);
  if ((rises || back) && draft.renew(state, active, { ...finding, phase: active.phase })) return;
  if (active.parent !== null && !isHeldBack(state, active)) draft.reconsider(state, active, at);
  if (latched && !active.latched) draft.write(active).latched = true;
  if (rises) draft.escalate(state, active, at, value, threshold, latched);
  if (active.normalAt !== null) draft.write(active).normalAt = null;
  draft.repeat(active, finding, back || rises);
};

/**
 * If the type is switched off, serious conditions are logged, and the condition is kept without an alarm row.
 */
export const raiseFound = (draft: Draft, state: LineState, finding: Finding, isEnabled: IsEnabled): void => {
  const { type, phase, level, at, value, threshold } = finding;
  const unrecorded = !isEnabled(type.code);
  if (unrecorded && isLoggedWhenOff(type.code))
    draft.eventLines.push({
      lineId: state.lineId,
      at,
      code: type.code,
      phase,
      level,
      kind: 'raised',
      value,
      threshold,
      eventId: null,
    });
  draft.raise(state, unrecorded ? { ...finding, unrecorded } : finding);
};
