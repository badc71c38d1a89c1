import { drawnPercent, usePrefs } from '#web/theme/prefs.ts';

/** The height of a row, px, at the reader's text size. */
export const useRowHeight = (atNormalSize: number): number =>
  Math.round((atNormalSize * usePrefs(drawnPercent)) / 100);
