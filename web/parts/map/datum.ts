import { fromGcj02, type Point, toGcj02 } from './gcj02.ts';

/** The datum of a map's points. The product stores every point in WGS-84. */
export type Datum = 'wgs84' | 'gcj02' | 'bd09';

/** Source: Baidu's own offset, as in all open implementations (coordtransform, gcoord, eviltransform). */
const turn = (Math.PI * 3000) / 180;
const fromGcj02ToBd09 = ({ lat, lng }: Point): Point => {
  const length = Math.hypot(lng, lat) + 0.000_02 * Math.sin(lat * turn);
  const angle = Math.atan2(lat, lng) + 0.000_003 * Math.cos(lng * turn);
  return { lng: length * Math.cos(angle) + 0.0065, lat: length * Math.sin(angle) + 0.006 };
};

/** Accepted error in degrees, far below the width of a line on a map. */
const closeEnough = 1e-9;
const mostSteps = 20;
/** The offset has no closed inverse: each step subtracts the offset at the last estimate. */
const fromBd09ToGcj02 = (point: Point): Point => {
  let guess = point;
  for (let step = 0; step < mostSteps; step += 1) {
    const there = fromGcj02ToBd09(guess);
    const next = { lat: guess.lat + point.lat - there.lat, lng: guess.lng + point.lng - there.lng };
    const moved = Math.max(Math.abs(next.lat - guess.lat), Math.abs(next.lng - guess.lng));
    guess = next;
    if (moved < closeEnough) break;
  }
  return guess;
};

/** The position of a WGS-84 point on a map of the datum. */
export const toDatum = (datum: Datum, point: Point): Point => {
  if (datum === 'wgs84') return { lat: point.lat, lng: point.lng };
  const gcj = toGcj02(point);
  return datum === 'gcj02' ? gcj : fromGcj02ToBd09(gcj);
};
/** The WGS-84 point at a position on a map of the datum. */
export const fromDatum = (datum: Datum, point: Point): Point => {
  if (datum === 'wgs84') return { lat: point.lat, lng: point.lng };
  return fromGcj02(datum === 'gcj02' ? point : fromBd09ToGcj02(point));
};
