export interface Place {
  id: number;
  name: string;
  lat: number;
  lng: number;
  /** 0 nothing, 1 early warning, 2 alarm. */
  worst: number;
}
export interface Cluster {
  key: string;
  lat: number;
  lng: number;
  worst: number;
  places: readonly Place[];
}

/** Gathers places that would overlap into one mark each: in the middle of its members, as bad as the worst of them. */
export const clusterPlaces = (places: readonly Place[], cellDegrees: number): Cluster[] => {
  const cells = new Map<string, Place[]>();
  for (const place of places) {
    const key = `${Math.floor(place.lng / cellDegrees)}:${Math.floor(place.lat / cellDegrees)}`;
    const cell = cells.get(key);
    if (cell) cell.push(place);
    else cells.set(key, [place]);
  }
  return [...cells].map(([key, members]) => ({
    key,
    lat: members.reduce((sum, { lat }) => sum + lat, 0) / members.length,
    lng: members.reduce((sum, { lng }) => sum + lng, 0) / members.length,
    worst: Math.max(...members.map(({ worst }) => worst)),
    places: members,
  }));
};

const mostNamed = 8;
/** The names of its places, one a line. */
export const namesOf = ({ places }: Cluster): string =>
  [...places.slice(0, mostNamed).map(({ name }) => name), ...(places.length > mostNamed ? ['…'] : [])].join(
    '\n',
  );
