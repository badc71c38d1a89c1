/** Device alarms whose end was lost: readings end them, or a restart that does not repeat them. */
import { alarmTypeOf } from '#contract/alarm-catalogue.ts';
import type { GroupReading } from '#server/core/group.ts';
import type { Draft } from './changes.ts';
import type { Check } from './check.ts';
import { holdMs } from './delays.ts';
import type { LineWatch } from './limits.ts';
import type { ActiveAlarm, Condition, LineState } from './memory.ts';

/** Values must be normal for this many off-delays before they overrule the device. */
const offDelays = 3;
/** How long a restarted device may take to raise active alarms again. */
const leastGraceMs = 60_000;

const isDevices = (condition: Condition): condition is Condition & { active: ActiveAlarm } =>
  condition.active?.source === 'device';

/** The checks that measure the alarm's quantity. If check or alarm has no phase, the phases need not match. */
const measuring = (checks: readonly Check[], { code, phase }: ActiveAlarm): Check[] =>
  checks.filter(
    (check) =>
      check.type.code === code &&
      check.type.off !== null &&
      (check.phase === phase || phase === 0 || check.phase === 0),
  );

/** Checks the device's own alarms of this line, after the line's checks were judged. */
export const endLost = (draft: Draft, { state, checks }: LineWatch, reading: GroupReading): void => {
  const unmeasured: Condition[] = [];
  for (const condition of [...state.conditions.values()].filter(isDevices)) {
    const found = measuring(checks.checks, condition.active);
    if (found.length === 0) unmeasured.push(condition);
    else endByReadings(draft, state, condition, found, reading);
  }
  if (unmeasured.length > 0) endRestarted(draft, state, unmeasured, reading);
};

const endByReadings = (
  draft: Draft,
  state: LineState,
  condition: Condition & { active: ActiveAlarm },
  checks: readonly Check[],
  reading: GroupReading,
): void => {
  const { at } = reading;
  const { threshold, unit } = condition.active;
  // The device's own limit may be nearer than the server's.
  const own = (check: Check) =>
    threshold === null || unit !== null || check.channel === undefined
      ? Number.POSITIVE_INFINITY
      : threshold * check.sign;
  const isNormal = (check: Check) =>
    !(check.needsClosed && reading.position === 0) &&
    check.measure(reading, state.memory) * check.sign <= Math.min(check.clear, own(check));
  draft.journal.touch(condition);
  if (!checks.every(isNormal)) {
    condition.quietSince = Number.NaN;
    return;
  }
  if (Number.isNaN(condition.quietSince)) condition.quietSince = at;
  const offMs = Math.max(...checks.map(({ timing }) => timing.offMs));
  const lasts = at < condition.chatteringUntil ? holdMs(offMs) : offMs;
  if (at - condition.quietSince < offDelays * lasts) return;
  const { active } = condition;
  if (!active.latched) draft.clear(state, active, at, 'cleared', 'readings');
  else if (active.normalAt === null) draft.needReset(active, at);
};

/**
 * Ends alarms that no reading measures, when the device reports a later boot than the one that raised them
 * and does not raise them again.
 */
export const endRestarted = (
  draft: Draft,
  state: LineState,
  among: readonly Condition[],
  reading: GroupReading,
): void => {
  const conditions = among.length > 0 ? among : [...state.conditions.values()];
  for (const condition of conditions.filter(isDevices)) {
    const { active } = condition;
    if (active.latched || active.boot === null || reading.boot <= active.boot) continue;
    draft.journal.touch(condition);
    if (Number.isNaN(condition.restartedAt)) condition.restartedAt = reading.at;
    const graceMs = Math.max(leastGraceMs, (alarmTypeOf(active.code)?.on ?? 0) * 1000);
    if (reading.at - condition.restartedAt >= graceMs)
      draft.clear(state, active, reading.at, 'cleared', 'restart');
  }
};
