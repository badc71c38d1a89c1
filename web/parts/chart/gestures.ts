import type { Engine } from './engine.ts';
import type { Range } from './sample.ts';

interface RangeView {
  range: () => Range;
  /** The limits of the range. */
  bounds: () => Range;
  /** Draws a range during the gesture. */
  show: (range: Range) => void;
  /** The range that was chosen. */
  choose: (range: Range) => void;
}
/** A shorter range than this is not useful. */
const shortestMs = 10_000;
const leastMovement = 6;
const settleMs = 250;

/** A range within its bounds, with the same length if there is room. */
export const within = ({ from, to }: Range, bounds: Range): Range => {
  const length = Math.min(Math.max(to - from, shortestMs), bounds.to - bounds.from);
  const start = Math.min(Math.max(from, bounds.from), bounds.to - length);
  return { from: Math.round(start), to: Math.round(start + length) };
};
export const moved = ({ from, to }: Range, share: number): Range => {
  const by = (to - from) * share;
  return { from: from + by, to: to + by };
};
/** Longer or shorter by a factor; `at` keeps its position. */
export const scaled = ({ from, to }: Range, factor: number, at = (from + to) / 2): Range => ({
  from: at - (at - from) * factor,
  to: at + (to - at) * factor,
});

/**
 * Dragging selects a range, Shift and dragging moves it; Alt and the wheel make it longer or shorter, a
 * sideways wheel moves it. Returns a function that removes the listeners.
 */
export const listenForRanges = (box: HTMLElement, engine: Engine, view: RangeView): (() => void) => {
  const timeAt = (x: number) => Number(engine.convertFromPixel({ xAxisIndex: 0 }, x));
  const placeOf = (event: MouseEvent) => {
    const { left, top } = box.getBoundingClientRect();
    return { x: event.clientX - left, y: event.clientY - top };
  };
  let begun: { x: number; at: number; range: Range; moves: boolean; pointer: number } | null = null;
  let mark: HTMLDivElement | null = null;
  let settling: ReturnType<typeof setTimeout> | null = null;
  const end = () => {
    mark?.remove();
    mark = null;
    begun = null;
  };
  const down = (event: PointerEvent) => {
    const { x, y } = placeOf(event);
    const inside = [0, 1, 2, 3, 4, 5].some((gridIndex) => {
      try {
        return engine.containPixel({ gridIndex }, [x, y]);
      } catch {
        return false;
      }
    });
    if (event.button !== 0 || !inside) return;
    begun = { x, at: timeAt(x), range: view.range(), moves: event.shiftKey, pointer: event.pointerId };
  };
  const move = (event: PointerEvent) => {
    if (!begun || event.pointerId !== begun.pointer) return;
    const { x } = placeOf(event);
    if (!mark && Math.abs(x - begun.x) < leastMovement) return;
    if (!mark) {
      box.setPointerCapture(event.pointerId);
      mark = document.createElement('div');
      mark.className = begun.moves ? '' : 'chart-selection';
      box.append(mark);
    }
    if (begun.moves) {
      const perPixel = (begun.range.to - begun.range.from) / Math.max(1, box.clientWidth);
      const by = (begun.x - x) * perPixel;
      view.show(within({ from: begun.range.from + by, to: begun.range.to + by }, view.bounds()));
      return;
    }
    mark.style.left = `${Math.min(x, begun.x)}px`;
    mark.style.width = `${Math.abs(x - begun.x)}px`;
  };
  const up = (event: PointerEvent) => {
    if (begun && mark) {
      if (begun.moves) view.choose(view.range());
      else {
        const other = timeAt(placeOf(event).x);
        const { from, to } = begun.range;
        const [first, last] = [begun.at, other].toSorted((a, b) => a - b);
        view.choose(within({ from: Math.max(from, first!), to: Math.min(to, last!) }, view.bounds()));
      }
    }
    end();
  };
  const wheel = (event: WheelEvent) => {
    const sideways = event.shiftKey ? event.deltaY || event.deltaX : event.deltaX;
    const scales = event.altKey;
    if (!scales && (sideways === 0 || Math.abs(event.deltaY) > Math.abs(sideways))) return;
    event.preventDefault();
    // The library would show the values below the pointer at each step.
    event.stopPropagation();
    const now = view.range();
    const next = scales
      ? scaled(now, event.deltaY > 0 ? 1.25 : 0.8, timeAt(placeOf(event).x))
      : moved(now, sideways / 1000);
    view.show(within(next, view.bounds()));
    if (settling) clearTimeout(settling);
    settling = setTimeout(() => view.choose(view.range()), settleMs);
  };
  const key = (event: KeyboardEvent) => {
    if (event.key !== 'Escape' || !begun) return;
    event.stopPropagation();
    view.show(begun.range);
    end();
  };
  box.addEventListener('pointerdown', down);
  box.addEventListener('pointermove', move);
  box.addEventListener('pointerup', up);
  box.addEventListener('pointercancel', end);
  box.addEventListener('wheel', wheel, { passive: false, capture: true });
  document.addEventListener('keydown', key, true);
  return () => {
    if (settling) clearTimeout(settling);
    end();
    box.removeEventListener('pointerdown', down);
    box.removeEventListener('pointermove', move);
    box.removeEventListener('pointerup', up);
    box.removeEventListener('pointercancel', end);
    box.removeEventListener('wheel', wheel, true);
    document.removeEventListener('keydown', key, true);
  };
};
