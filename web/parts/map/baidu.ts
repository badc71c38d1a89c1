/**
 * Baidu (百度) JavaScript API 3.0 and WebGL API 1.0, which have the same interface. Its points are in BD-09.
 */
import { fromDatum, toDatum } from './datum.ts';
import type { Point } from './gcj02.ts';
import { country, type Ground, type GroundStart, roomPixels, streetZoom } from './ground.ts';

interface BPoint {
  lng: number;
  lat: number;
}
interface BMap {
  centerAndZoom(center: BPoint, zoom: number): void;
  enableScrollWheelZoom(on: boolean): void;
  setViewport(points: BPoint[], options: object): void;
  addEventListener(event: 'zoomend' | 'click', listener: Listener): void;
  removeEventListener(event: 'zoomend' | 'click', listener: Listener): void;
  addOverlay(overlay: object): void;
  removeOverlay(overlay: object): void;
  getPanes(): { markerPane: HTMLElement };
  pointToOverlayPixel(point: BPoint): { x: number; y: number };
  getBounds(): { containsPoint(point: BPoint): boolean };
  setCenter(point: BPoint): void;
  getZoom(): number;
  zoomIn(): void;
  zoomOut(): void;
  /** Only the WebGL library has it. */
  destroy?(): void;
}
/** A click has its position in `point`, or in `latlng` in the WebGL library. */
type Listener = (event: { point?: BPoint; latlng?: BPoint }) => void;
/** The used part of the library; source: its reference, 3.0. */
interface BMapLibrary {
  Map: new (box: HTMLElement) => BMap;
  Point: new (lng: number, lat: number) => BPoint;
  Overlay: new () => object;
}

/** At this zoom a pixel is a metre. */
const metreZoom = 18;
const metresADegree = 111_320;

export const baiduGround = (box: HTMLElement, _start: GroundStart): Ground => {
  const { BMapGL, BMap } = window as unknown as { BMapGL?: BMapLibrary; BMap: BMapLibrary };
  const library = BMapGL ?? BMap;
  const placeOf = (point: Point): BPoint => {
    const { lng, lat } = toDatum('bd09', point);
    return new library.Point(lng, lat);
  };
  /** The library moves its overlays by calling `draw`. */
  class Mark extends library.Overlay {
    map: BMap | null = null;
    element: HTMLElement;
    place: BPoint;
    constructor(element: HTMLElement, place: BPoint) {
      super();
      this.element = element;
      this.place = place;
    }
    initialize(map: BMap): HTMLElement {
      this.map = map;
      map.getPanes().markerPane.append(this.element);
      return this.element;
    }
    draw(): void {
      if (!this.map) return;
      const { x, y } = this.map.pointToOverlayPixel(this.place);
      this.element.style.left = `${x}px`;
      this.element.style.top = `${y}px`;
    }
  }
  const map = new library.Map(box);
  map.centerAndZoom(placeOf(country), country.zoom + 2);
  map.enableScrollWheelZoom(true);
  return {
    mark: (element, point, hold) => {
      element.classList.add('map-held', `is-held-by-${hold}`);
      const mark = new Mark(element, placeOf(point));
      map.addOverlay(mark);
      return () => {
        map.removeOverlay(mark);
        element.remove();
      };
    },
    show: (points) => {
      if (points.length === 0) return map.centerAndZoom(placeOf(country), country.zoom + 2);
      if (points.length === 1) return map.centerAndZoom(placeOf(points[0]!), streetZoom + 1);
      map.setViewport(points.map(placeOf), {
        enableAnimation: false,
        margins: [roomPixels, roomPixels, roomPixels, roomPixels],
      });
    },
    reveal: (point) => {
      if (!map.getBounds().containsPoint(placeOf(point))) map.setCenter(placeOf(point));
    },
    zoomBy: (steps) => (steps === 1 ? map.zoomIn() : map.zoomOut()),
    degreesOf: (pixels) => (pixels * 2 ** (metreZoom - map.getZoom())) / metresADegree,
    onZoom: (listener) => {
      const heard = () => listener();
      map.addEventListener('zoomend', heard);
      return () => map.removeEventListener('zoomend', heard);
    },
    onClick: (listener) => {
      const heard: Listener = ({ latlng, point }) => {
        const at = latlng ?? point;
        if (at) listener(fromDatum('bd09', { lng: at.lng, lat: at.lat }));
      };
      map.addEventListener('click', heard);
      return () => map.removeEventListener('click', heard);
    },
    /** Dark maps of Baidu need a style of the operator's own account. */
    setDark: () => {},
    remove: () => map.destroy?.(),
  };
};
