import { late } from '../late.tsx';
import type { PlacesProps } from './places-props.ts';
import { useTiles } from './tiles.ts';

const OfflinePlaces = late(async () => (await import('./OfflinePlaces.tsx')).OfflinePlaces);
const StreetPlaces = late(async () => (await import('./StreetPlaces.tsx')).StreetPlaces);

/** Places on the street tiles of the installation, or else on the offline map. */
export const MapView = (props: PlacesProps) => {
  const tiles = useTiles();
  return tiles ? <StreetPlaces tiles={tiles} {...props} /> : <OfflinePlaces {...props} />;
};
