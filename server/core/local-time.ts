/** Instants of local times, in zones whose clocks change. */
import type { IANAZone } from 'luxon';

const minuteMs = 60_000;
const dayMs = 86_400_000;
const probes = [-dayMs, -dayMs / 2, 0, dayMs / 2, dayMs];

const mostOffsets = 20_000;
const offsets = new Map<string, Map<number, number>>();
let knownOffsets = 0;
/**
 * The zone's offset at an instant, in ms. Calculating it is slow, and what is due at one time needs the same
 * one.
 */
export const offsetMs = (zone: IANAZone, at: number): number => {
  if (knownOffsets >= mostOffsets) {
    offsets.clear();
    knownOffsets = 0;
  }
  const ofZone = offsets.get(zone.name) ?? new Map<number, number>();
  const known = ofZone.get(at);
  if (known !== undefined) return known;
  offsets.set(zone.name, ofZone);
  const reckoned = zone.offset(at) * minuteMs;
  ofZone.set(at, reckoned);
  knownOffsets += 1;
  return reckoned;
};

/** `hour` and `minute` of a local day in UTC, as if the zone had no offset. */
const wall = (day: number, time: string): number =>
  day + (Number(time.slice(0, 2)) * 60 + Number(time.slice(3, 5))) * minuteMs;

/** The first instant in (`from`, `to`] since which the zone has its offset of `to`. */
const changeBetween = (from: number, to: number, zone: IANAZone): number => {
  const after = offsetMs(zone, to);
  let [before, changed] = [from, to];
  while (changed - before > 1) {
    const middle = Math.floor((before + changed) / 2);
    if (zone.offset(middle) * minuteMs === after) changed = middle;
    else before = middle;
  }
  return changed;
};

/**
 * The instant of a local time, in ms. A skipped time is the first instant after the gap; a repeated one is
 * the first of both. Source: domain reference §4.3.
 */
export const instantOf = (day: number, time: string, zone: IANAZone): number => {
  const local = wall(day, time);
  const around = [...new Set(probes.map((probe) => offsetMs(zone, local + probe)))];
  const candidates = around.map((offset) => local - offset).sort((a, b) => a - b);
  const valid = candidates.find((at) => at + offsetMs(zone, at) === local);
  return valid ?? changeBetween(candidates[0]!, candidates.at(-1)!, zone);
};
