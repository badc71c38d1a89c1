import type { Point } from './gcj02.ts';

export interface Place extends Point {
  id: number;
  name: string;
  /** 0 nothing, 1 early warning, 2 alarm. */
  worst: number;
}
export interface Cluster extends Point {
  /** The place under the mark: one of the worst. */
  key: number;
  worst: number;
  places: readonly Place[];
}

/** Distance from the equator on a street map (Mercator), in degrees: larger farther from it. */
const northOf = (lat: number): number =>
  (Math.asinh(Math.tan((Math.min(85, Math.max(-85, lat)) * Math.PI) / 180)) * 180) / Math.PI;

/**
 * Combines overlapping places into one mark each, which lies on its worst place. `apart`: degrees of
 * longitude below which two marks overlap.
 */
export const clusterPlaces = (places: readonly Place[], apart: number): Cluster[] => {
  const cells = new Map<string, { x: number; y: number; members: Place[] }[]>();
  const found: Place[][] = [];
  // The worst first, then by id, so that marks stay in place while others change.
  for (const place of places.toSorted((one, other) => other.worst - one.worst || one.id - other.id)) {
    const [x, y] = [place.lng, northOf(place.lat)];
    const [column, row] = [Math.floor(x / apart), Math.floor(y / apart)];
    const near = [-1, 0, 1]
      .flatMap((right) => [-1, 0, 1].flatMap((up) => cells.get(`${column + right}:${row + up}`) ?? []))
      .find((other) => Math.max(Math.abs(other.x - x), Math.abs(other.y - y)) < apart);
    if (near) near.members.push(place);
    else {
      const members = [place];
      found.push(members);
      const cell = cells.get(`${column}:${row}`);
      if (cell) cell.push({ x, y, members });
      else cells.set(`${column}:${row}`, [{ x, y, members }]);
    }
  }
  return found.map((members) => {
    const [{ id, lat, lng, worst }] = members as [Place];
    return { key: id, lat, lng, worst, places: members };
  });
};

const mostNamed = 8;
/** The names of its places, one per line. */
export const namesOf = ({ places }: Cluster): string =>
  [...places.slice(0, mostNamed).map(({ name }) => name), ...(places.length > mostNamed ? ['…'] : [])].join(
    '\n',
  );
