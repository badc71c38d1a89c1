import { useMemo } from 'react';
import { useSession } from '../../api/session.ts';

/** Street tiles of the installation. */
export interface Tiles {
  address: string;
  crs: 'wgs84' | 'gcj02';
  attribution: string;
}

let able: boolean | undefined;
/** Whether this browser draws them. */
const isAble = (): boolean => {
  able ??= document.createElement('canvas').getContext('webgl2') !== null;
  return able;
};

/** Null: the offline map is shown. */
export const useTiles = (): Tiles | null => {
  const tiles = useSession(({ session }) => session?.map_tiles);
  return useMemo(() => (tiles && isAble() ? tiles : null), [tiles]);
};
