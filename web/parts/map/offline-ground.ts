/** The product's own map: outlines of provinces, drawn without another host. */
import type { Language } from '#contract/languages.ts';
import { chinaOutlines, type Outline } from './china-outlines.ts';
import type { Point } from './gcj02.ts';
import { cornersOf, type Ground, type GroundStart, roomPixels } from './ground.ts';
import { type Flat, type Moves, onMoves } from './map-moves.ts';

/** A degree of latitude is drawn longer than one of longitude, as on familiar maps. */
const stretch = 1 / 0.75;
/** The extent of the whole map. */
const whole = cornersOf([
  { lat: 17.8, lng: 73 },
  { lat: 54, lng: 135.5 },
]);
/** A schematic map has no more detail at a higher zoom. */
const mostTimes = 40;
/** This many times the scale of the whole map is enough for the places of one town. */
const mostTimesShown = 10;
const stepTimes = 1.6;

const svg = <Name extends keyof SVGElementTagNameMap>(name: Name): SVGElementTagNameMap[Name] =>
  document.createElementNS('http://www.w3.org/2000/svg', name);

const pathOf = ({ names, rings }: Outline, language: Language): SVGPathElement => {
  const path = svg('path');
  path.setAttribute(
    'd',
    rings
      .map(
        (ring) =>
          `M${ring.map(([lng, lat]) => `${lng} ${Math.round(-lat * stretch * 1e3) / 1e3}`).join('L')}Z`,
      )
      .join(''),
  );
  const title = svg('title');
  title.textContent = names[language];
  path.append(title);
  return path;
};

/** The visible part of the map: its centre, and pixels per degree of longitude. */
class View {
  lng = 104;
  lat = 36;
  scale = 1;
  size: Flat = { x: 1, y: 1 };
  /** Read only when it may have changed: after each change of the page the browser would lay it out to answer. */
  measure({ clientWidth, clientHeight }: HTMLElement): void {
    this.size = { x: clientWidth || 1, y: clientHeight || 1 };
  }
  scaleFor([southWest, northEast]: readonly [Point, Point], room: number): number {
    const { x, y } = this.size;
    return Math.min(
      Math.max(40, x - 2 * room) / Math.max(1e-6, northEast.lng - southWest.lng),
      Math.max(40, y - 2 * room) / Math.max(1e-6, (northEast.lat - southWest.lat) * stretch),
    );
  }
  toPixels({ lat, lng }: Point): Flat {
    const { x, y } = this.size;
    return { x: x / 2 + (lng - this.lng) * this.scale, y: y / 2 - (lat - this.lat) * stretch * this.scale };
  }
  toPoint({ x, y }: Flat): Point {
    const size = this.size;
    return {
      lng: this.lng + (x - size.x / 2) / this.scale,
      lat: this.lat - (y - size.y / 2) / this.scale / stretch,
    };
  }
  show(corners: readonly [Point, Point], scale: number): void {
    this.lng = (corners[0].lng + corners[1].lng) / 2;
    this.lat = (corners[0].lat + corners[1].lat) / 2;
    this.scale = scale;
  }
  /** Enlarges by a factor; the point under the pointer stays. */
  zoom(times: number, at: Flat, least: number): void {
    const held = this.toPoint(at);
    this.scale = Math.min(least * mostTimes, Math.max(least, this.scale * times));
    const moved = this.toPoint(at);
    this.lng += held.lng - moved.lng;
    this.lat += held.lat - moved.lat;
    this.keepInSight();
  }
  move(by: Flat): void {
    this.lng -= by.x / this.scale;
    this.lat += by.y / this.scale / stretch;
    this.keepInSight();
  }
  /** Keeps the centre on the earth. */
  keepInSight(): void {
    this.lng = Math.min(180, Math.max(-180, this.lng));
    this.lat = Math.min(85, Math.max(-85, this.lat));
  }
}

class OfflineGround implements Ground {
  #view = new View();
  #drawn = svg('svg');
  #outlines = svg('g');
  #marks = new Map<HTMLElement, Point>();
  #zoomed = new Set<() => void>();
  #clicked = new Set<(point: Point) => void>();
  #leave: (() => void)[] = [];
  #box: HTMLElement;
  /** The last requested view: restored when the size changes, until the user moves the map. */
  #shown: readonly Point[] | null = [];

  constructor(box: HTMLElement, outlines: readonly Outline[], language: Language) {
    this.#box = box;
    this.#drawn.classList.add('map-outlines');
    this.#drawn.setAttribute('aria-hidden', 'true');
    this.#outlines.append(...outlines.map((outline) => pathOf(outline, language)));
    this.#drawn.append(this.#outlines);
    box.append(this.#drawn);
    const moves: Moves = {
      move: (by) => {
        this.#shown = null;
        this.#view.move(by);
        this.#draw();
      },
      zoom: (times, at) => this.#zoom(times, at),
      click: (at) => {
        for (const listener of this.#clicked) listener(this.#view.toPoint(at));
      },
    };
    this.#leave.push(onMoves(box, moves));
    const observer = new ResizeObserver(() => {
      this.#view.measure(box);
      if (this.#shown) this.show(this.#shown);
      else this.#draw();
    });
    observer.observe(box);
    this.#leave.push(() => observer.disconnect());
    this.#view.measure(box);
    this.show([]);
  }

  #least(): number {
    return Math.min(
      this.#view.scaleFor(whole, 0),
      ...(this.#marks.size > 0
        ? [this.#view.scaleFor(cornersOf([...this.#marks.values()]), roomPixels)]
        : []),
    );
  }
  #zoom(times: number, at: Flat): void {
    this.#shown = null;
    this.#view.zoom(times, at, this.#least());
    this.#draw();
    for (const listener of this.#zoomed) listener();
  }
  #draw(): void {
    const { x, y } = this.#view.toPixels({ lat: 0, lng: 0 });
    this.#outlines.setAttribute('transform', `translate(${x} ${y}) scale(${this.#view.scale})`);
    for (const [element, point] of this.#marks) this.#put(element, point);
  }
  #put(element: HTMLElement, point: Point): void {
    const { x, y } = this.#view.toPixels(point);
    element.style.left = `${x}px`;
    element.style.top = `${y}px`;
  }

  mark(element: HTMLElement, point: Point, hold: 'centre' | 'foot'): () => void {
    element.classList.add('map-held', `is-held-by-${hold}`);
    this.#marks.set(element, point);
    this.#box.append(element);
    this.#put(element, point);
    return () => {
      this.#marks.delete(element);
      element.remove();
    };
  }
  show(points: readonly Point[]): void {
    this.#shown = points;
    const wholeScale = this.#view.scaleFor(whole, 0);
    if (points.length === 0) this.#view.show(whole, wholeScale);
    else {
      const corners = cornersOf(points);
      this.#view.show(
        corners,
        Math.min(wholeScale * mostTimesShown, this.#view.scaleFor(corners, roomPixels)),
      );
    }
    this.#draw();
    for (const listener of this.#zoomed) listener();
  }
  reveal(point: Point): void {
    const at = this.#view.toPixels(point);
    const { x, y } = this.#view.size;
    if (at.x >= 0 && at.x <= x && at.y >= 0 && at.y <= y) return;
    this.#shown = null;
    this.#view.show([point, point], this.#view.scale);
    this.#draw();
  }
  zoomBy(steps: 1 | -1): void {
    const { x, y } = this.#view.size;
    this.#zoom(steps === 1 ? stepTimes : 1 / stepTimes, { x: x / 2, y: y / 2 });
  }
  degreesOf(pixels: number): number {
    return pixels / this.#view.scale;
  }
  onZoom(listener: () => void): () => void {
    this.#zoomed.add(listener);
    return () => void this.#zoomed.delete(listener);
  }
  onClick(listener: (point: Point) => void): () => void {
    this.#clicked.add(listener);
    return () => void this.#clicked.delete(listener);
  }
  /** The outlines use the page's colours. */
  setDark(): void {}
  remove(): void {
    for (const leave of this.#leave) leave();
    this.#drawn.remove();
  }
}

/** Opens the offline map in the box. */
export const openOfflineGround = async (box: HTMLElement, { language }: GroundStart): Promise<Ground> =>
  new OfflineGround(box, await chinaOutlines(), language as Language);
