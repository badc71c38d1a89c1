import type { AlarmRow } from '#contract/alarms.ts';

export interface AlarmGroup {
  readonly key: string;
  /** Newest first. */
  readonly rows: readonly AlarmRow[];
  readonly devices: number;
  readonly worst: AlarmRow;
  readonly storm: boolean;
}
export type Grouping = 'device' | 'storm';
type Row = Pick<AlarmRow, 'id' | 'device_id' | 'project_id' | 'time' | 'severity' | 'level' | 'status'>;

/** Alarms of one site with less than a minute between them belong together; five of them are a storm. */
const stormGapMs = 60_000;
const stormLeast = 5;

const newestFirst = <R extends Row>(rows: readonly R[]) =>
  [...rows].sort((a, b) => Date.parse(b.time) - Date.parse(a.time) || b.id - a.id);

const isOpen = ({ status }: Row) => status === 'unprocessed';
/** The most severe alarm that is still to be handled; if all are handled, of all. */
const worstOf = (rows: readonly AlarmRow[]): AlarmRow =>
  (rows.some(isOpen) ? rows.filter(isOpen) : rows).reduce((worst, row) =>
    row.severity < worst.severity || (row.severity === worst.severity && row.level > worst.level)
      ? row
      : worst,
  );
const groupOf = (key: string, rows: readonly AlarmRow[]): AlarmGroup => ({
  key,
  rows,
  devices: new Set(rows.map(({ device_id }) => device_id)).size,
  worst: worstOf(rows),
  storm: rows.length >= stormLeast,
});

/** Ids of the unprocessed alarms. */
export const openOf = ({ rows }: AlarmGroup): number[] => rows.filter(isOpen).map(({ id }) => id);

/** Alarm types with their counts, most frequent first. */
export const typesOf = ({ rows }: AlarmGroup): (readonly [code: number, count: number])[] =>
  [...Map.groupBy(rows, ({ typeNumber }) => typeNumber)]
    .map(([code, group]) => [code, group.length] as const)
    .sort((a, b) => b[1] - a[1]);

export const titleOf = ({ worst }: AlarmGroup, by: Grouping): string =>
  by === 'device'
    ? [worst.device_number, worst.project_name].filter(Boolean).join(' · ')
    : worst.project_name || worst.device_number;

/** Groups with unprocessed alarms first, then by the most severe of these, then newest. */
const gravestFirst = (groups: readonly AlarmGroup[]): AlarmGroup[] => {
  const openness = ({ worst }: AlarmGroup) => Number(isOpen(worst));
  return [...groups].sort(
    (a, b) =>
      openness(b) - openness(a) ||
      a.worst.severity - b.worst.severity ||
      b.worst.level - a.worst.level ||
      Date.parse(b.rows[0]!.time) - Date.parse(a.rows[0]!.time),
  );
};

export const byDevice = (rows: readonly AlarmRow[]): AlarmGroup[] =>
  // An outage of a whole project has no device.
  gravestFirst(
    [...Map.groupBy(newestFirst(rows), ({ device_id, project_id }) => device_id || -(project_id ?? 0))].map(
      ([device, group]) => groupOf(`d${device}`, group),
    ),
  );

export const byStorm = (rows: readonly AlarmRow[]): AlarmGroup[] =>
  gravestFirst(
    [...Map.groupBy(newestFirst(rows), ({ project_id }) => project_id)].flatMap(([project, group]) => {
      const bursts: AlarmRow[][] = [];
      for (const row of group) {
        const burst = bursts.at(-1);
        const before = burst?.at(-1);
        if (burst && before && Date.parse(before.time) - Date.parse(row.time) <= stormGapMs) burst.push(row);
        else bursts.push([row]);
      }
      return bursts.map((burst) => groupOf(`p${project}-${burst.at(-1)!.id}`, burst));
    }),
  );
