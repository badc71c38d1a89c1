/** Where street maps of China are shifted: the mainland and its islands, without Hong Kong, Macau and Taiwan. */
import mainland from '#web/geo/mainland.json' with { type: 'json' };

/** Degrees. The ring is within about 7 km of the product's outlines, and within 14 km at sea. */
const { ring } = mainland;
const corners = Array.from({ length: ring.length / 2 }, (_, at) => ({
  lng: ring[2 * at]! / 100,
  lat: ring[2 * at + 1]! / 100,
}));
const [west, east] = [Math.min(...corners.map(({ lng }) => lng)), Math.max(...corners.map(({ lng }) => lng))];
/** Too small for the ring; a box around the peninsula and both islands. */
const macau = { west: 113.527, east: 113.605, south: 22.105, north: 22.2165 };

export const isInMainland = ({ lng, lat }: { lng: number; lat: number }): boolean => {
  if (!(lng >= west && lng <= east)) return false;
  if (lng > macau.west && lng < macau.east && lat > macau.south && lat < macau.north) return false;
  let isInside = false;
  for (let at = 0, before = corners.length - 1; at < corners.length; before = at, at += 1) {
    const [one, other] = [corners[at]!, corners[before]!];
    if (
      one.lat > lat !== other.lat > lat &&
      lng < one.lng + ((other.lng - one.lng) * (lat - one.lat)) / (other.lat - one.lat)
    )
      isInside = !isInside;
  }
  return isInside;
};
