import { useSyncExternalStore } from 'react';
import { flushSync } from 'react-dom';

const media = window.matchMedia('print');
const watchers = new Set<() => void>();
let printing = media.matches;
/** Pages are counted directly after the event: content for paper must exist by then. */
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
/** Calls back when printing begins and ends. Returns a stop function. */
export const onPrinting = (changed: () => void): (() => void) => {
  watchers.add(changed);
  return () => void watchers.delete(changed);
};
/** Whether the page is being printed: content for paper is drawn only then. */
export const usePrinting = (): boolean => useSyncExternalStore(onPrinting, isPrinting);
