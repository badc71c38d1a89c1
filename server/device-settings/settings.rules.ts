import { isDeepStrictEqual } from 'node:util';
import { usualRatedCurrent } from '#contract/alarm-catalogue.ts';
import type { FaultCode } from '#contract/faults/codes.ts';
import { customHazard, enableHazard, graverOf, type Hazard, parameterHazard } from '#contract/hazards.ts';
import {
  brokenPair,
  enableOf,
  enablesOf,
  flawOf,
  parameterOf,
  parametersOf,
  type Rating,
} from '#contract/parameters.ts';
import type { CfgMessage, DeviceType } from '#contract/telemetry.ts';
import type { DesiredState, SettingKind } from '#database/tables/settings.ts';
import { type ConfigContent, type ConfigFacts, decideConfig } from '#server/control/config-message.ts';
import { customFlaw } from './custom.ts';

/** One value of a device: `place` is a line number, 0 the device itself. */
export interface Setting {
  kind: SettingKind;
  place: number;
  key: string;
}
export interface Wish extends Setting {
  value: unknown;
}
export type Reported = Readonly<Record<string, unknown>>;
export interface Desired extends Wish {
  seen: unknown;
  state: DesiredState;
  messageId: string | null;
}
export const customKey = 'x';
export const isNetControl = ({ kind, key }: Setting): boolean => kind === 'enable' && key === 'net_ctrl';
export const nameOf = ({ kind, place, key }: Setting): string => `${kind}/${place}/${key}`;
export const settingNamed = (name: string): Setting => {
  const [kind, place, ...key] = name.split('/');
  return { kind: kind as SettingKind, place: Number(place), key: key.join('/') };
};
export const same = (a: unknown, b: unknown): boolean => isDeepStrictEqual(a, b);

/** The values of a device's report by name, without values that cannot be set (unknown lines and keys). */
export const flatten = (config: Pick<CfgMessage, 'p' | 'en'>): Reported => {
  const values: Record<string, unknown> = {};
  for (const [place, given] of Object.entries(config.p)) {
    const n = place === 'dev' ? 0 : Number(place);
    if (!Number.isInteger(n) || n < 0 || n > 64 || (n === 0 && place !== 'dev')) continue;
    for (const [key, value] of Object.entries(given)) {
      if (n === 0 && key === customKey) values[nameOf({ kind: 'custom', place: 0, key })] = value;
      else if (parameterOf(key)?.of === (n === 0 ? 'device' : 'line'))
        values[nameOf({ kind: 'parameter', place: n, key })] = value;
    }
  }
  for (const [key, value] of Object.entries(config.en ?? {}))
    if (enableOf(key)) values[nameOf({ kind: 'enable', place: 0, key })] = value;
  return values;
};

/** Values whose reported value changed, with both. */
export const changesBetween = (before: Reported, after: Reported) =>
  [...new Set([...Object.keys(before), ...Object.keys(after)])]
    .filter((name) => !same(before[name], after[name]))
    .map((name) => ({
      ...settingNamed(name),
      before: before[name] ?? null,
      after: after[name] ?? null,
    }));

/** The faults of desired values for a device, by name; `known` are its other values. */
export const flawsOf = (
  wishes: readonly Wish[],
  device: { type: DeviceType; places: readonly number[] },
  known: Reported,
): Record<string, FaultCode> => {
  const flaws: Record<string, FaultCode> = {};
  const after: Record<string, unknown> = { ...known };
  for (const wish of wishes) {
    const flaw = flawOfWish(wish, device);
    if (flaw) flaws[nameOf(wish)] = flaw;
    else after[nameOf(wish)] = wish.value;
  }
  for (const wish of wishes) {
    if (wish.kind !== 'parameter' || flaws[nameOf(wish)]) continue;
    const values = Object.fromEntries(
      Object.entries(after).flatMap(([name, value]) => {
        const { kind, place, key } = settingNamed(name);
        return kind === 'parameter' && place === wish.place ? [[key, value]] : [];
      }),
    );
    if (brokenPair(values)?.includes(wish.key)) flaws[nameOf(wish)] = 'setting.order';
  }
  return flaws;
};
const flawOfWish = (
  { kind, place, key, value }: Wish,
  { type, places }: { type: DeviceType; places: readonly number[] },
): FaultCode | null => {
  if (kind === 'enable') {
    const enable = enableOf(key);
    if (!enable) return 'setting.unknown';
    if (!enable.types.includes(type)) return 'setting.notForType';
    if (enable.readOnly) return 'setting.readOnly';
    return typeof value === 'boolean' ? null : 'setting.boolean';
  }
  if (kind === 'custom') return customFlaw(value);
  const flaw = flawOf(key, value, type);
  if (flaw) return `setting.${flaw}`;
  const of = parameterOf(key)?.of;
  if (of === 'server') return 'setting.unknown';
  const ofDevice = of === 'device';
  return ofDevice === (place === 0) && (place === 0 || places.includes(place)) ? null : 'setting.place';
};

/** The default values of a device of this type. Enables that may energise a line are not among them. */
export const defaultsOf = (
  type: DeviceType,
  lines: readonly { n: number; rated_current: number | null; poles: number }[],
  nominalVoltage: number,
): Wish[] => {
  const rating = (line: { rated_current: number | null; poles: number } | undefined): Rating => ({
    type,
    nominalVoltage,
    ratedCurrent: line?.rated_current ?? usualRatedCurrent(type),
    poles: line?.poles ?? 1,
  });
  const at = (of: 'line' | 'device', place: number, about: Rating): Wish[] =>
    parametersOf(type, of).map((each) => ({
      kind: 'parameter',
      place,
      key: each.key,
      value: each.fallback(about),
    }));
  return [
    ...at('device', 0, rating(lines[0])),
    ...lines.flatMap((line) => at('line', line.n, rating(line))),
    ...enablesOf(type)
      .filter(
        (each) =>
          !each.readOnly &&
          each.key !== 'net_ctrl' &&
          !(each.hazard === 'closes' && each.fallback === each.hazardousValue),
      )
      .map((each): Wish => ({ kind: 'enable', place: 0, key: each.key, value: each.fallback })),
  ];
};

/** The effect of desired values on the safety of the lines of a device with the values `before`. */
export const hazardOf = (wishes: readonly Wish[], before: Reported): Hazard | null =>
  graverOf(
    wishes.map((wish) => {
      const value = before[nameOf(wish)];
      if (wish.kind === 'custom') return same(value, wish.value) ? null : customHazard;
      return wish.kind === 'enable'
        ? enableHazard(wish.key, value, wish.value)
        : parameterHazard(wish.key, value, wish.value);
    }),
  );

/**
 * Which of the missing values are sent next. Under a lock-out tag and after a trip, auto-reclose is switched off
 * first. Values that the guard refuses delay no others; if it refuses each, all are returned for the reason.
 */
export const nextToSend = <Missing extends Wish>(
  missing: readonly Missing[],
  facts: ConfigFacts,
): readonly Missing[] => {
  const mustNotClose = facts.tagged || facts.uninspected.length > 0;
  const rest = missing.filter(
    ({ kind, key, value }) => kind === 'enable' && key === 'auto_reclose' && value === false,
  );
  if (mustNotClose && rest.length > 0) return rest;
  const allowed = missing.filter((wish) => decideConfig(facts, contentOf([wish])) === null);
  return allowed.length > 0 ? allowed : missing;
};

export const contentOf = (wishes: readonly Wish[]): ConfigContent => {
  const p: Record<string, Record<string, unknown>> = {};
  const en: Record<string, boolean> = {};
  for (const { kind, place, key, value } of wishes) {
    if (kind === 'enable') en[key] = value === true;
    else {
      const at = place === 0 ? 'dev' : String(place);
      p[at] = { ...p[at], [key]: value };
    }
  }
  return {
    ...(Object.keys(p).length > 0 ? { p } : {}),
    ...(Object.keys(en).length > 0 ? { en } : {}),
  };
};

export interface Answer {
  id: string;
  st: 'applied' | 'conflict' | 'rejected';
  why?: string | undefined;
}
/**
 * The effect of a report on a desired value: applied if it shows the value; rejected if the device refused
 * it; in conflict if the value has changed otherwise since it was requested; else it keeps waiting.
 */
export const judge = (
  wish: Desired,
  reported: Reported,
  answer: Answer | null,
): { state: DesiredState; reason: string | null } => {
  const shown = reported[nameOf(wish)];
  if (same(shown, wish.value)) return { state: 'applied', reason: null };
  const answered = answer !== null && answer.id === wish.messageId;
  if (answered && answer.st === 'rejected' && answer.why !== 'expired')
    return { state: 'rejected', reason: answer.why ?? 'rejected' };
  if (answered && answer.st === 'applied') return { state: 'rejected', reason: 'not_taken' };
  if (wish.seen !== null && wish.seen !== undefined && !same(shown, wish.seen))
    return { state: 'conflict', reason: 'changed_on_device' };
  return { state: 'pending', reason: null };
};
