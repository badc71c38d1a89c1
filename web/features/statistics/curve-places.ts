/** Aligns the points of two load curves on one axis, in a zone whose clocks may change. */
import type { ZonedFormats } from './zoned.ts';

const dayMs = 86_400_000;
const stepsMs = { quarter: 900_000, hour: 3_600_000, day: dayMs } as const;
type Step = keyof typeof stepsMs;
interface Curve {
  from: string;
  curve: readonly { at: string }[];
}
interface CurvePlaces {
  /** The position of each point of the main curve. */
  own: readonly number[];
  /** The position of each point of the compared curve; null: its time is not on the axis. */
  compared: readonly (number | null)[];
  /** An instant at each position. */
  times: readonly string[];
}

/** Points of the compared curve are aligned by local time, counted from the beginning of each range. */
export const curvePlaces = (
  step: Step,
  figures: Curve,
  compared: Curve | null,
  { wallClock }: Pick<ZonedFormats, 'wallClock'>,
): CurvePlaces => {
  const stepMs = stepsMs[step];
  const from = Date.parse(figures.from);
  const begun = wallClock(figures.from);
  const own = figures.curve.map(({ at }) =>
    Math.round((step === 'day' ? wallClock(at) - begun : Date.parse(at) - from) / stepMs),
  );
  const othersBegun = compared ? wallClock(compared.from) : 0;
  const others = (compared?.curve ?? []).map(({ at }) => wallClock(at) - othersBegun);
  const count = Math.max(-1, ...own, ...others.map((offset) => Math.floor(offset / stepMs))) + 1;
  const places = new Map<number, number>();
  // With noon the day is right even if clocks have changed since the beginning.
  const times = Array.from({ length: count }, (_, index) =>
    new Date(from + index * stepMs + (step === 'day' ? dayMs / 2 : 0)).toISOString(),
  );
  for (const [index, time] of times.entries()) {
    const offset = step === 'day' ? index * dayMs : wallClock(time) - begun;
    if (!places.has(offset)) places.set(offset, index);
  }
  const taken = new Set<number>();
  return {
    own,
    times,
    compared: others.map((offset) => {
      const place = places.get(offset);
      if (place === undefined || taken.has(place)) return null;
      taken.add(place);
      return place;
    }),
  };
};
