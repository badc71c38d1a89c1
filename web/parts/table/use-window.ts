import { type RefObject, useLayoutEffect, useState } from 'react';
import { flushSync } from 'react-dom';

/** Number of rows by which the drawn part moves: few at a time, so that no frame takes long. */
export const stride = 4;
/** Rows drawn beyond each edge. */
const spare = 2 * stride;

export interface Drawn {
  from: number;
  to: number;
}
/** Which of equally high rows are drawn: those visible between `top` and `bottom`, and some around them. */
export const drawnRows = (
  { count, rowHeight }: { count: number; rowHeight: number },
  /**
   * `start` is the position of the first row; `top` and `bottom` are the edges of the visible part. All in px
   * from the same edge.
   */
  { start, top, bottom }: { start: number; top: number; bottom: number },
): Drawn => {
  const first = Math.floor((top - start) / rowHeight / stride) * stride - spare;
  const last = Math.ceil((bottom - start) / rowHeight / stride) * stride + spare;
  const from = Math.min(Math.max(0, first), Math.max(0, count - 1));
  return { from, to: Math.min(count, Math.max(last, from)) };
};

/** The rows to draw while `body`, which holds them all, scrolls within `frame` or with the page. */
export const useWindow = (
  count: number,
  rowHeight: number,
  body: RefObject<HTMLElement | null>,
  frame?: RefObject<HTMLElement | null>,
): Drawn => {
  const [drawn, setDrawn] = useState<Drawn>(() =>
    drawnRows({ count, rowHeight }, { start: 0, top: 0, bottom: window.innerHeight }),
  );
  useLayoutEffect(() => {
    const look = () => {
      const place = body.current?.getBoundingClientRect();
      if (!place) return;
      const around = frame?.current?.getBoundingClientRect();
      const sight = {
        start: place.top,
        top: Math.max(0, around?.top ?? 0),
        bottom: Math.min(window.innerHeight, around?.bottom ?? window.innerHeight),
      };
      const next = drawnRows({ count, rowHeight }, sight);
      setDrawn((before) => (before.from === next.from && before.to === next.to ? before : next));
    };
    // A sheet of paper shows every row. They have to be drawn before the browser lays out the sheet.
    const paper = window.matchMedia('print');
    const print = () => flushSync(() => (paper.matches ? setDrawn({ from: 0, to: count }) : look()));
    look();
    paper.addEventListener('change', print);
    document.addEventListener('scroll', look, { capture: true, passive: true });
    window.addEventListener('resize', look);
    return () => {
      paper.removeEventListener('change', print);
      document.removeEventListener('scroll', look, { capture: true });
      window.removeEventListener('resize', look);
    };
  }, [count, rowHeight, body, frame]);
  return drawn;
};
