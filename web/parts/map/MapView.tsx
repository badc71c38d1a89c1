import { late } from '../late.tsx';
import type { Place } from './cluster.ts';
import { useTiles } from './tiles.ts';

const OfflinePlaces = late(async () => (await import('./OfflinePlaces.tsx')).OfflinePlaces);
const StreetPlaces = late(async () => (await import('./StreetPlaces.tsx')).StreetPlaces);

export interface PlacesProps {
  title: string;
  places: readonly Place[];
  height: number | string;
  onPick: (ids: readonly number[]) => void;
  /** Begins as close as all places allow; else with the whole country. */
  closer?: boolean;
}

/** Places on the street tiles of the installation, or else on the offline map. */
export const MapView = (props: PlacesProps) => {
  const tiles = useTiles();
  return tiles ? <StreetPlaces tiles={tiles} {...props} /> : <OfflinePlaces {...props} />;
};
