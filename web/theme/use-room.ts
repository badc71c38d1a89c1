import { useSyncExternalStore } from 'react';
import { drawnPercent, usePrefs } from './prefs.ts';

/** Widths in pixels at normal text size from which a table, or a menu beside the page, has room. */
const widths = { table: 768, sideMenu: 992 };

/** Whether there is room at the reader's text size: large text on a wide screen is laid out as on a narrow one. */
export const useRoom = (kind: keyof typeof widths): boolean => {
  const percent = usePrefs(drawnPercent);
  return useMedia(`(min-width: ${(widths[kind] * percent) / 100}px)`);
};

/** Whether a thumb may point: on a touch screen of any size, and in a window as narrow as a phone. */
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
