import type { deviceSettingEndpoints } from '#contract/device-settings.ts';
import type { ReplyOf } from '#contract/endpoint.ts';
import type { Language } from '#contract/languages.ts';
import {
  enableMeanings,
  parameterNames,
  protectionMeaning,
  roleMeanings,
} from '#contract/parameter-names.ts';
import { enablesOf, type Parameter, parametersOf, type Rating } from '#contract/parameters.ts';
import type { Db } from '#database/connect.ts';
import { configFacts, decideConfig } from '#server/control/config-message.ts';
import { reasonSentence } from '#server/core/reason.ts';
import { platformLimits } from './platform-limits.ts';
import { customKey, nameOf, type Setting, same } from './settings.rules.ts';
import { type Known, settingsStore } from './settings.store.ts';
import type { Target } from './target.ts';

type Shown = ReplyOf<typeof deviceSettingEndpoints.select>;
type EnablesShown = ReplyOf<typeof deviceSettingEndpoints.enablesShown>;
type Wished = Awaited<ReturnType<ReturnType<typeof settingsStore>['desired']>>[number];

const standing = (
  setting: Setting,
  wishes: ReadonlyMap<string, Wished>,
  known: Known,
  language: Language,
) => {
  const wish = wishes.get(nameOf(setting));
  const reported = known.reported?.[nameOf(setting)] ?? null;
  return {
    desired: wish?.value ?? null,
    reported,
    state: wish?.state ?? ('none' as const),
    drift: wish?.state === 'applied' && reported !== null && !same(reported, wish.value),
    reason: wish?.reason ?? null,
    message: reasonSentence(wish?.reason ?? null, language),
    operator: wish?.operator ?? null,
    wished_at: wish?.wished_at.toISOString() ?? null,
    sent_at: wish?.sent_at?.toISOString() ?? null,
    settled_at: wish?.settled_at?.toISOString() ?? null,
  };
};

/** A device's settings as the screens show them. */
export const settingsView = async (db: Db, target: Target, now: number, language: Language) => {
  const store = settingsStore(db);
  // The desired values are read first, so that an ended one is never shown beside an older report.
  const wishes = new Map((await store.desired(target.id)).map((wish) => [nameOf(wish), wish]));
  const known = await store.known(target.id);
  const facts = await configFacts(db, target.id, now, { lock: false });
  const refusal = facts === null ? 'missing' : decideConfig(facts, { p: {} });
  const waits = refusal === 'busy' ? null : refusal;
  const about = {
    device_id: target.id,
    type: target.type,
    online: facts?.online ?? false,
    revision: known.revision,
    reported_revision: known.reportedRev,
    reported_at: known.reportedAt?.toISOString() ?? null,
    waits,
    waits_message: reasonSentence(waits, language),
  };
  const stand = (setting: Setting) => standing(setting, wishes, known, language);
  const row = (parameter: Parameter, rating: Rating, n: number, lineId: number | null) => ({
    key: parameter.key,
    n,
    line_id: lineId,
    name: parameterNames[parameter.key]![language],
    meaning: roleMeanings[parameter.role][language],
    role: parameter.role,
    unit: parameter.unit,
    min: parameter.min,
    max: parameter.max,
    step: parameter.step,
    zero_is_off: parameter.zeroIsOff ?? false,
    choices: parameter.choices ? [...parameter.choices] : null,
    default: parameter.fallback(rating),
    percent_of: parameter.share === 'un' ? rating.nominalVoltage : null,
    ...stand({ kind: 'parameter', place: n, key: parameter.key }),
  });
  return {
    about,
    known,
    stand,
    settings: async (): Promise<Shown> => {
      const limits = await platformLimits(db, target, known.reported, language);
      return {
        ...about,
        device: parametersOf(target.type, 'device').map((each) =>
          row(each, target.rating(target.lines[0]), 0, null),
        ),
        lines: target.lines.map((line) => ({
          line_id: line.id,
          n: line.n,
          name: line.name,
          settings: parametersOf(target.type, 'line').map((each) =>
            row(each, target.rating(line), line.n, line.id),
          ),
          ...limits(line),
        })),
        custom: stand({ kind: 'custom', place: 0, key: customKey }),
      };
    },
    enables: (): EnablesShown => ({
      ...about,
      enables: enablesOf(target.type).map((each) => ({
        key: each.key,
        name: parameterNames[each.key]![language],
        meaning: meaningOfEnable(each.key, language),
        default: each.fallback,
        read_only: each.readOnly ?? false,
        trips: each.trips ?? null,
        energises: each.hazard === 'closes' && each.hazardousValue === true,
        ...stand({ kind: 'enable', place: 0, key: each.key }),
      })),
    }),
  };
};

export const meaningOfEnable = (key: string, language: Language): string =>
  (enableMeanings[key] ?? (key.startsWith('prot_') ? protectionMeaning : roleMeanings.other))[language];
