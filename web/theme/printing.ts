import { useSyncExternalStore } from 'react';
import { flushSync } from 'react-dom';

const media = window.matchMedia('print');
const watchers = new Set<() => void>();
let printing = media.matches;
/** Pages are counted right after the event: what only paper shows has to be there by then. */
const follow = (now: boolean): void => {
  if (now === printing) return;
  printing = now;
  flushSync(() => {
    for (const changed of watchers) changed();
  });
};
media.addEventListener('change', () => follow(media.matches));
window.addEventListener('beforeprint', () => follow(true));
window.addEventListener('afterprint', () => follow(false));

export const isPrinting = (): boolean => printing;
/** Calls back when printing begins and ends. Returns how to stop. */
export const onPrinting = (changed: () => void): (() => void) => {
  watchers.add(changed);
  return () => void watchers.delete(changed);
};
/** Whether the page is being printed: what only paper needs is drawn then. */
export const usePrinting = (): boolean => useSyncExternalStore(onPrinting, isPrinting);
