/** The street map: loaded only where an installation has configured tiles. */
import 'maplibre-gl/dist/maplibre-gl.css';
import { AttributionControl, Map as Ground, NavigationControl, setWorkerUrl } from 'maplibre-gl';
import workerUrl from 'maplibre-gl/dist/maplibre-gl-worker.mjs?worker&url';
import { type RefObject, useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { usePrefs } from '../../theme/prefs.ts';
import './street.css';
import { type Point, toGcj02 } from './gcj02.ts';
import type { Tiles } from './tiles.ts';

setWorkerUrl(workerUrl);

const closest = 19;
/** The size of a world of zoom 0, in pixels. */
const worldPixels = 512;
export const degreesOf = (pixels: number, zoom: number): number => (pixels * 360) / (worldPixels * 2 ** zoom);

/** A point in the datum of the tiles. */
export const onTiles = ({ crs }: Tiles, point: Point): [lng: number, lat: number] => {
  const { lng, lat } = crs === 'gcj02' ? toGcj02(point) : point;
  return [lng, lat];
};

/** MapLibre shows the attribution as HTML. */
const asText = (text: string): string =>
  text.replace(/[&<>"]/g, (sign) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' })[sign] ?? '');

const layerOf = (dark: boolean) => ({
  id: 'street',
  type: 'raster' as const,
  source: 'street',
  // Tiles are drawn for light pages.
  paint: dark ? { 'raster-brightness-max': 0.65, 'raster-saturation': -0.4 } : {},
});

export interface Start {
  center: Point;
  zoom: number;
}
/** A map of the tiles in the element, from `start` on; null until it is there. */
export const useGround = (
  tiles: Tiles,
  start: Start,
): { box: RefObject<HTMLDivElement | null>; ground: Ground | null } => {
  const { t } = useTranslation('common');
  const dark = usePrefs((prefs) => prefs.scheme) === 'dark';
  const box = useRef<HTMLDivElement>(null);
  const [ground, setGround] = useState<Ground | null>(null);
  const begin = useRef({ start, dark, t });
  const { address, attribution } = tiles;
  useEffect(() => {
    if (!box.current) return;
    const { start: at, dark: isDark, t: say } = begin.current;
    const made = new Ground({
      container: box.current,
      style: {
        version: 8,
        sources: { street: { type: 'raster', tiles: [address], tileSize: 256, maxzoom: closest } },
        layers: [layerOf(isDark)],
      },
      center: onTiles(tiles, at.center),
      zoom: at.zoom,
      maxZoom: closest,
      dragRotate: false,
      pitchWithRotate: false,
      attributionControl: false,
      locale: {
        'NavigationControl.ZoomIn': say(($) => $.map.zoomIn),
        'NavigationControl.ZoomOut': say(($) => $.map.zoomOut),
      },
    });
    made.touchZoomRotate.disableRotation();
    made.addControl(new NavigationControl({ showCompass: false }), 'top-right');
    if (attribution !== '')
      made.addControl(new AttributionControl({ compact: false, customAttribution: asText(attribution) }));
    setGround(made);
    return () => {
      made.remove();
      setGround(null);
    };
    // The start is where the map was when it came.
  }, [tiles, address, attribution]);
  useEffect(() => {
    if (!ground?.isStyleLoaded()) return;
    const { paint } = layerOf(dark);
    ground.setPaintProperty('street', 'raster-brightness-max', paint['raster-brightness-max'] ?? 1);
    ground.setPaintProperty('street', 'raster-saturation', paint['raster-saturation'] ?? 0);
  }, [ground, dark]);
  return { box, ground };
};
