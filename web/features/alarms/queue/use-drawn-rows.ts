import { startTransition, useEffect, useState } from 'react';

/** What a browser lays out and paints in one task without holding up keys and clicks. */
const step = 10;
/**
 * How many of the rows to draw: a few more with each frame, so that the browser lays out and paints them in parts.
 */
export const useDrawnRows = (count: number | undefined): number => {
  const [drawn, setDrawn] = useState(step);
  useEffect(() => {
    if (count === undefined || drawn >= count) return;
    const frame = requestAnimationFrame(() => startTransition(() => setDrawn(drawn + step)));
    return () => cancelAnimationFrame(frame);
  }, [count, drawn]);
  return drawn;
};
