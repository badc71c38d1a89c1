import { alarmCatalogue, judgedKeysOf } from '#contract/alarm-catalogue.ts';
import { comingValue } from './setting-edits.ts';
import type { Setting, Settings } from './settings.query.ts';

/** What a protection does step by step, and how long it waits before. */
export const stages = ['warn', 'alarm', 'trip', 'delay'] as const;
export type Stage = (typeof stages)[number];
export interface Cell {
  setting: Setting;
  /** What the device works with, or is to. */
  value: unknown;
  /** Another value than the default. */
  isOwn: boolean;
}
export interface Protection {
  /** The alarm type that it belongs to. */
  code: number;
  /** By the number of the line, then by stage. */
  lines: ReadonlyMap<number, Partial<Record<Stage, Cell>>>;
}

/** Keys of one protection begin alike: `ov_w`, `ov_a`, `ov_t`, `ov_trip`. */
const familyOf = (key: string): string => /^(.+)_(?:w|a|t|trip)$/.exec(key)?.[1] ?? key;
const codeOf = new Map(
  alarmCatalogue.flatMap((type) => judgedKeysOf(type).map((key) => [familyOf(key), type.code] as const)),
);
const isStage = (role: string): role is Stage => stages.some((stage) => stage === role);

/** The protections of all lines of a device, in the order of the alarm catalogue. */
export const protectionsOf = ({ lines }: Pick<Settings, 'lines'>): readonly Protection[] => {
  const found = new Map<string, Map<number, Partial<Record<Stage, Cell>>>>();
  for (const setting of lines.flatMap((line) => line.settings)) {
    const family = familyOf(setting.key);
    if (!isStage(setting.role) || !codeOf.has(family)) continue;
    const ofLines = found.get(family) ?? new Map<number, Partial<Record<Stage, Cell>>>();
    const value = comingValue(setting) ?? null;
    const isOwn = value !== null && value !== setting.default;
    ofLines.set(setting.n, { ...ofLines.get(setting.n), [setting.role]: { setting, value, isOwn } });
    found.set(family, ofLines);
  }
  return [...found]
    .map(([family, ofLines]) => ({ code: codeOf.get(family)!, lines: ofLines }))
    .toSorted((a, b) => a.code - b.code);
};
