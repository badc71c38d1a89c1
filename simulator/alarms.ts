import type { AlarmEventMessage } from '#contract/telemetry.ts';
import { phaseNames, type Rule, rules, type View } from './rules.ts';

/** One rule watched on one line and phase. */
interface Watch {
  rule: Rule;
  n: number;
  phase: number;
  perPhase: boolean;
  level: 0 | 1 | 2;
  eid: string;
  raisedAt: number;
  peak: number;
  overWarn: number;
  overAlarm: number;
  clear: number;
  lastValue: number;
}
/** An alarm that was active before a power failure. */
export interface StoredAlarm {
  code: number;
  phase: number;
  level: 1 | 2;
  eid: string;
  raisedAt: number;
  peak: number;
}
type AlarmFields = Omit<AlarmEventMessage, 'v' | 'boot' | 'seq' | 't' | 'tq' | 'bf'>;
export interface AlarmPort {
  nextId(): string;
  emit(event: AlarmFields): void;
}

const tidy = (value: number) => Math.round(value * 1000) / 1000;

/**
 * Raises an alarm when a value stays beyond its limit for the on-delay, escalates it under the same id, and
 * clears it when the value is back past limit and deadband for the off-delay. Latched alarms of level 2 stay
 * active until `reset`.
 */
export const createAlarms = (
  port: AlarmPort,
  n: number,
  phaseCount: number,
  type: View['type'],
  stored: readonly StoredAlarm[] = [],
) => {
  const scope = n === 0 ? 'device' : 'line';
  const watches: Watch[] = [];
  for (const rule of rules) {
    if (rule.scope !== scope || !rule.types.includes(type)) continue;
    const perPhase = rule.perPhase === true && phaseCount === 3;
    for (let phase = 0; phase < (perPhase ? phaseCount : 1); phase++)
      watches.push({
        rule,
        n,
        phase,
        perPhase,
        level: 0,
        eid: '',
        raisedAt: 0,
        peak: 0,
        overWarn: 0,
        overAlarm: 0,
        clear: 0,
        lastValue: 0,
      });
  }
  for (const { code, phase, ...stood } of stored) {
    const watch = watches.find((each) => each.rule.code === code && each.phase === phase);
    if (watch) Object.assign(watch, stood);
  }

  const raise = (
    watch: Watch,
    level: 1 | 2,
    view: View,
    at: number,
    act: string,
    snap: () => Record<string, unknown>,
  ) => {
    const { rule } = watch;
    if (watch.level === 0) {
      watch.eid = port.nextId();
      watch.raisedAt = at;
      watch.peak = watch.lastValue;
    }
    watch.level = level;
    watch.clear = 0;
    const threshold = level === 2 ? rule.alarm(view) : rule.warn!(view);
    port.emit({
      eid: watch.eid,
      kind: 'alarm',
      st: 'raise',
      code: rule.code,
      lvl: level,
      n: watch.n,
      ph: watch.perPhase ? phaseNames[watch.phase]! : null,
      val: tidy(watch.lastValue),
      thr: tidy(threshold),
      unit: rule.unit,
      latched: rule.latched === true && level === 2,
      act,
      snap: snap(),
    });
  };
  const clear = (watch: Watch, at: number) => {
    const level = watch.level as 1 | 2;
    watch.level = 0;
    watch.overWarn = 0;
    watch.overAlarm = 0;
    watch.clear = 0;
    port.emit({
      eid: watch.eid,
      kind: 'alarm',
      st: 'clear',
      code: watch.rule.code,
      lvl: level,
      n: watch.n,
      ph: watch.perPhase ? phaseNames[watch.phase]! : null,
      val: tidy(watch.lastValue),
      peak: tidy(watch.peak),
      dur: Math.round((at - watch.raisedAt) / 1000),
    });
  };
  const isBeyond = (rule: Rule, value: number, limit: number) => (rule.below ? value < limit : value > limit);

  return {
    /**
     * Evaluates all watched rules once. `act`: what the device itself did about a code. `cause`: the code
     * that opens the line now, whose alarm is raised at once.
     */
    judge(
      view: View,
      elapsed: number,
      at: number,
      act: (code: number) => string,
      snap: () => Record<string, unknown>,
      cause: number | null = null,
    ): boolean {
      let changed = false;
      for (const watch of watches) {
        const { rule } = watch;
        const value = rule.value(view, watch.phase);
        const sign = rule.below ? -1 : 1;
        // A rule without a value counts as back to normal: another code reports its condition.
        const known = value !== null;
        const judged = value ?? (rule.below ? Number.POSITIVE_INFINITY : Number.NEGATIVE_INFINITY);
        if (known) watch.lastValue = value;
        const alarmLimit = rule.alarm(view);
        const warnLimit = rule.warn ? rule.warn(view) : alarmLimit;
        const overAlarm = isBeyond(rule, judged, alarmLimit);
        const overWarn = overAlarm || isBeyond(rule, judged, warnLimit);
        watch.overAlarm = overAlarm ? watch.overAlarm + elapsed : 0;
        watch.overWarn = overWarn ? watch.overWarn + elapsed : 0;
        const delay = rule.code === cause ? 0 : rule.on(view);
        if (overAlarm && watch.level < 2 && watch.overAlarm >= delay) {
          raise(watch, 2, view, at, act(rule.code), snap);
          changed = true;
        } else if (overWarn && rule.warn && watch.level < 1 && watch.overWarn >= delay) {
          raise(watch, 1, view, at, act(rule.code), snap);
          changed = true;
        }
        if (watch.level === 0) continue;
        if (known && (value - watch.peak) * sign > 0) watch.peak = value;
        const limit = warnLimit - sign * (rule.deadband ? rule.deadband(view) : 0);
        const normal = !isBeyond(rule, judged, limit) || (!rule.deadband && !overWarn);
        watch.clear = normal ? watch.clear + elapsed : 0;
        if (rule.latched && watch.level === 2) continue;
        if (normal && watch.clear >= rule.off) {
          clear(watch, at);
          changed = true;
        }
      }
      return changed;
    },
    /**
     * Clears latched alarms whose value is normal; returns the codes that are still active at level 2 because
     * their value is not normal.
     */
    reset(at: number): number[] {
      const standing: number[] = [];
      for (const watch of watches) {
        if (!watch.rule.latched || watch.level !== 2) continue;
        if (watch.overWarn > 0) standing.push(watch.rule.code);
        else clear(watch, at);
      }
      return standing;
    },
    /** Whether any of these codes (or any at all) is active at level 2. */
    stands: (codes?: readonly number[]) =>
      watches.some((watch) => watch.level === 2 && (!codes || codes.includes(watch.rule.code))),
    active: () =>
      watches
        .filter((watch) => watch.level > 0)
        .map((watch) => ({ code: watch.rule.code, level: watch.level })),
    /** Active alarms, which are cleared under the same id after a power failure. */
    remembered: (): StoredAlarm[] =>
      watches.flatMap(({ rule, phase, level, eid, raisedAt, peak }) =>
        level === 0 ? [] : [{ code: rule.code, phase, level, eid, raisedAt, peak }],
      ),
  };
};
export type Alarms = ReturnType<typeof createAlarms>;
