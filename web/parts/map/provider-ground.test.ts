import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { amapGround } from './amap.ts';
import { baiduGround } from './baidu.ts';
import { toDatum } from './datum.ts';
import { googleGround } from './google.ts';
import type { Ground, GroundStart } from './ground.ts';

type Pair = [lng: number, lat: number];
/** The last request to a library, in its own datum. */
interface Seen {
  marks: Map<HTMLElement, Pair>;
  bounds: Pair[];
  centre: Pair | null;
  zoom: number;
  dark: boolean | null;
  click: (place: Pair) => void;
  zoomed: () => void;
}
const start: GroundStart = { title: 'Map', dark: true, language: 'en-US', twoFingers: '', onFail: () => {} };
let seen: Seen;
let box: HTMLElement;
beforeEach(() => {
  seen = {
    marks: new Map(),
    bounds: [],
    centre: null,
    zoom: 4,
    dark: null,
    click: () => {},
    zoomed: () => {},
  };
  box = document.createElement('div');
});
afterEach(() => vi.unstubAllGlobals());

const fakeAMap = () => {
  class FakeMap {
    constructor(
      _box: HTMLElement,
      { zoom, center, mapStyle }: { zoom: number; center: Pair; mapStyle: string },
    ) {
      Object.assign(seen, { zoom, centre: center, dark: mapStyle.endsWith('/dark') });
    }
    on(event: string, listener: (event: object) => void) {
      if (event === 'zoomend') seen.zoomed = () => listener({});
      else seen.click = ([lng, lat]) => listener({ lnglat: { getLng: () => lng, getLat: () => lat } });
    }
    off(event: string) {
      if (event === 'click') seen.click = () => {};
    }
    getZoom() {
      return seen.zoom;
    }
    zoomIn() {
      seen.zoom += 1;
    }
    setZoomAndCenter(zoom: number, centre: Pair) {
      Object.assign(seen, { zoom, centre });
    }
    setBounds(bounds: { corners: Pair[] }) {
      seen.bounds = bounds.corners;
    }
    getBounds() {
      return { contains: () => false };
    }
    setCenter(centre: Pair) {
      seen.centre = centre;
    }
    setMapStyle(style: string) {
      seen.dark = style.endsWith('/dark');
    }
  }
  class Marker {
    options: { position: Pair; content: HTMLElement };
    constructor(options: Marker['options']) {
      this.options = options;
    }
    setMap(map: object | null) {
      if (map) seen.marks.set(this.options.content, this.options.position);
      else seen.marks.delete(this.options.content);
    }
  }
  class Bounds {
    corners: Pair[];
    constructor(...corners: Pair[]) {
      this.corners = corners;
    }
  }
  vi.stubGlobal('AMap', { Map: FakeMap, Marker, Bounds });
};

/** The library's own class is an old-style constructor function. */
// biome-ignore lint/complexity/useArrowFunction: an arrow function is no constructor
const BaiduOverlay = function () {};
const fakeBaidu = () => {
  class Point {
    lng: number;
    lat: number;
    constructor(lng: number, lat: number) {
      this.lng = lng;
      this.lat = lat;
    }
  }
  interface Overlay {
    initialize(map: object): HTMLElement;
    draw(): void;
    element: HTMLElement;
    place: Point;
  }
  const pane = document.createElement('div');
  class FakeMap {
    centerAndZoom({ lng, lat }: Point, zoom: number) {
      Object.assign(seen, { zoom, centre: [lng, lat] });
    }
    enableScrollWheelZoom() {}
    setViewport(points: Point[]) {
      seen.bounds = points.map(({ lng, lat }) => [lng, lat]);
    }
    addEventListener(event: string, listener: (event: object) => void) {
      if (event === 'zoomend') seen.zoomed = () => listener({});
      else seen.click = ([lng, lat]) => listener({ point: new Point(lng, lat) });
    }
    removeEventListener(event: string) {
      if (event === 'click') seen.click = () => {};
    }
    addOverlay(overlay: Overlay) {
      overlay.initialize(this);
      overlay.draw();
      seen.marks.set(overlay.element, [overlay.place.lng, overlay.place.lat]);
    }
    removeOverlay({ element }: Overlay) {
      seen.marks.delete(element);
    }
    getPanes() {
      return { markerPane: pane };
    }
    pointToOverlayPixel() {
      return { x: 12, y: 34 };
    }
    getBounds() {
      return { containsPoint: () => false };
    }
    setCenter({ lng, lat }: Point) {
      seen.centre = [lng, lat];
    }
    getZoom() {
      return seen.zoom;
    }
    zoomIn() {
      seen.zoom += 1;
    }
  }
  vi.stubGlobal('BMap', { Map: FakeMap, Point, Overlay: BaiduOverlay });
};

const fakeGoogle = () => {
  interface Place {
    lat: number;
    lng: number;
  }
  const pane = document.createElement('div');
  class LatLng {
    place: Place;
    constructor(place: Place) {
      this.place = place;
    }
  }
  class LatLngBounds {
    corners: Place[];
    constructor(...corners: Place[]) {
      this.corners = corners;
    }
  }
  class OverlayView {
    getPanes() {
      return { overlayMouseTarget: pane };
    }
    getProjection() {
      return { fromLatLngToDivPixel: () => ({ x: 12, y: 34 }) };
    }
    setMap(map: object | null) {
      const mark = this as unknown as {
        element: HTMLElement;
        place: LatLng;
        onAdd(): void;
        draw(): void;
        onRemove(): void;
      };
      if (!map) {
        seen.marks.delete(mark.element);
        return mark.onRemove();
      }
      mark.onAdd();
      mark.draw();
      const { lng, lat } = mark.place.place;
      seen.marks.set(mark.element, [lng, lat]);
    }
  }
  class FakeMap {
    constructor(_box: HTMLElement, { colorScheme }: { colorScheme: string }) {
      seen.dark = colorScheme === 'DARK';
    }
    addListener(event: string, listener: (event: object) => void) {
      if (event === 'zoom_changed') seen.zoomed = () => listener({});
      else seen.click = ([lng, lat]) => listener({ latLng: { lat: () => lat, lng: () => lng } });
      return {
        remove: () => {
          if (event === 'click') seen.click = () => {};
        },
      };
    }
    getZoom() {
      return seen.zoom;
    }
    setZoom(zoom: number) {
      seen.zoom = zoom;
    }
    setCenter({ lng, lat }: Place) {
      seen.centre = [lng, lat];
    }
    fitBounds({ corners }: LatLngBounds) {
      seen.bounds = corners.map(({ lng, lat }) => [lng, lat]);
    }
    getBounds() {
      return { contains: () => false };
    }
  }
  vi.stubGlobal('google', { maps: { Map: FakeMap, LatLng, LatLngBounds, OverlayView } });
};

const hangzhou = { lat: 30.25, lng: 120.17 };
const chengdu = { lat: 30.66, lng: 104.06 };
const near = ([lng, lat]: Pair, place: { lng: number; lat: number }) => {
  expect(lng).toBeCloseTo(place.lng, 6);
  expect(lat).toBeCloseTo(place.lat, 6);
};

const providers = [
  ['AMap', fakeAMap, amapGround, 'gcj02'],
  ['Baidu', fakeBaidu, baiduGround, 'bd09'],
  ['Google', fakeGoogle, googleGround, 'gcj02'],
] as const;

test.each(providers)(
  '%s gets marks and views in its own datum, and its clicks come back in WGS-84',
  (_name, fake, open, datum) => {
    fake();
    const ground: Ground = open(box, start);
    const element = document.createElement('button');
    const remove = ground.mark(element, hangzhou, 'centre');
    near(seen.marks.get(element)!, toDatum(datum, hangzhou));
    remove();
    expect(seen.marks.size).toBe(0);

    ground.show([hangzhou]);
    near(seen.centre!, toDatum(datum, hangzhou));
    expect(seen.zoom).toBeGreaterThanOrEqual(15);
    ground.show([hangzhou, chengdu]);
    expect(seen.bounds).toHaveLength(2);
    ground.reveal(chengdu);
    near(seen.centre!, toDatum(datum, chengdu));

    const clicked: { lat: number; lng: number }[] = [];
    const leave = ground.onClick((point) => clicked.push(point));
    const there = toDatum(datum, chengdu);
    seen.click([there.lng, there.lat]);
    leave();
    seen.click([there.lng, there.lat]);
    expect(clicked).toHaveLength(1);
    near([clicked[0]!.lng, clicked[0]!.lat], chengdu);
  },
);

test.each(providers)('%s zooms by the buttons and reports how much a pixel spans', (_name, fake, open) => {
  fake();
  const ground: Ground = open(box, start);
  ground.show([hangzhou]);
  const before = ground.degreesOf(100);
  let zooms = 0;
  ground.onZoom(() => {
    zooms += 1;
  });
  ground.zoomBy(1);
  seen.zoomed();
  expect(zooms).toBe(1);
  expect(ground.degreesOf(100)).toBeCloseTo(before / 2, 9);
  // 100 pixels of street are some hundred metres.
  expect(before * 111_000).toBeGreaterThan(100);
  expect(before * 111_000).toBeLessThan(2000);
});
