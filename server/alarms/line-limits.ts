import { levelsOf } from '#contract/alarm-catalogue.ts';
import type { LineLimits } from '#contract/lines.ts';
import { lineChannels } from '#contract/telemetry.ts';
import { checksOf } from './engine/limits.ts';
import { lineRefOf, type StoredLine } from './engine/stored-lines.ts';

/** The limits of channels that are judged directly, by channel name, in their units. */
export const lineLimits = (row: StoredLine): Record<string, LineLimits> => {
  const line = lineRefOf(row);
  const names = lineChannels[line.type];
  const { checks, ratings } = checksOf(line, () => Number.NaN);
  const known = (limit: number) => (Number.isFinite(limit) ? limit : null);
  const found: Record<string, LineLimits> = {};
  for (const { channel, type } of checks) {
    const name = channel === undefined ? undefined : names[channel];
    if (name === undefined) continue;
    const { early, alarm } = levelsOf(type, line.type, ratings);
    found[name] = {
      ...(found[name] ?? noLimits),
      ...(type.side === 'above'
        ? { early: known(early), alarm: known(alarm) }
        : { low_early: known(early), low_alarm: known(alarm) }),
    };
  }
  return found;
};
const noLimits: LineLimits = { early: null, alarm: null, low_early: null, low_alarm: null };
