import { useMemo } from 'react';
import type { MapScript, MapTiles } from '#contract/session.ts';
import { useSession } from '#web/api/session.ts';

/** The source of the map: a provider's script, street tiles, or the product's own outlines. */
export type Source =
  | { kind: 'script'; script: MapScript }
  | { kind: 'tiles'; tiles: MapTiles }
  | { kind: 'offline' };

/** The maps of the installation in the order of attempts; the offline map is last and always available. */
export const useSources = (): readonly Source[] => {
  const tiles = useSession(({ session }) => session?.map_tiles);
  const script = useSession(({ session }) => session?.map_script);
  return useMemo(
    () => [
      ...(script ? [{ kind: 'script', script } as const] : []),
      ...(tiles ? [{ kind: 'tiles', tiles } as const] : []),
      { kind: 'offline' } as const,
    ],
    [tiles, script],
  );
};
