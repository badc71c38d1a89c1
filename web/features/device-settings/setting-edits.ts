import { type FaultCode, sentence } from '#contract/faults/codes.ts';
import type { Language } from '#contract/languages.ts';
import { brokenPair, flawOf, type ParameterValue } from '#contract/parameters.ts';
import type { DeviceType } from '#contract/telemetry.ts';
import { type Bounds, digitsOf, numberFlaw } from '#web/parts/number-flaw.ts';
import type { Setting, Settings } from './settings.query.ts';

/** Typed values that were not sent yet, by line and key: '1/ov_w'. */
export type Edits = Readonly<Record<string, ParameterValue>>;
export const editKey = ({ n, key }: Pick<Setting, 'n' | 'key'>): string => `${n}/${key}`;

export const allSettings = (settings: Settings): readonly Setting[] => [
  ...settings.device,
  ...settings.lines.flatMap((line) => line.settings),
];

/** The coming value: the desired one, else the reported one, else the confirmed one. */
export const comingValue = ({ desired, reported, state }: Setting): unknown =>
  state === 'pending' || state === 'conflict' ? desired : (reported ?? desired);

/** The faults of the edits, by their key; pairs are compared with the device's coming values. */
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

export const boundsOf = ({
  min,
  max,
  step,
  zero_is_off,
}: Pick<Setting, 'min' | 'max' | 'step' | 'zero_is_off'>): Bounds => ({
  min,
  max,
  digits: digitsOf(step),
  zeroIsOff: zero_is_off,
});
/** The sentence at a field: an out-of-range value is shown with its bound. */
export const flawText = (
  setting: Setting,
  edited: ParameterValue | undefined,
  flaw: FaultCode,
  language: Language,
): string =>
  (typeof edited === 'number' && setting.choices === null
    ? numberFlaw(edited, boundsOf(setting), language)
    : null) ?? sentence(flaw, language);

export interface Change {
  setting: Setting;
  before: unknown;
  after: ParameterValue;
}
/** The edits that differ from the present value. */
export const changesOf = (settings: Settings, edits: Edits): readonly Change[] =>
  allSettings(settings).flatMap((setting) => {
    const after = edits[editKey(setting)];
    const before = comingValue(setting);
    return after === undefined || after === before ? [] : [{ setting, before, after }];
  });

/** What other users changed between two loads, among the edited values. */
export const changedMeanwhile = (seen: Settings, now: Settings, edits: Edits): readonly Setting[] => {
  const before = new Map(allSettings(seen).map((setting) => [editKey(setting), setting]));
  return allSettings(now).filter((setting) => {
    const old = before.get(editKey(setting));
    return edits[editKey(setting)] !== undefined && old && comingValue(old) !== comingValue(setting);
  });
};
