/**
 * Writes web/geo/mainland.json: one ring around mainland China and its islands, as precise as the datum of street maps
 * needs. It is made from the product's own outlines, so run build-maps.ts first.
 *
 *   node scripts/geo/build-mainland.ts
 */
import { readFileSync, writeFileSync } from 'node:fs';
import type { Position } from './date-line.ts';

interface Outline {
  id: number;
  geometry: { type: 'Polygon' | 'MultiPolygon'; coordinates: Position[][] | Position[][][] };
}
const geo = (name: string) => new URL(`../../web/geo/${name}`, import.meta.url);
const ringsIn = (name: string, wanted: (id: number) => boolean): Position[][] =>
  (JSON.parse(readFileSync(geo(name), 'utf8')) as { features: Outline[] }).features
    .filter(({ id }) => wanted(id))
    .flatMap(({ geometry: { type, coordinates } }) =>
      type === 'Polygon' ? (coordinates as Position[][]) : (coordinates as Position[][][]).flat(),
    );
/** Taiwan, Hong Kong, Macau: maps of them are not shifted. */
const apart = new Set([710000, 810000, 820000]);

/** Cells of a hundredth of a degree, row by row from the south-west. */
const cell = 0.01;
const [west, south, east, north] = [72, 17, 136, 55];
const width = Math.round((east - west) / cell);
const height = Math.round((north - south) / cell);
const size = width * height;
const cellAt = ([lng, lat]: Position): number =>
  Math.floor((lat - south) / cell) * width + Math.floor((lng - west) / cell);
const cellsIn = (rings: readonly Position[][]): Uint8Array => {
  const found = new Uint8Array(size);
  for (let row = 0; row < height; row += 1) {
    const lat = south + (row + 0.5) * cell;
    const cuts = rings
      .flatMap((ring) =>
        ring.flatMap(([x, y], at) => {
          const [nextX, nextY] = ring[(at + 1) % ring.length]!;
          return y > lat === nextY > lat ? [] : [x + ((lat - y) / (nextY - y)) * (nextX - x)];
        }),
      )
      .sort((a, b) => a - b)
      .map((lng) => Math.min(width, Math.max(0, Math.ceil((lng - west) / cell - 0.5))));
    for (let at = 0; at + 1 < cuts.length; at += 2)
      found.fill(1, row * width + cuts[at]!, row * width + cuts[at + 1]!);
  }
  return found;
};
const neighbours = (index: number): number[] => {
  const column = index % width;
  return [
    column > 0 ? index - 1 : -1,
    column < width - 1 ? index + 1 : -1,
    index - width,
    index + width,
  ].filter((each) => each >= 0 && each < size);
};
/** All cells that can be reached from `from` through open cells within a number of steps. */
const reached = (from: readonly number[], isOpen: (index: number) => boolean, most = size): Uint8Array => {
  const found = new Uint8Array(size);
  for (const index of from) found[index] = 1;
  let edge = [...from];
  for (let step = 0; step < most && edge.length > 0; step += 1) {
    const next: number[] = [];
    for (const index of edge)
      for (const each of neighbours(index))
        if (!found[each] && isOpen(each)) {
          found[each] = 1;
          next.push(each);
        }
    edge = next;
  }
  return found;
};
const marked = (cells: Uint8Array): number[] => [...cells.keys()].filter((index) => cells[index]);

/**
 * The ring includes islands: the sea counts as mainland for about 25 km, and the excluded regions keep a
 * third of that.
 */
const seaSteps = 24;
const land = cellsIn(ringsIn('land.json', () => true));
const others = cellsIn(ringsIn('china.json', (id) => apart.has(id)));
const aroundOthers = reached(marked(others), (index) => !land[index], 8);
const provinces = cellsIn(ringsIn('china.json', (id) => !apart.has(id)));
const shores = reached(
  marked(provinces),
  (index) => !land[index] && !aroundOthers[index] && !others[index],
  seaSteps,
);
/**
 * Gaps between outlines of provinces are inside: only cells that can be reached from the corner of the map
 * are outside.
 */
const outside = reached([0], (index) => !shores[index]);
const inner = outside.map((each) => 1 - each);
const mainland = reached([cellAt([116.4, 39.9])], (index) => inner[index] === 1);

/**
 * Follows the edges of the cells with the mainland on the left, through the middles of edges, which avoids
 * stairs.
 */
const traced = (): Position[] => {
  const is = (x: number, y: number) =>
    x >= 0 && y >= 0 && x < width && y < height && mainland[y * width + x] === 1;
  const ahead = [
    [1, 0],
    [0, 1],
    [-1, 0],
    [0, -1],
  ] as const;
  /** The cells ahead of a corner, on the left and on the right. */
  const sides = [
    [
      [0, 0],
      [0, -1],
    ],
    [
      [-1, 0],
      [0, 0],
    ],
    [
      [-1, -1],
      [-1, 0],
    ],
    [
      [0, -1],
      [-1, -1],
    ],
  ] as const;
  const first = mainland.indexOf(1);
  const start = [first % width, Math.floor(first / width)] as const;
  let [x, y, direction] = [...start, 0];
  const ring: Position[] = [];
  do {
    const [dx, dy] = ahead[direction]!;
    ring.push([west + (x + dx / 2) * cell, south + (y + dy / 2) * cell]);
    x += dx;
    y += dy;
    const [left, right] = sides[direction]!.map(([cx, cy]) => is(x + cx, y + cy));
    if (right) direction = (direction + 3) % 4;
    else if (!left) direction = (direction + 1) % 4;
  } while (x !== start[0] || y !== start[1] || direction !== 0);
  return ring;
};

/** Degrees of latitude by which the ring may deviate from the outline: near other land, and elsewhere. */
const closeBy = { land: 0.06, sea: 0.12 };
const nearCells = 12;
const isAtSea = (point: Position): boolean => {
  const middle = cellAt(point);
  for (let dy = -nearCells; dy <= nearCells; dy += 1)
    for (let dx = -nearCells; dx <= nearCells; dx += 1) {
      const index = middle + dy * width + dx;
      if ((land[index] && !mainland[index]) || others[index]) return false;
    }
  return true;
};
const distance = ([x, y]: Position, [ax, ay]: Position, [bx, by]: Position): number => {
  const narrow = Math.cos((y * Math.PI) / 180);
  const [vx, vy, px, py] = [(bx - ax) * narrow, by - ay, (x - ax) * narrow, y - ay];
  const length = vx * vx + vy * vy;
  const along = length === 0 ? 0 : Math.max(0, Math.min(1, (px * vx + py * vy) / length));
  return Math.hypot(px - along * vx, py - along * vy);
};
/** Douglas–Peucker, with a list of stretches instead of recursion. */
const simplified = (ring: readonly Position[]): Position[] => {
  const most = ring.map((point) => (isAtSea(point) ? closeBy.sea : closeBy.land));
  const half = ring.length >> 1;
  const kept = new Set([0, half]);
  const stretches: [number, number][] = [
    [0, half],
    [half, ring.length],
  ];
  for (let stretch = stretches.pop(); stretch; stretch = stretches.pop()) {
    const [from, to] = stretch;
    let [worst, farthest] = [1, -1];
    for (let at = from + 1; at < to; at += 1) {
      const off = distance(ring[at]!, ring[from]!, ring[to % ring.length]!) / most[at]!;
      if (off > worst) [worst, farthest] = [off, at];
    }
    if (farthest < 0) continue;
    kept.add(farthest);
    stretches.push([from, farthest], [farthest, to]);
  }
  return ring.filter((_, at) => kept.has(at));
};

const ring = simplified(traced());
writeFileSync(
  geo('mainland.json'),
  `${JSON.stringify({
    note: 'Mainland China, coarse, no authority on borders: longitudes and latitudes in hundredths of a degree. Made of china.json (Apache ECharts 4.9.0, Apache-2.0); see NOTICE.',
    ring: ring.flatMap((point) => point.map((degrees) => Math.round(degrees * 100))),
  })}\n`,
);
console.log(`${ring.length} points`);
