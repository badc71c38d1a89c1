import { useEffect, useSyncExternalStore } from 'react';
import { drawLarger } from '../../theme/prefs.ts';

/** The screen that the overview is laid out for, in pixels. */
const laidOut = { width: 1920, height: 1080 };
/** A screen a little larger is a desk's: there the room is worth more than the size. */
const leastGain = 1.25;

/** How many times larger the overview is drawn: a wall of four thousand pixels is read from as far away as one of two. */
export const wallFactor = (width: number, height: number): number => {
  const gain = Math.min(width / laidOut.width, height / laidOut.height);
  return gain < leastGain ? 1 : Math.floor(gain * 100) / 100;
};

/** Draws the overview as large as the wall display has room for; other screens keep the reader's size. */
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

/** A screen on which all panels of a page are seen at once; `dashboard.css` lays it out for the same. */
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
