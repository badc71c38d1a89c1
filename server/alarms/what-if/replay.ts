/**
 * Judges stored readings again by the rules for live ones (`engine/`), with the present limits and with
 * others.
 */
import { alarmCodes } from '#contract/alarm-codes.ts';
import { lineChannels } from '#contract/telemetry.ts';
import type { GroupReading, LineRef } from '#server/core/group.ts';
import { flag } from '#server/core/reading-flags.ts';
import { Draft } from '../engine/changes.ts';
import { judgeReading, resetLine } from '../engine/evaluate-reading.ts';
import { checksOf, type LineWatch } from '../engine/limits.ts';
import { type ActiveAlarm, AlarmMemory } from '../engine/memory.ts';
import { judgedReading } from '../engine/stored-lines.ts';
import type { StoredReading } from './stored-readings.ts';

/** Longer than any delay: conditions that began before the period are known when it begins. */
export const warmUpMs = 2 * 3_600_000;
/**
 * Number of readings after which data that is only needed to write alarms is released: a month of it would
 * fill the memory.
 */
const draftReadings = 500;

/** One condition from its beginning to its end; its level is the highest that it reached. */
export interface Episode {
  readonly at: number;
  readonly endedAt: number | null;
  readonly phase: number;
  readonly level: 1 | 2;
  readonly severity: number;
  readonly value: number | null;
  readonly threshold: number | null;
}
export interface JudgedLimits {
  readonly early: number | null;
  readonly alarm: number | null;
  /** The value at which an alarm ends. */
  readonly end: number | null;
}

/** Alarms that can suppress one of the same line: they are judged too, so that a consequence stays one. */
const causes: readonly number[] = [
  alarmCodes.outage,
  alarmCodes.phaseLoss,
  alarmCodes.neutralLoss,
  alarmCodes.leakage,
  alarmCodes.leakageStep,
];

const none: readonly number[] = [];
/**
 * A stored reading in the form of a live one, with every channel of its type and the channels with failed
 * sensors. It is read once and judged twice.
 */
export const replayed = (
  ref: LineRef,
  { at, position, trip, flags, channels }: StoredReading,
): GroupReading => {
  // A channel that was added to the type later is missing in older readings.
  for (let index = channels.length; index < lineChannels[ref.type].length; index += 1) channels.push(null);
  const faults =
    (flags & flag.sensorFault) === 0
      ? none
      : channels.flatMap((value, index) => (value === null ? [index] : []));
  return judgedReading(ref, { at, position, trip, channels, faults });
};

export interface Replay {
  take(reading: GroupReading): void;
  /** The judged value of the last reading, of the worst phase; null: it has none. */
  judgedValue(): number | null;
  episodes(since: number, until: number): Episode[];
  readonly limits: JudgedLimits;
}

/** `resets`: times at which the line was reset, ascending. */
export const createReplay = (ref: LineRef, code: number, resets: readonly number[]): Replay => {
  const judged = new Set([code, ...causes]);
  const { checks, ...others } = checksOf(ref, () => Number.POSITIVE_INFINITY);
  const watch: LineWatch = {
    state: new AlarmMemory().line(ref.lineId, ref.deviceId),
    checks: { ...others, checks: checks.filter(({ type }) => judged.has(type.code)) },
    orphans: [],
  };
  const asked = watch.checks.checks.filter(({ type }) => type.code === code);
  const found: ActiveAlarm[] = [];
  let draft = new Draft(() => false);
  let taken = 0;
  let done = 0;
  let last: GroupReading | null = null;
  const renewDraft = () => {
    for (const { alarm } of draft.raises) if (alarm.code === code) found.push(alarm);
    draft = new Draft(() => false);
  };
  return {
    take: (reading) => {
      for (; done < resets.length && resets[done]! < reading.at; done += 1)
        resetLine(draft, watch, resets[done]!);
      last = reading;
      judgeReading(draft, watch, reading, () => true);
      taken += 1;
      if (taken % draftReadings === 0) renewDraft();
    },
    judgedValue: () => {
      if (last === null) return null;
      let worst = Number.NaN;
      for (const { measure, sign } of asked) {
        const value = measure(last, watch.state.memory) * sign;
        if (Number.isFinite(value) && !(value <= worst)) worst = value;
      }
      return Number.isNaN(worst) ? null : worst * (asked[0]?.sign ?? 1);
    },
    episodes: (since, until) => {
      renewDraft();
      return found
        .filter(({ parent, raisedAt }) => parent === null && raisedAt >= since && raisedAt <= until)
        .map(episodeOf);
    },
    limits: limitsOf(asked[0]),
  };
};

const finite = (value: number | null | undefined): number | null =>
  value !== null && value !== undefined && Number.isFinite(value) ? value : null;
const limitsOf = (
  check: Pick<LineWatch['checks']['checks'][number], 'early' | 'alarm' | 'clear' | 'sign'> | undefined,
): JudgedLimits => {
  const of = (limit: number | undefined) => finite(limit === undefined ? null : limit * (check?.sign ?? 1));
  return { early: of(check?.early), alarm: of(check?.alarm), end: of(check?.clear) };
};
const episodeOf = (alarm: ActiveAlarm): Episode => ({
  at: alarm.raisedAt,
  endedAt: alarm.clearedAt,
  phase: alarm.phase,
  level: alarm.level,
  severity: alarm.severity,
  value: finite(alarm.peak),
  threshold: finite(alarm.threshold),
});

export interface Comparison {
  /** The alarms of the present settings, divided: same level, early warning only, missed. */
  readonly remain: Episode[];
  readonly lowered: Episode[];
  readonly missed: Episode[];
  readonly added: Episode[];
}
const overlap = (one: Episode, other: Episode): boolean =>
  one.phase === other.phase &&
  one.at <= (other.endedAt ?? Number.POSITIVE_INFINITY) &&
  other.at <= (one.endedAt ?? Number.POSITIVE_INFINITY);

/** Alarms that remain, become early warnings only, are missed, and are new. */
export const compare = (before: readonly Episode[], after: readonly Episode[]): Comparison => {
  const levelIn = (episode: Episode, others: readonly Episode[]): number =>
    others.reduce((most, other) => (overlap(episode, other) ? Math.max(most, other.level) : most), 0);
  const levels = new Map(before.map((episode) => [episode, levelIn(episode, after)]));
  const those = (fits: (level: number, episode: Episode) => boolean) =>
    before.filter((episode) => fits(levels.get(episode) ?? 0, episode));
  return {
    remain: those((level, episode) => level >= episode.level),
    lowered: those((level, episode) => level > 0 && level < episode.level),
    missed: those((level) => level === 0),
    added: after.filter((episode) => levelIn(episode, before) === 0),
  };
};
