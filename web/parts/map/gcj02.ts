/**
 * GCJ-02, the datum of Chinese street maps, compared with WGS-84, in which the product stores every point.
 * The offset is known only as the polynomial of all open implementations. It applies to mainland China
 * (`mainland.ts`); elsewhere, including Hong Kong, Macau and Taiwan, both are equal.
 */
import { isInMainland } from './mainland.ts';

export interface Point {
  lat: number;
  lng: number;
}

/** Of the Krasovsky 1940 ellipsoid: semi-major axis in metres, eccentricity squared. */
const axis = 6_378_245;
const eccentricity = 0.006_693_421_622_965_943;
/** Accepted error in degrees, far below the width of a line on a map. */
const closeEnough = 1e-9;
const mostSteps = 20;

const waves = (x: number, [one, two, three]: readonly [number, number, number], scale: number): number =>
  ((20 * Math.sin(6 * x * Math.PI) + 20 * Math.sin(2 * x * Math.PI)) * 2) / 3 +
  ((20 * Math.sin(scale * Math.PI) + 40 * Math.sin((scale / 3) * Math.PI)) * 2) / 3 +
  ((one * Math.sin((scale / three) * Math.PI) + two * Math.sin((scale / 30) * Math.PI)) * 2) / 3;

/** Offset of GCJ-02 from a WGS-84 point, in degrees. */
const shiftOf = ({ lat, lng }: Point): Point => {
  const [x, y] = [lng - 105, lat - 35];
  const root = Math.sqrt(Math.abs(x));
  const north = -100 + 2 * x + 3 * y + 0.2 * y * y + 0.1 * x * y + 0.2 * root + waves(x, [160, 320, 12], y);
  const east = 300 + x + 2 * y + 0.1 * x * x + 0.1 * x * y + 0.1 * root + waves(x, [150, 300, 12], x);
  const radians = (lat / 180) * Math.PI;
  const part = 1 - eccentricity * Math.sin(radians) ** 2;
  return {
    lat: (north * 180) / (((axis * (1 - eccentricity)) / (part * Math.sqrt(part))) * Math.PI),
    lng: (east * 180) / ((axis / Math.sqrt(part)) * Math.cos(radians) * Math.PI),
  };
};

export const toGcj02 = (point: Point): Point => {
  if (!isInMainland(point)) return { lat: point.lat, lng: point.lng };
  const shift = shiftOf(point);
  return { lat: point.lat + shift.lat, lng: point.lng + shift.lng };
};

/** The polynomial has no closed inverse: each step subtracts the shift at the last estimate. */
const unshifted = (point: Point): Point => {
  let guess: Point = { lat: point.lat, lng: point.lng };
  for (let step = 0; step < mostSteps; step += 1) {
    const shift = shiftOf(guess);
    const next = { lat: point.lat - shift.lat, lng: point.lng - shift.lng };
    const moved = Math.max(Math.abs(next.lat - guess.lat), Math.abs(next.lng - guess.lng));
    guess = next;
    if (moved < closeEnough) break;
  }
  return guess;
};

/**
 * The WGS-84 point for a point of the map: in the mainland if possible, because the unshifted position
 * decides.
 */
export const fromGcj02 = (point: Point): Point => {
  const place = unshifted(point);
  return isInMainland(place) ? place : { lat: point.lat, lng: point.lng };
};
