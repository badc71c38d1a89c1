/** AMap (高德) JS API 2.0. Its points are in GCJ-02. */
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

type LngLat = [number, number];
type Listener = (event: { lnglat: { getLng(): number; getLat(): number } }) => void;
/** The used part of the library; source: its reference, 2.0. */
interface AMapMap {
  on(event: 'zoomend' | 'click', listener: Listener): void;
  off(event: 'zoomend' | 'click', listener: Listener): void;
  getZoom(): number;
  zoomIn(): void;
  zoomOut(): void;
  setZoomAndCenter(zoom: number, center: LngLat, immediately: boolean): void;
  setBounds(bounds: unknown, immediately: boolean, avoid: [number, number, number, number]): void;
  getBounds(): { contains(place: LngLat): boolean };
  setCenter(place: LngLat, immediately: boolean): void;
  setMapStyle(style: string): void;
  destroy(): void;
}
interface AMapLibrary {
  Map: new (box: HTMLElement, options: object) => AMapMap;
  Marker: new (options: object) => { setMap(map: AMapMap | null): void };
  Bounds: new (southWest: LngLat, northEast: LngLat) => unknown;
}

const worldPixels = 256;
const styleOf = (dark: boolean) => `amap://styles/${dark ? 'dark' : 'normal'}`;
const placeOf = (point: Point): LngLat => {
  const { lng, lat } = toDatum('gcj02', point);
  return [lng, lat];
};

export const amapGround = (box: HTMLElement, { dark, language }: GroundStart): Ground => {
  const { AMap } = window as unknown as { AMap: AMapLibrary };
  const map = new AMap.Map(box, {
    zoom: country.zoom + 1,
    center: placeOf(country),
    mapStyle: styleOf(dark),
    lang: language === 'zh-CN' ? 'zh_cn' : 'en',
    rotateEnable: false,
    pitchEnable: false,
  });
  return {
    mark: (element, point, hold) => {
      const marker = new AMap.Marker({
        position: placeOf(point),
        content: element,
        anchor: hold === 'centre' ? 'center' : 'bottom-center',
      });
      marker.setMap(map);
      return () => marker.setMap(null);
    },
    show: (points) => {
      if (points.length === 0) return map.setZoomAndCenter(country.zoom + 1, placeOf(country), true);
      if (points.length === 1) return map.setZoomAndCenter(streetZoom, placeOf(points[0]!), true);
      const [southWest, northEast] = cornersOf(points);
      map.setBounds(new AMap.Bounds(placeOf(southWest), placeOf(northEast)), true, [
        roomPixels,
        roomPixels,
        roomPixels,
        roomPixels,
      ]);
    },
    reveal: (point) => {
      if (!map.getBounds().contains(placeOf(point))) map.setCenter(placeOf(point), true);
    },
    zoomBy: (steps) => (steps === 1 ? map.zoomIn() : map.zoomOut()),
    degreesOf: (pixels) => degreesAt(worldPixels, map.getZoom(), pixels),
    onZoom: (listener) => {
      const heard = () => listener();
      map.on('zoomend', heard);
      return () => map.off('zoomend', heard);
    },
    onClick: (listener) => {
      const heard: Listener = ({ lnglat }) =>
        listener(fromDatum('gcj02', { lng: lnglat.getLng(), lat: lnglat.getLat() }));
      map.on('click', heard);
      return () => map.off('click', heard);
    },
    setDark: (isDark) => map.setMapStyle(styleOf(isDark)),
    remove: () => map.destroy(),
  };
};
