export type Position = [number, number];
type Ring = Position[];

const jump = (from: Position, to: Position): number =>
  to[0] - from[0] > 180 ? -360 : to[0] - from[0] < -180 ? 360 : 0;

/**
 * The ring with longitudes that continue past the date line instead of jumping; `turns` is not 0 around a
 * pole.
 */
const unwrap = (ring: Ring): { run: Ring; turns: number } => {
  let shift = 0;
  const run = ring.map(([lng, lat], at): Position => {
    if (at > 0) shift += jump(ring[at - 1]!, [lng, lat]);
    return [lng + shift, lat];
  });
  return { run, turns: shift };
};

/** The part of the ring on one side of a meridian (Sutherland–Hodgman). */
const clip = (ring: Ring, meridian: number, side: 1 | -1): Ring => {
  const inside = ([lng]: Position): boolean => (lng - meridian) * side >= 0;
  const out: Ring = [];
  for (const [at, to] of ring.entries()) {
    const from = ring[(at + ring.length - 1) % ring.length]!;
    if (inside(from) !== inside(to)) {
      const share = (meridian - from[0]) / (to[0] - from[0]);
      out.push([meridian, from[1] + share * (to[1] - from[1])]);
    }
    if (inside(to)) out.push(to);
  }
  return out;
};

const closed = (ring: Ring): Ring => {
  const [first, last] = [ring[0]!, ring.at(-1)!];
  return first[0] === last[0] && first[1] === last[1] ? ring : [...ring, first];
};

/** Closes a ring around the south pole along the lower edge of the map. */
const aroundPole = (ring: Ring): Ring =>
  ring.flatMap((to, at): Ring => {
    const from = ring[at - 1];
    const turn = from ? jump(from, to) : 0;
    if (!from || turn === 0) return [to];
    const edge = Math.sign(turn) * 180;
    return [[edge, from[1]], [edge, -90], [-edge, -90], [-edge, to[1]], to];
  });

/** Splits a polygon that crosses the date line, so that a flat map draws no bar from edge to edge. */
export const cutAtDateLine = ([outer = [], ...holes]: Ring[]): Ring[][] => {
  const { run, turns } = unwrap(outer);
  if (turns !== 0) return [[aroundPole(outer), ...holes]];
  const mean = run.reduce((sum, [lng]) => sum + lng, 0) / run.length;
  const home = Math.round(mean / 360) * 360;
  const placed = run.map(([lng, lat]): Position => [lng - home, lat]);
  const pieces = [-1, 0, 1].map((window) => {
    const east = clip(placed, window * 360 - 180, 1);
    const both = clip(east, window * 360 + 180, -1);
    const ring = both.map(([lng, lat]): Position => [lng - window * 360, lat]);
    return { window, ring };
  });
  return pieces
    .filter(({ ring }) => ring.length > 2)
    .map(({ window, ring }) => [closed(ring), ...(window === 0 ? holes : [])]);
};
