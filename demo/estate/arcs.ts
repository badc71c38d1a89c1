import { alarmCodes } from '#contract/alarm-codes.ts';
import { lineChannels } from '#contract/telemetry.ts';
import type { Episode } from './alarms.ts';
import { randomOf } from './random.ts';

const minuteMs = 60_000;
/** Readings that are kept before the alarm, and after its value is normal again. */
const aroundMs = 15 * minuteMs;
/** How long single arcs occur before the alarm. */
const rampMs = 4 * minuteMs;

/** The readings around the alarms that wait for an operator: older than the other raw readings. */
export interface KeptReadings {
  keeps(lineId: number, at: number): boolean;
  /** Writes the arcs of that time into the channels of a reading. */
  draw(lineId: number, at: number, channels: number[]): void;
}

/** Arcs per second: single ones before the alarm, about the alarm's value while it lasts, none afterwards. */
const arcsAt = (
  { raisedAt, value, peak }: Episode,
  until: number,
  at: number,
  chance: () => number,
): number => {
  const [usual, most] = [value ?? 0, peak ?? value ?? 0];
  if (at < raisedAt - rampMs || at > until) return 0;
  if (at < raisedAt) return Math.floor((usual - 3) * ((at - raisedAt + rampMs) / rampMs) * chance());
  return Math.round(usual + (most - usual) * chance());
};

export const keptReadings = (episodes: readonly Episode[], seed: string | number): KeptReadings => {
  const spans = new Map(
    episodes
      .filter(({ code, clearedAt, line }) => code === alarmCodes.seriesArc && clearedAt === null && line)
      .map((episode) => {
        const until = episode.normalAt ?? episode.raisedAt + aroundMs;
        const from = Math.floor((episode.raisedAt - aroundMs) / minuteMs) * minuteMs;
        const to = Math.ceil((until + aroundMs) / minuteMs) * minuteMs;
        const channel = lineChannels[episode.device.type].indexOf('arcH');
        const random = randomOf(seed, `arcs/${episode.line!.id}`);
        return [episode.line!.id, { episode, until, from, to, channel, random }] as const;
      }),
  );
  return {
    keeps(lineId, at) {
      const span = spans.get(lineId);
      return span !== undefined && at >= span.from && at < span.to;
    },
    draw(lineId, at, channels) {
      const span = spans.get(lineId);
      if (span && at >= span.from && at < span.to)
        channels[span.channel] = arcsAt(span.episode, span.until, at, span.random.next);
    },
  };
};
