import type { Point } from './gcj02.ts';

/**
 * The ground of a map, on which marks are put: the product's own outlines, street tiles, or a provider's script.
 * All points are in WGS-84; a map in another datum converts at its own edge.
 */
export interface Ground {
  /** Puts an element of the page at a point: its centre, or its foot. What it returns takes the element away. */
  mark(element: HTMLElement, point: Point, hold: 'centre' | 'foot'): () => void;
  /** Shows all the points with room around them; a single one with its neighbourhood, and none: the whole map. */
  show(points: readonly Point[]): void;
  /** Moves the map if the point is out of sight. */
  reveal(point: Point): void;
  zoomBy(steps: 1 | -1): void;
  /** Degrees of longitude that so many pixels span at present. */
  degreesOf(pixels: number): number;
  /** Calls the listener after each change of the zoom. */
  onZoom(listener: () => void): () => void;
  /** Calls the listener with each point of the ground, not of a mark, that is clicked. */
  onClick(listener: (point: Point) => void): () => void;
  setDark(dark: boolean): void;
  remove(): void;
}

export interface GroundStart {
  title: string;
  dark: boolean;
  language: string;
  /** Shown over the map where one finger scrolls the page. */
  twoFingers: string;
  /** Nothing can be shown after all: another map has to take its place. */
  onFail: () => void;
}

/** Room between the outermost points and the edge, in pixels. */
export const roomPixels = 48;
/** A single point is shown with its neighbourhood. */
export const streetZoom = 15;
/** The whole country, where there is nothing to show. */
export const country = { lng: 104, lat: 36, zoom: 3 };

/** Degrees that pixels span on maps whose world is a square of so many pixels at zoom 0. */
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
