import { startTransition, useDeferredValue, useEffect, useState } from 'react';

/**
 * The data from their first drawing on, which the browser may interrupt: a list that arrives does not hold up
 * keys and clicks while its rows are made. Later data are returned at once.
 */
export const useArrived = <Data>(data: Data | undefined): Data | undefined =>
  useDeferredValue(data !== undefined) ? data : undefined;

/** About as many rows as a window shows. */
const step = 25;
/**
 * How many of the rows to draw: as many as a window shows first, and the others in drawings of their own, so that
 * the browser lays out and paints them in parts. For lists in which a further row moves nothing.
 */
export const useDrawnRows = (count: number | undefined): number => {
  const [drawn, setDrawn] = useState(step);
  useEffect(() => {
    if (count !== undefined && drawn < count) startTransition(() => setDrawn(drawn + step));
  }, [count, drawn]);
  return drawn;
};
