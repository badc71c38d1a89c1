import { useEffect, useRef, useState } from 'react';

/** After a touch or a key the page stays for this time, because the user is reading. */
const pauseMs = 60_000;

/** The visible page, which changes after this many seconds unless a user is active; 0: no change. */
export const usePages = (count: number, cycleSeconds: number): [number, (page: number) => void] => {
  const [page, setPage] = useState(0);
  const touched = useRef(Number.NEGATIVE_INFINITY);
  useEffect(() => {
    const note = () => {
      touched.current = performance.now();
    };
    for (const event of ['pointerdown', 'keydown', 'wheel'] as const)
      window.addEventListener(event, note, { passive: true });
    return () => {
      for (const event of ['pointerdown', 'keydown', 'wheel'] as const)
        window.removeEventListener(event, note);
    };
  }, []);
  useEffect(() => {
    if (cycleSeconds === 0 || count < 2) return;
    const timer = window.setInterval(() => {
      if (performance.now() - touched.current > pauseMs) setPage((current) => (current + 1) % count);
    }, cycleSeconds * 1000);
    return () => window.clearInterval(timer);
  }, [count, cycleSeconds]);
  return [Math.min(page, Math.max(0, count - 1)), setPage];
};
