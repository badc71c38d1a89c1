/** Counts alarms in one pass over their packed rows (`day-rows.ts`). */

import type { DayRows } from './day-rows.ts';
import {
  codeOf,
  durationOf,
  durations,
  fields,
  levelOf,
  quarterMs,
  quarterOf,
  severityOf,
} from './day-rows.ts';
import { quantilesOf } from './durations.ts';

export interface Figures {
  raised: number;
  alarms: number;
  early_warnings: number;
  processed: number;
}
/** Which kinds of alarms count; undefined: all. */
interface Kinds {
  level?: number | undefined;
  severity?: number | undefined;
  typeNumber?: readonly number[] | undefined;
}

const warning = 1;
/** A copy with more room, for a list of numbers that is indexed by id or position. */
const widened = (list: Int32Array<ArrayBuffer>, length: number): Int32Array<ArrayBuffer> => {
  const wider = new Int32Array(Math.max(length, list.length * 2));
  wider.set(list);
  return wider;
};
/** Counts for each key (an id or an index): early warnings, alarms, processed ones. */
class Groups {
  /** Position of a key plus one; 0: it has none. */
  #places = new Int32Array(1024);
  readonly keys: number[] = [];
  #counts = new Int32Array(1024);
  placeOf(key: number): number {
    if (key >= this.#places.length) this.#places = widened(this.#places, key + 1);
    const known = this.#places[key]!;
    if (known > 0) return known - 1;
    const place = this.keys.push(key) - 1;
    if (place * 3 + 3 > this.#counts.length) this.#counts = widened(this.#counts, place * 3 + 3);
    this.#places[key] = place + 1;
    return place;
  }
  count(place: number, level: number, handled: boolean): void {
    const at = place * 3;
    this.#counts[level === warning ? at : at + 1]! += 1;
    if (handled) this.#counts[at + 2]! += 1;
  }
  figuresAt(place: number): Figures {
    const early_warnings = this.#counts[place * 3]!;
    const alarms = this.#counts[place * 3 + 1]!;
    const processed = this.#counts[place * 3 + 2]!;
    return { raised: early_warnings + alarms, alarms, early_warnings, processed };
  }
  /**
   * Positions of the keys with the most alarms; of equal ones the lowest key is first, and key 0 (none) is
   * last.
   */
  first(most: number): number[] {
    const raised = (place: number) => this.#counts[place * 3]! + this.#counts[place * 3 + 1]!;
    const rank = (place: number) => this.keys[place]! || Number.POSITIVE_INFINITY;
    return this.keys
      .map((_, place) => place)
      .sort((one, other) => raised(other) - raised(one) || (rank(one) < rank(other) ? -1 : 1))
      .slice(0, most);
  }
}

/** Duration classes from their counts; index 0 counts unhandled alarms. */
const classesOf = (counts: Uint32Array) =>
  [...counts].flatMap((n, at) => (n === 0 ? [] : [{ duration: at === 0 ? null : at - 1, processed: n }]));

type Histograms = Map<number, Uint32Array>;
const histogramOf = (histograms: Histograms, key: number): Uint32Array => {
  const known = histograms.get(key);
  if (known) return known;
  const made = new Uint32Array(durations);
  histograms.set(key, made);
  return made;
};

/** Figures of all matching kinds, with their times to handling. */
const figuresOf = (histograms: Histograms, fits: (kind: number) => boolean) => {
  const sum = new Uint32Array(durations);
  const figures: Figures = { raised: 0, alarms: 0, early_warnings: 0, processed: 0 };
  for (const [kind, counts] of histograms) {
    if (!fits(kind)) continue;
    const raised = counts.reduce((all, n) => all + n, 0);
    figures.raised += raised;
    figures[levelOf(kind) === warning ? 'early_warnings' : 'alarms'] += raised;
    figures.processed += raised - counts[0]!;
    for (let at = 0; at < durations; at += 1) sum[at]! += counts[at]!;
  }
  return { ...figures, ...quantilesOf(classesOf(sum)) };
};
const byKind = (histograms: Histograms) => {
  const each = <Key>(key: (kind: number) => Key) =>
    [...new Set([...histograms.keys()].map(key))].map((value) => ({
      value,
      ...figuresOf(histograms, (kind) => key(kind) === value),
    }));
  return {
    total: figuresOf(histograms, () => true),
    types: each(codeOf)
      .map(({ value, ...row }) => ({ typeNumber: value, ...row }))
      .sort((one, other) => other.raised - one.raised || one.typeNumber - other.typeNumber),
    severities: each(severityOf)
      .map(({ value, ...row }) => ({ severity: value, ...row }))
      .sort((one, other) => one.severity - other.severity),
  };
};

export interface Tally extends ReturnType<typeof byKind> {
  /** The figures of a quarter of an hour; quarters are counted from the beginning of the range. */
  quarterAt: (quarter: number) => Figures;
  projects: (Figures & ReturnType<typeof quantilesOf> & { project_id: number | null })[];
  devices: (Figures & { device_id: number; project_id: number | null; typeNumber: number })[];
}

/** Whether a kind of alarm is requested; the answer is remembered for each kind. */
const fitting = ({ level, severity, typeNumber }: Kinds) => {
  const codes = typeNumber?.length ? new Set(typeNumber) : null;
  const known = new Map<number, boolean>();
  return (kind: number): boolean => {
    const found = known.get(kind);
    if (found !== undefined) return found;
    const fits =
      (level === undefined || levelOf(kind) === level) &&
      (severity === undefined || severityOf(kind) === severity) &&
      (codes === null || codes.has(codeOf(kind)));
    known.set(kind, fits);
    return fits;
  };
};

/**
 * Counts alarms from one quarter of an hour to another; `most`: number of projects and devices in the
 * rankings.
 */
export const tallyOf = async (
  days: AsyncIterable<DayRows>,
  { from, to, kinds, most }: { from: number; to: number; kinds: Kinds; most: number },
): Promise<Tally> => {
  const [first, last] = [from / quarterMs, to / quarterMs];
  const fits = fitting(kinds);
  const times = new Groups();
  for (let quarter = 0; quarter < last - first; quarter += 1) times.placeOf(quarter);
  const devices = new Groups();
  const projects = new Groups();
  const projectOfDevice: number[] = [];
  const histograms: Histograms = new Map();
  const kept: Int32Array[] = [];
  for await (const { first: start, rows } of days) {
    let end = 0;
    for (let at = 0; at < rows.length; at += fields) {
      const kind = rows[at + 2]!;
      const time = rows[at + 3]!;
      const quarter = start + quarterOf(time) - first;
      if (quarter < 0 || quarter >= last - first || !fits(kind)) continue;
      const duration = durationOf(time);
      const level = levelOf(kind);
      const project = rows[at + 1]!;
      const device = devices.placeOf(rows[at]!);
      const place = projects.placeOf(project);
      times.count(quarter, level, duration > 0);
      devices.count(device, level, duration > 0);
      projects.count(place, level, duration > 0);
      histogramOf(histograms, kind)[duration]! += 1;
      projectOfDevice[device] = Math.max(projectOfDevice[device] ?? 0, project);
      // Rows that the rankings need are moved to the front of the array, over rows that were already read.
      rows[end] = device;
      rows[end + 1] = place;
      rows[end + 2] = kind;
      rows[end + 3] = duration;
      end += fields;
    }
    kept.push(rows.subarray(0, end));
  }
  const [noisiest, busiest] = [devices.first(most), projects.first(most)];
  const { codes, handled } = ranked(kept, noisiest, busiest);
  return {
    ...byKind(histograms),
    quarterAt: (quarter) => times.figuresAt(quarter),
    projects: busiest.map((place) => ({
      ...projects.figuresAt(place),
      ...quantilesOf(classesOf(handled.get(place)!)),
      project_id: projects.keys[place] || null,
    })),
    devices: noisiest.map((place) => ({
      ...devices.figuresAt(place),
      device_id: devices.keys[place]!,
      project_id: projectOfDevice[place] || null,
      typeNumber: mostFrequent(codes.get(place)!),
    })),
  };
};

/** The second pass: types of the noisiest devices, and handling times of the busiest projects. */
const ranked = (kept: readonly Int32Array[], noisiest: readonly number[], busiest: readonly number[]) => {
  const codes = new Map(noisiest.map((place) => [place, new Map<number, number>()]));
  const handled = new Map(busiest.map((place) => [place, new Uint32Array(durations)]));
  for (const rows of kept)
    for (let at = 0; at < rows.length; at += fields) {
      const times = handled.get(rows[at + 1]!);
      if (times) times[rows[at + 3]!]! += 1;
      const of = codes.get(rows[at]!);
      if (of) of.set(codeOf(rows[at + 2]!), (of.get(codeOf(rows[at + 2]!)) ?? 0) + 1);
    }
  return { codes, handled };
};
const mostFrequent = (counts: ReadonlyMap<number, number>): number =>
  [...counts].reduce((best, each) =>
    each[1] > best[1] || (each[1] === best[1] && each[0] < best[0]) ? each : best,
  )[0];
