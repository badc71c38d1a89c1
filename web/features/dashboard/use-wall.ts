import { useEffect, useSyncExternalStore } from 'react';
import { drawLarger } from '#web/theme/prefs.ts';

/** The screen size of the layout, in pixels. */
const laidOut = { width: 1920, height: 1080 };
/** A slightly larger screen is a desk screen, where more content is more useful than larger text. */
const leastGain = 1.25;

/**
 * How much larger the overview is drawn: a wall with four thousand pixels is read from the same distance as
 * one with two thousand.
 */
export const wallFactor = (width: number, height: number): number => {
  const gain = Math.min(width / laidOut.width, height / laidOut.height);
  return gain < leastGain ? 1 : Math.floor(gain * 100) / 100;
};

/** Enlarges the overview on a wall display; other screens keep the reader's size. */
export const useWall = (): void => {
  useEffect(() => {
    const resize = () => drawLarger(wallFactor(window.innerWidth, window.innerHeight));
    resize();
    window.addEventListener('resize', resize);
    return () => {
      window.removeEventListener('resize', resize);
      drawLarger(1);
    };
  }, []);
};

/** A screen that shows all panels of a page at once; `dashboard.css` uses the same condition. */
const wide = '(min-width: 1400px) and (min-height: 800px)';
export const useWallRoom = (): boolean =>
  useSyncExternalStore(
    (changed) => {
      const media = window.matchMedia(wide);
      media.addEventListener('change', changed);
      return () => media.removeEventListener('change', changed);
    },
    () => window.matchMedia(wide).matches,
  );
