import type { Place } from './cluster.ts';

export interface PlacesProps {
  title: string;
  places: readonly Place[];
  height: number | string;
  onPick: (ids: readonly number[]) => void;
  /** Begins as close as all places allow; else with the whole country. */
  closer?: boolean;
}
