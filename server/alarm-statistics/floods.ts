/** Alarm floods, from the number of alarms in each window of ten minutes (ISA-18.2 16.5). */
import { floodBegins, floodEnds, windowMinutes } from '#contract/alarm-quality.ts';

export const windowMs = windowMinutes * 60_000;
/** A window in which an alarm was raised; `start` in ms. */
export interface Window {
  readonly start: number;
  readonly raised: number;
}
export interface Flood {
  from: number;
  to: number;
  raised: number;
}

/** Floods from windows in order of time; missing windows are empty. `positions` share the alarms evenly. */
export const floodsOf = (windows: readonly Window[], positions: number): Flood[] => {
  const floods: Flood[] = [];
  let flood: Flood | null = null;
  for (const { start, raised } of windows) {
    const each = raised / positions;
    const goesOn: boolean = flood !== null && flood.to === start && each >= floodEnds;
    if (flood && goesOn) {
      flood.to += windowMs;
      flood.raised += raised;
    } else if (each > floodBegins) {
      flood = { from: start, to: start + windowMs, raised };
      floods.push(flood);
    } else flood = null;
  }
  return floods;
};

export const isOver = ({ raised }: Window, positions: number): boolean => raised / positions > floodBegins;
