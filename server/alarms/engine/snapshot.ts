import { lineChannels } from '#contract/telemetry.ts';
import type { GroupEvent, GroupReading } from '#server/core/group.ts';

/** Writes a value under a dotted channel name: `in.U.a` is `{in:{U:{a}}}`, as in messages. */
const put = (target: Record<string, unknown>, name: string, value: number): void => {
  let at = target;
  const parts = name.split('.');
  for (const part of parts.slice(0, -1)) {
    const inner = (at[part] ?? {}) as Record<string, unknown>;
    at[part] = inner;
    at = inner;
  }
  at[parts.at(-1) ?? name] = value;
};

/** Named values of a line's channels, nested as the device sends them; unmeasured ones are left out. */
export const namedChannels = (
  type: GroupReading['line']['type'],
  channels: readonly (number | null)[],
): Record<string, unknown> => {
  const named: Record<string, unknown> = {};
  lineChannels[type].forEach((name, index) => {
    const value = channels[index];
    if (value !== null && value !== undefined) put(named, name, value);
  });
  return named;
};

/** Electrical values at the time of an alarm. */
export const snapshotOf = (what: GroupReading | GroupEvent): Record<string, unknown> | null => {
  if ('message' in what) return 'snap' in what.message ? (what.message.snap ?? null) : null;
  const snapshot = namedChannels(what.line.type, what.channels);
  if (what.position !== null) snapshot['sw'] = what.position;
  if (what.trip !== null) snapshot['trip'] = what.trip;
  if (what.energy !== null) snapshot['E'] = what.energy;
  return snapshot;
};
