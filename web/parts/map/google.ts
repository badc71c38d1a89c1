/** Google Maps JavaScript API 3. Its streets are in WGS-84, in mainland China in GCJ-02. */
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

interface Handle {
  remove(): void;
}
interface GMap {
  addListener(
    event: 'zoom_changed' | 'click',
    listener: (event: { latLng: { lat(): number; lng(): number } }) => void,
  ): Handle;
  getZoom(): number;
  setZoom(zoom: number): void;
  setCenter(place: Point): void;
  fitBounds(bounds: object, padding: number): void;
  getBounds(): { contains(place: Point): boolean } | undefined;
}
/** The used part of the library; source: its reference, 3. */
interface GoogleLibrary {
  maps: {
    Map: new (box: HTMLElement, options: object) => GMap;
    LatLng: new (place: Point) => object;
    LatLngBounds: new (southWest: Point, northEast: Point) => object;
    OverlayView: new () => {
      setMap(map: GMap | null): void;
      getPanes(): { overlayMouseTarget: HTMLElement } | null;
      getProjection(): { fromLatLngToDivPixel(place: object): { x: number; y: number } | null };
    };
  };
}

const worldPixels = 256;
const placeOf = (point: Point): Point => toDatum('gcj02', point);

export const googleGround = (box: HTMLElement, { dark }: GroundStart): Ground => {
  const { maps } = (window as unknown as { google: GoogleLibrary }).google;
  /** The library moves its overlays by calling `draw`. */
  class Mark extends maps.OverlayView {
    element: HTMLElement;
    place: object;
    constructor(element: HTMLElement, place: Point) {
      super();
      this.element = element;
      this.place = new maps.LatLng(place);
    }
    onAdd(): void {
      this.getPanes()?.overlayMouseTarget.append(this.element);
    }
    draw(): void {
      const at = this.getProjection().fromLatLngToDivPixel(this.place);
      if (!at) return;
      this.element.style.left = `${at.x}px`;
      this.element.style.top = `${at.y}px`;
    }
    onRemove(): void {
      this.element.remove();
    }
  }
  const map = new maps.Map(box, {
    center: placeOf(country),
    zoom: country.zoom + 1,
    disableDefaultUI: true,
    clickableIcons: false,
    colorScheme: dark ? 'DARK' : 'LIGHT',
  });
  return {
    mark: (element, point, hold) => {
      element.classList.add('map-held', `is-held-by-${hold}`);
      const mark = new Mark(element, placeOf(point));
      mark.setMap(map);
      return () => mark.setMap(null);
    },
    show: (points) => {
      if (points.length < 2) {
        map.setCenter(placeOf(points[0] ?? country));
        map.setZoom(points.length === 0 ? country.zoom + 1 : streetZoom);
        return;
      }
      const [southWest, northEast] = cornersOf(points);
      map.fitBounds(new maps.LatLngBounds(placeOf(southWest), placeOf(northEast)), roomPixels);
    },
    reveal: (point) => {
      if (map.getBounds()?.contains(placeOf(point)) === false) map.setCenter(placeOf(point));
    },
    zoomBy: (steps) => map.setZoom(map.getZoom() + steps),
    degreesOf: (pixels) => degreesAt(worldPixels, map.getZoom(), pixels),
    onZoom: (listener) => {
      const handle = map.addListener('zoom_changed', () => listener());
      return () => handle.remove();
    },
    onClick: (listener) => {
      const handle = map.addListener('click', ({ latLng }) =>
        listener(fromDatum('gcj02', { lng: latLng.lng(), lat: latLng.lat() })),
      );
      return () => handle.remove();
    },
    /** The library sets its colours once, when the map is made. */
    setDark: () => {},
    remove: () => box.replaceChildren(),
  };
};
