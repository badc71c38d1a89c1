import type { AlarmRow } from '#contract/alarms.ts';
import { type AlarmGroup, byDevice, byStorm } from '../alarm-groups.ts';

/** Rows that belong together under one header; single rows and the plain list have none. */
export interface QueueSection {
  readonly key: string;
  readonly group: AlarmGroup | null;
  readonly rows: readonly AlarmRow[];
  /** The first alarm of the event, to begin with. */
  readonly firstOut: number | null;
}

/** The first alarm of an event with more than one alarm. */
const firstOutOf = (rows: readonly AlarmRow[]): number | null =>
  rows.length < 2
    ? null
    : rows.reduce((first, row) =>
        Date.parse(row.time) < Date.parse(first.time) ||
        (row.time === first.time && row.severity < first.severity)
          ? row
          : first,
      ).id;

export const sectionsOf = (
  rows: readonly AlarmRow[],
  by: 'device' | 'storm' | undefined,
): readonly QueueSection[] => {
  if (by === undefined) return [{ key: 'all', group: null, rows, firstOut: null }];
  const groups = by === 'device' ? byDevice(rows) : byStorm(rows);
  return groups.map((group) => ({
    key: group.key,
    group: group.rows.length > 1 ? group : null,
    rows: group.rows,
    firstOut: by === 'storm' ? firstOutOf(group.rows) : null,
  }));
};
