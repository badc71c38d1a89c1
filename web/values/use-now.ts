import { useSyncExternalStore } from 'react';

const tickMs = 5_000;
let now = Date.now();
let timer: number | undefined;
const listeners = new Set<() => void>();

const subscribe = (listener: () => void) => {
  listeners.add(listener);
  timer ??= window.setInterval(() => {
    now = Date.now();
    for (const each of listeners) each();
  }, tickMs);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    window.clearInterval(timer);
    timer = undefined;
  };
};
/** The present, renewed every few seconds by one timer for all that shows ages. */
export const useNow = (): number => useSyncExternalStore(subscribe, () => now);
