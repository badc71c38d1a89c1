import type { Point } from './gcj02.ts';

/**
 * A map for marks: the product's own outlines, street tiles, or a provider's script. All points are in
 * WGS-84; a map in another datum converts them itself.
 */
export interface Ground {
  /**
   * Puts a page element at a point: its centre, or its lower end. The returned function removes the element.
   */
  mark(element: HTMLElement, point: Point, hold: 'centre' | 'foot'): () => void;
  /**
   * Shows all the points with a margin; a single point with its surroundings, or without points the whole
   * map.
   */
  show(points: readonly Point[]): void;
  /** Moves the map if the point is not visible. */
  reveal(point: Point): void;
  zoomBy(steps: 1 | -1): void;
  /** Degrees of longitude for this many pixels at the present zoom. */
  degreesOf(pixels: number): number;
  /** Calls the listener after each change of the zoom. */
  onZoom(listener: () => void): () => void;
  /** Calls the listener with each clicked point of the map, except clicks on marks. */
  onClick(listener: (point: Point) => void): () => void;
  setDark(dark: boolean): void;
  remove(): void;
}

export interface GroundStart {
  title: string;
  dark: boolean;
  language: string;
  /** Text over the map if one finger scrolls the page. */
  twoFingers: string;
  /** The map failed: another one must replace it. */
  onFail: () => void;
}

/** Margin between the outermost points and the edge, in pixels. */
export const roomPixels = 48;
/** Zoom for a single point with its surroundings. */
export const streetZoom = 15;
/** The whole country, if there are no points. */
export const country = { lng: 104, lat: 36, zoom: 3 };

/** Degrees for a number of pixels on maps whose world is a square of `worldPixels` at zoom 0. */
export const degreesAt = (worldPixels: number, zoom: number, pixels: number): number =>
  (pixels * 360) / (worldPixels * 2 ** zoom);

/** South-west and north-east corner of all points. */
export const cornersOf = (points: readonly Point[]): [southWest: Point, northEast: Point] => {
  const lats = points.map(({ lat }) => lat);
  const lngs = points.map(({ lng }) => lng);
  return [
    { lat: Math.min(...lats), lng: Math.min(...lngs) },
    { lat: Math.max(...lats), lng: Math.max(...lngs) },
  ];
};
