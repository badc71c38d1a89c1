import { useSyncExternalStore } from 'react';
import { drawnPercent, usePrefs } from './prefs.ts';

/** Widths in pixels at normal text size from which a table, or a menu beside the page, has room. */
const widths = { table: 768, sideMenu: 992 };

/** Whether there is room at the reader's text size: large text on a wide screen is laid out as on a narrow one. */
export const useRoom = (kind: keyof typeof widths): boolean => {
  const percent = usePrefs(drawnPercent);
  const query = `(min-width: ${(widths[kind] * percent) / 100}px)`;
  return useSyncExternalStore(
    (changed) => {
      const media = window.matchMedia(query);
      media.addEventListener('change', changed);
      return () => media.removeEventListener('change', changed);
    },
    () => window.matchMedia(query).matches,
  );
};
