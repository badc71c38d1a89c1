import type { FaultCode } from '#contract/faults/codes.ts';
import { brokenPair, flawOf, type ParameterValue, parameterOf } from '#contract/parameters.ts';
import type { DeviceType } from '#contract/telemetry.ts';
import type { Setting, Settings } from './settings.query.ts';

/** Values typed and not yet sent, by place and key: '1/ov_w'. */
export type Edits = Readonly<Record<string, ParameterValue>>;
export const editKey = ({ n, key }: Pick<Setting, 'n' | 'key'>): string => `${n}/${key}`;

export const allSettings = (settings: Settings): readonly Setting[] => [
  ...settings.device,
  ...settings.lines.flatMap((line) => line.settings),
];

/** What the device is to work with: what is still wished, else what it reports, else what was confirmed. */
export const comingValue = ({ desired, reported, state }: Setting): unknown =>
  state === 'pending' || state === 'conflict' ? desired : (reported ?? desired);

/** What is wrong with the edits, by their key; pairs are compared with what the device is to have beside them. */
export const flawsOf = (settings: Settings, edits: Edits): Readonly<Record<string, FaultCode>> => {
  const flaws: Record<string, FaultCode> = {};
  const all = allSettings(settings);
  for (const setting of all) {
    const edited = edits[editKey(setting)];
    if (edited === undefined) continue;
    const flaw = flawOf(setting.key, edited, settings.type as DeviceType);
    if (flaw) flaws[editKey(setting)] = `setting.${flaw}`;
  }
  for (const n of new Set(all.map((setting) => setting.n))) {
    const here = all.filter((setting) => setting.n === n);
    const values = Object.fromEntries(
      here.map((setting) => [setting.key, edits[editKey(setting)] ?? comingValue(setting)]),
    );
    const broken = brokenPair(values);
    if (!broken) continue;
    for (const key of broken) {
      const name = `${n}/${key}`;
      if (edits[name] !== undefined) flaws[name] ??= 'setting.order';
    }
  }
  return flaws;
};

export interface Change {
  setting: Setting;
  before: unknown;
  after: ParameterValue;
}
/** The edits that would change something. */
export const changesOf = (settings: Settings, edits: Edits): readonly Change[] =>
  allSettings(settings).flatMap((setting) => {
    const after = edits[editKey(setting)];
    const before = comingValue(setting);
    return after === undefined || after === before ? [] : [{ setting, before, after }];
  });

/** What others changed between two looks, of what is being edited. */
export const changedMeanwhile = (seen: Settings, now: Settings, edits: Edits): readonly Setting[] => {
  const before = new Map(allSettings(seen).map((setting) => [editKey(setting), setting]));
  return allSettings(now).filter((setting) => {
    const old = before.get(editKey(setting));
    return edits[editKey(setting)] !== undefined && old && comingValue(old) !== comingValue(setting);
  });
};

/** '110–300, step 1; 0: off'. */
export const rangeOf = ({ key }: Pick<Setting, 'key'>) => {
  const known = parameterOf(key);
  return known && !known.choices ? { min: known.min, max: known.max } : null;
};
