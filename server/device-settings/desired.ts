import type { deviceSettingEndpoints } from '#contract/device-settings.ts';
import type { BodyOf } from '#contract/endpoint.ts';
import type { FaultCode } from '#contract/faults/codes.ts';
import { graverOf, type Hazard } from '#contract/hazards.ts';
import { parameterOf } from '#contract/parameters.ts';
import type { Db } from '#database/connect.ts';
import { fault } from '#server/core/fault.ts';
import { flawsOf, hazardOf, nameOf, type Reported, type Wish } from './settings.rules.ts';
import { settingsStore } from './settings.store.ts';
import type { Target } from './target.ts';

type Given = BodyOf<typeof deviceSettingEndpoints.set>['settings'][number];

/** The values that the device will have in the end: its report, overlaid with the desired values. */
export const comingValues = async (db: Db, deviceId: number): Promise<Reported> => {
  const store = settingsStore(db);
  const { reported } = await store.known(deviceId);
  const waiting = (await store.desired(deviceId)).filter((wish) => wish.state === 'pending');
  return { ...reported, ...Object.fromEntries(waiting.map((wish) => [nameOf(wish), wish.value])) };
};

/**
 * The effect of desired values on the safety of the device's lines, compared with the device now and with its
 * coming values: replacing a stricter limit that was already sent weakens too.
 */
export const hazardFor = async (
  db: Db,
  deviceId: number,
  wishes: readonly Wish[],
): Promise<Hazard | null> => {
  const { reported } = await settingsStore(db).known(deviceId);
  return graverOf([hazardOf(wishes, reported ?? {}), hazardOf(wishes, await comingValues(db, deviceId))]);
};

/** The requested desired values for one device; null if they name a line that it does not have. */
const wishesOf = (given: Given, target: Target, everyLine: boolean): Wish[] | null => {
  const wish = (place: number): Wish => ({ kind: 'parameter', place, key: given.key, value: given.value });
  if (parameterOf(given.key)?.of === 'device') return [wish(0)];
  if (given.line_id !== undefined) {
    const line = target.lines.find((one) => one.id === given.line_id);
    return line ? [wish(line.n)] : null;
  }
  if (given.n !== undefined && given.n > 0)
    return target.lines.some((line) => line.n === given.n) ? [wish(given.n)] : null;
  return everyLine ? target.lines.map((line) => wish(line.n)) : null;
};

/** Validated desired values for one device, or faults by their index in the list (`settings.2.value`). */
export const readWishes = (
  settings: readonly Given[],
  target: Target,
  known: Reported,
  everyLine = false,
): { wishes: Wish[]; fields: Record<string, FaultCode> } => {
  const fields: Record<string, FaultCode> = {};
  const wishes = new Map<string, Wish>();
  const indexOf = new Map<string, number>();
  settings.forEach((given, index) => {
    const made = wishesOf(given, target, everyLine);
    if (!made) {
      fields[`settings.${index}.value`] = parameterOf(given.key) ? 'setting.place' : 'setting.unknown';
      return;
    }
    for (const wish of made) {
      wishes.set(nameOf(wish), wish);
      indexOf.set(nameOf(wish), index);
    }
  });
  const places = target.lines.map((line) => line.n);
  const flaws = flawsOf([...wishes.values()], { type: target.type, places }, known);
  for (const [name, code] of Object.entries(flaws)) fields[`settings.${indexOf.get(name)}.value`] ??= code;
  return { wishes: [...wishes.values()], fields };
};

export const mustBeSound = (fields: Readonly<Record<string, FaultCode>>): void => {
  if (Object.keys(fields).length > 0) fault('request.invalid', { fields });
};
