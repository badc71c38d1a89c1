import { alarmCatalogue, judgedKeysOf } from '#contract/alarm-catalogue.ts';
import { comingValue } from './setting-edits.ts';
import type { Enable, PlatformLimit, Setting, Settings } from './settings.query.ts';

/** The stages of a protection, and its delay. */
export const stages = ['warn', 'alarm', 'trip', 'delay'] as const;
type Stage = (typeof stages)[number];
export interface Cell {
  setting: Setting;
  /** The value that the device has or will have: the desired one if there is one. */
  value: unknown;
  /** Whether this value differs from the default. */
  isOwn: boolean;
}
export interface LineProtection {
  /** The values that the device keeps. */
  stages: Partial<Record<Stage, Cell>>;
  /** The limits by which only the server judges. */
  platform: readonly PlatformLimit[];
}
interface Protection {
  /** The alarm type of the protection. */
  code: number;
  /** Enables its trip on the whole device. */
  enable: Enable | null;
  /** By line number. */
  lines: ReadonlyMap<number, LineProtection>;
}

/**
 * The keys of one protection begin alike: `ov_w`, `ov_a`, `ov_t`, `ov_trip`, and `ov_d` for a limit of the
 * platform.
 */
const familyOf = (key: string): string => /^(.+)_(?:w|a|t|d|trip)$/.exec(key)?.[1] ?? key;
const codeOf = new Map(
  alarmCatalogue.flatMap((type) => judgedKeysOf(type).map((key) => [familyOf(key), type.code] as const)),
);
const isStage = (role: string): role is Stage => stages.some((stage) => stage === role);

/** The protections of all lines of a device, in the order of the alarm catalogue. */
export const protectionsOf = (
  { lines }: Pick<Settings, 'lines'>,
  enables: readonly Enable[] = [],
): readonly Protection[] => {
  const found = new Map<number, Map<number, LineProtection>>();
  const add = (code: number, n: number, more: (before: LineProtection) => Partial<LineProtection>) => {
    const ofLines = found.get(code) ?? new Map<number, LineProtection>();
    const before = ofLines.get(n) ?? { stages: {}, platform: [] };
    found.set(code, ofLines.set(n, { ...before, ...more(before) }));
  };
  for (const { n, settings, platform } of lines) {
    for (const setting of settings) {
      const { role } = setting;
      const code = codeOf.get(familyOf(setting.key));
      if (!isStage(role) || code === undefined) continue;
      const cell = cellOf(setting);
      add(code, n, ({ stages: before }) => ({ stages: { ...before, [role]: cell } }));
    }
    for (const limit of platform) {
      const code = codeOf.get(familyOf(limit.key));
      if (code !== undefined) add(code, n, (before) => ({ platform: [...before.platform, limit] }));
    }
  }
  const enableOf = new Map(enables.map((enable) => [enable.trips, enable]));
  for (const { trips } of enables) if (trips !== null && !found.has(trips)) found.set(trips, new Map());
  return [...found]
    .map(([code, ofLines]) => ({ code, enable: enableOf.get(code) ?? null, lines: ofLines }))
    .toSorted((a, b) => a.code - b.code);
};

const cellOf = (setting: Setting): Cell => {
  const value = comingValue(setting) ?? null;
  return { setting, value, isOwn: value !== null && value !== setting.default };
};
