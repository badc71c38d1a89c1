import { useSyncExternalStore } from 'react';
import { useLink } from '#web/api/link-state.ts';

const tickMs = 5_000;
const present = () => Date.now() + useLink.getState().aheadMs;
let now = present();
let timer: number | undefined;
const listeners = new Set<() => void>();

const subscribe = (listener: () => void) => {
  listeners.add(listener);
  timer ??= window.setInterval(() => {
    now = present();
    for (const each of listeners) each();
  }, tickMs);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    window.clearInterval(timer);
    timer = undefined;
  };
};
const snapshot = () => {
  // No tick came while nothing showed an age.
  if (timer === undefined && Math.abs(present() - now) >= tickMs) now = present();
  return now;
};
/** The present by the server's clock, updated every few seconds by one timer for all displayed ages. */
export const useNow = (): number => useSyncExternalStore(subscribe, snapshot);
