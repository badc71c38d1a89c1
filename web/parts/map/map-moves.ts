/** A point or a distance on the screen, in pixels. */
export interface Flat {
  x: number;
  y: number;
}
export interface Moves {
  move: (by: Flat) => void;
  zoom: (times: number, at: Flat) => void;
  click: (at: Flat) => void;
}

/** A pointer that moved less than this was a click. */
const clickPixels = 4;
/** Wheel movement that doubles the scale, in pixels. */
const wheelPixels = 400;

const between = (one: Flat, other: Flat): number => Math.hypot(one.x - other.x, one.y - other.y);
const middle = (one: Flat, other: Flat): Flat => ({ x: (one.x + other.x) / 2, y: (one.y + other.y) / 2 });

/**
 * Turns pointer and wheel events of the box into movements: one pointer drags, two pinch, the wheel zooms.
 * The style `touch-action: pan-y` leaves one-finger scrolling to the page.
 */
export const onMoves = (box: HTMLElement, moves: Moves): (() => void) => {
  const pointers = new Map<number, Flat>();
  let travelled = 0;
  const placeOf = ({ clientX, clientY }: MouseEvent): Flat => {
    const { left, top } = box.getBoundingClientRect();
    return { x: clientX - left, y: clientY - top };
  };
  const down = (event: PointerEvent) => {
    if (event.button !== 0 || (event.target as Element).closest('button')) return;
    if (pointers.size === 0) travelled = 0;
    pointers.set(event.pointerId, placeOf(event));
    box.setPointerCapture(event.pointerId);
  };
  const move = (event: PointerEvent) => {
    const before = pointers.get(event.pointerId);
    if (!before) return;
    const now = placeOf(event);
    const [other] = [...pointers].filter(([id]) => id !== event.pointerId).map(([, place]) => place);
    pointers.set(event.pointerId, now);
    travelled += between(before, now);
    if (other) {
      const was = between(before, other);
      if (was > 0) moves.zoom(between(now, other) / was, middle(now, other));
    } else if (travelled > clickPixels) moves.move({ x: now.x - before.x, y: now.y - before.y });
  };
  const up = (event: PointerEvent) => {
    if (!pointers.delete(event.pointerId)) return;
    if (event.type === 'pointerup' && pointers.size === 0 && travelled <= clickPixels)
      moves.click(placeOf(event));
  };
  const wheel = (event: WheelEvent) => {
    event.preventDefault();
    const pixels = event.deltaMode === WheelEvent.DOM_DELTA_PIXEL ? event.deltaY : event.deltaY * 30;
    moves.zoom(2 ** (-pixels / wheelPixels), placeOf(event));
  };
  box.addEventListener('pointerdown', down);
  box.addEventListener('pointermove', move);
  box.addEventListener('pointerup', up);
  box.addEventListener('pointercancel', up);
  box.addEventListener('wheel', wheel, { passive: false });
  return () => {
    box.removeEventListener('pointerdown', down);
    box.removeEventListener('pointermove', move);
    box.removeEventListener('pointerup', up);
    box.removeEventListener('pointercancel', up);
    box.removeEventListener('wheel', wheel);
  };
};
