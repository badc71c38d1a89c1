import { catalogueValue, ratingsOf, thresholdKeysOf } from '#contract/alarm-catalogue.ts';
import type { deviceSettingEndpoints } from '#contract/device-settings.ts';
import type { ReplyOf } from '#contract/endpoint.ts';
import type { Language } from '#contract/languages.ts';
import { parameterNames, roleMeanings } from '#contract/parameter-names.ts';
import { parameterOf } from '#contract/parameters.ts';
import type { Db } from '#database/connect.ts';
import { nameOf, type Reported } from './settings.rules.ts';
import type { Target, TargetLine } from './target.ts';

type LineShown = ReplyOf<typeof deviceSettingEndpoints.select>['lines'][number];
type Limits = Pick<LineShown, 'platform' | 'revision'>;

/**
 * For each line the limits by which the server judges it and which its device does not keep, and the revision
 * that a change of them needs.
 */
export const platformLimits = async (
  db: Db,
  target: Target,
  reported: Reported | null,
  language: Language,
): Promise<(line: TargetLine) => Limits> => {
  const rows = await db
    .selectFrom('lines')
    .innerJoin('effective_thresholds as effective', 'effective.line_id', 'lines.id')
    .select([
      'lines.id',
      'lines.revision',
      'lines.thresholds',
      'effective.inherited',
      'effective.thresholds as all',
    ])
    .where('lines.device_id', '=', target.id)
    .execute();
  const byLine = new Map(rows.map((row) => [row.id, row]));
  return (line) => {
    const row = byLine.get(line.id);
    const { type, nominalVoltage } = target;
    const ratings = ratingsOf({
      ...{ type, nominalVoltage, ratedCurrent: line.rated_current },
      thresholds: row?.all ?? {},
    });
    const isKept = (key: string) =>
      reported !== null && Object.hasOwn(reported, nameOf({ kind: 'parameter', place: line.n, key }));
    const platform = thresholdKeysOf(type).flatMap((key) => {
      const known = isKept(key) ? undefined : parameterOf(key);
      if (!known || known.choices || !known.types.includes(type)) return [];
      const { role, unit, min, max, step, zeroIsOff } = known;
      return {
        ...{ key, name: parameterNames[key]![language], meaning: roleMeanings[role][language] },
        ...{ role, unit, min, max, step, zero_is_off: zeroIsOff ?? false },
        own: row?.thresholds[key] ?? null,
        inherited: row?.inherited[key] ?? catalogueValue(key, type, ratings) ?? null,
      };
    });
    return { platform, revision: row?.revision ?? 1 };
  };
};
