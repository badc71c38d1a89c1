import type * as z from 'zod';
import { create } from 'zustand';
import type { sessionEndpoints } from '#contract/session.ts';
import { readCookie, writeCookie } from '#web/api/cookies.ts';
import { isPrinting, onPrinting } from './printing.ts';
import { applyPalette, dark, light } from './tokens.ts';

type Preferences = z.output<(typeof sessionEndpoints)['preferences']['reply']>;
export type Theme = 'system' | 'light' | 'dark';
interface PrefsState {
  theme: Theme;
  density: 'dense' | 'comfortable';
  /** The reader's choice. */
  textPercent: number;
  /** Enlargement of a screen that is read from a distance. */
  wall: number;
  columns: Record<string, string[]>;
  scheme: 'light' | 'dark';
}

const wantsDark = () => window.matchMedia('(prefers-color-scheme: dark)').matches;
const schemeOf = (theme: Theme) => (theme === 'system' ? (wantsDark() ? 'dark' : 'light') : theme);
const themes: readonly string[] = ['system', 'light', 'dark'];
const savedTheme = (): Theme => {
  const saved = readCookie('theme');
  return saved && themes.includes(saved) ? (saved as Theme) : 'system';
};
const savedPercent = () => {
  const percent = Number(readCookie('text_size'));
  return percent >= 100 && percent <= 200 ? percent : 100;
};

export const usePrefs = create<PrefsState>(() => ({
  theme: savedTheme(),
  density: 'dense',
  textPercent: savedPercent(),
  wall: 1,
  columns: {},
  scheme: schemeOf(savedTheme()),
}));

/** The text size as drawn. */
export const drawnPercent = ({ textPercent, wall }: Pick<PrefsState, 'textPercent' | 'wall'>): number =>
  textPercent * wall;

let save: ((preferences: Preferences) => void) | null = null;
/** Where changes are stored: on the server once a user is signed in. */
export const keepPrefsWith = (keep: (preferences: Preferences) => void): void => {
  save = keep;
};

const paint = () => {
  const state = usePrefs.getState();
  applyPalette(state.scheme === 'dark' ? dark : light, state.scheme, drawnPercent(state));
};
/** Enlarges everything by this factor, until the next call. */
export const drawLarger = (wall: number): void => {
  if (wall === usePrefs.getState().wall) return;
  usePrefs.setState({ wall });
  paint();
};

/**
 * Applies the theme now and whenever the system's scheme changes or the page is printed, because paper is
 * white.
 */
export const startTheme = (): void => {
  const follow = () => {
    usePrefs.setState(({ theme }) => ({ scheme: isPrinting() ? 'light' : schemeOf(theme) }));
    paint();
  };
  paint();
  window.matchMedia('(prefers-color-scheme: dark)').addEventListener('change', follow);
  onPrinting(follow);
};

const show = (preferences: Preferences) => {
  usePrefs.setState((state) => {
    const theme = preferences.theme ?? state.theme;
    return {
      theme,
      scheme: schemeOf(theme),
      density: preferences.density ?? state.density,
      textPercent: preferences.text_size ?? state.textPercent,
      columns: { ...state.columns, ...preferences.columns },
    };
  });
  const { theme, textPercent } = usePrefs.getState();
  writeCookie('theme', theme);
  writeCookie('text_size', String(textPercent));
  paint();
};
/** Applies the server's stored preferences. */
export const showPrefs = show;

/** Changes preferences here and on the server. */
export const changePrefs = (change: Preferences): void => {
  show(change);
  save?.({ ...change, ...(change.columns ? { columns: usePrefs.getState().columns } : {}) });
};
