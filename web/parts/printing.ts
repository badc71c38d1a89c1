import { useSyncExternalStore } from 'react';

const printed = window.matchMedia('print');
const watch = (changed: () => void) => {
  printed.addEventListener('change', changed);
  return () => printed.removeEventListener('change', changed);
};
export const isPrinting = (): boolean => printed.matches;

/** Whether the page is being printed: what only paper needs is drawn then. */
export const usePrinting = (): boolean => useSyncExternalStore(watch, isPrinting);
