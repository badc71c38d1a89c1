/** The street map: loaded only if the installation has configured tiles. */
import 'maplibre-gl/dist/maplibre-gl.css';
import { AttributionControl, LngLatBounds, Marker, Map as StreetMap, setWorkerUrl } from 'maplibre-gl';
import workerUrl from 'maplibre-gl/dist/maplibre-gl-worker.mjs?worker&url';
import type { MapTiles } from '#contract/session.ts';
import { fromDatum, toDatum } from './datum.ts';
import type { Point } from './gcj02.ts';
import {
  cornersOf,
  country,
  degreesAt,
  type Ground,
  type GroundStart,
  roomPixels,
  streetZoom,
} from './ground.ts';
import { hasWebGl } from './web-gl.ts';

setWorkerUrl(workerUrl);

const closest = 19;
const worldPixels = 512;
/** After this many failed tiles without a good one, the host counts as unreachable. */
const mostFailed = 4;

/** MapLibre shows the attribution as HTML. */
const asText = (text: string): string =>
  text.replace(/[&<>"]/g, (sign) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' })[sign] ?? '');

/** Tiles are made for light pages. */
const paintOf = (dark: boolean) => ({
  'raster-brightness-max': dark ? 0.65 : 1,
  'raster-saturation': dark ? -0.4 : 0,
});

const openMap = (box: HTMLElement, { address, attribution }: MapTiles, start: GroundStart): StreetMap => {
  const map = new StreetMap({
    container: box,
    style: {
      version: 8,
      sources: { street: { type: 'raster', tiles: [address], tileSize: 256, maxzoom: closest } },
      layers: [{ id: 'street', type: 'raster', source: 'street', paint: paintOf(start.dark) }],
    },
    center: [country.lng, country.lat],
    zoom: country.zoom,
    maxZoom: closest,
    dragRotate: false,
    pitchWithRotate: false,
    // A finger that scrolls the page must not be caught by the map.
    cooperativeGestures: window.matchMedia('(pointer: coarse)').matches,
    attributionControl: false,
    locale: { 'Map.Title': start.title, 'CooperativeGesturesHandler.MobileHelpText': start.twoFingers },
  });
  map.touchZoomRotate.disableRotation();
  if (attribution !== '')
    map.addControl(new AttributionControl({ compact: false, customAttribution: asText(attribution) }));
  return map;
};

/** Reports once that tiles fail and none arrived. */
const watchTiles = (map: StreetMap, onFail: () => void): void => {
  let good = false;
  let failed = 0;
  map.on('data', (event) => {
    if (event.dataType === 'source' && 'tile' in event && event.tile) good = true;
  });
  map.on('error', () => {
    failed += 1;
    if (!good && failed === mostFailed) onFail();
  });
};

/** Opens the map of the configured tiles in the box. */
export const openStreetGround = (box: HTMLElement, tiles: MapTiles, start: GroundStart): Ground => {
  if (!hasWebGl()) throw new Error('no WebGL 2');
  const { crs } = tiles;
  const map = openMap(box, tiles, start);
  watchTiles(map, start.onFail);
  const placeOf = (point: Point): [number, number] => {
    const { lng, lat } = toDatum(crs, point);
    return [lng, lat];
  };
  return {
    mark: (element, point, hold) => {
      const anchor = hold === 'centre' ? 'center' : 'bottom';
      const marker = new Marker({ element, anchor }).setLngLat(placeOf(point)).addTo(map);
      return () => void marker.remove();
    },
    show: (points) => {
      if (points.length === 0) return void map.jumpTo({ center: placeOf(country), zoom: country.zoom });
      const [southWest, northEast] = cornersOf(points);
      map.fitBounds(new LngLatBounds(placeOf(southWest), placeOf(northEast)), {
        padding: roomPixels,
        maxZoom: streetZoom,
        animate: false,
      });
    },
    reveal: (point) => {
      if (!map.getBounds().contains(placeOf(point))) map.jumpTo({ center: placeOf(point) });
    },
    zoomBy: (steps) => void map.zoomTo(map.getZoom() + steps),
    degreesOf: (pixels) => degreesAt(worldPixels, map.getZoom(), pixels),
    onZoom: (listener) => {
      map.on('zoomend', listener);
      return () => void map.off('zoomend', listener);
    },
    onClick: (listener) => {
      const heard = ({ lngLat }: { lngLat: Point }) => listener(fromDatum(crs, lngLat));
      map.on('click', heard);
      return () => void map.off('click', heard);
    },
    setDark: (dark) => {
      const paint = () => {
        for (const [name, value] of Object.entries(paintOf(dark)))
          map.setPaintProperty('street', name as keyof ReturnType<typeof paintOf>, value);
      };
      if (map.getLayer('street')) paint();
      else map.once('load', paint);
    },
    remove: () => map.remove(),
  };
};
