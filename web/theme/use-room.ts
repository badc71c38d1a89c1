import { useSyncExternalStore } from 'react';
import { drawnPercent, usePrefs } from './prefs.ts';

/** Widths in pixels at normal text size from which a table, or a menu beside the page, fits. */
const widths = { table: 768, sideMenu: 992 };

/** Whether it fits at the reader's text size: large text on a wide screen gets the layout of a narrow one. */
export const useRoom = (kind: keyof typeof widths): boolean => {
  const percent = usePrefs(drawnPercent);
  return useMedia(`(min-width: ${(widths[kind] * percent) / 100}px)`);
};

/** Whether the window is as low as a phone on its side: bars would leave no room for rows. */
export const useLow = (): boolean => useMedia('(max-height: 479px)');

/** Whether the user may use a thumb: on a touch screen of any size, and in a window as narrow as a phone. */
export const useThumb = (): boolean => useMedia('(pointer: coarse), (max-width: 767px)');

const useMedia = (query: string): boolean =>
  useSyncExternalStore(
    (changed) => {
      const media = window.matchMedia(query);
      media.addEventListener('change', changed);
      return () => media.removeEventListener('change', changed);
    },
    () => window.matchMedia(query).matches,
  );
