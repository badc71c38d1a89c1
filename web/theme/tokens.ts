/** One source of colours for the sign-in screen (CSS variables) and the console (antd tokens). */
export interface Palette {
  page: string;
  surface: string;
  raised: string;
  text: string;
  textSoft: string;
  textFaint: string;
  border: string;
  primary: string;
  primaryHover: string;
  primaryText: string;
  link: string;
  focus: string;
  alarm: string;
  alarmSoft: string;
  early: string;
  earlySoft: string;
  good: string;
  goodSoft: string;
  field: string;
}

export const light: Palette = {
  page: '#f2f4f7',
  surface: '#ffffff',
  raised: '#ffffff',
  text: '#1d2733',
  textSoft: '#4a5666',
  textFaint: '#5b6778',
  border: '#d5dbe3',
  primary: '#0958d9',
  primaryHover: '#1d66dc',
  primaryText: '#ffffff',
  link: '#0958d9',
  focus: '#0958d9',
  alarm: '#b3261e',
  alarmSoft: '#fdeceb',
  early: '#8a5300',
  earlySoft: '#fff4de',
  good: '#2f6f4f',
  goodSoft: '#e6f4ec',
  field: '#ffffff',
};
export const dark: Palette = {
  page: '#10151c',
  surface: '#171e27',
  raised: '#1f2833',
  text: '#e3e8ee',
  textSoft: '#b4bfcc',
  textFaint: '#93a0b0',
  border: '#344050',
  primary: '#0958d9',
  primaryHover: '#1d66dc',
  primaryText: '#ffffff',
  link: '#7fb2ff',
  focus: '#7fb2ff',
  alarm: '#ff8f87',
  alarmSoft: '#3a1a1a',
  early: '#ffc266',
  earlySoft: '#33260f',
  good: '#7fcaa3',
  goodSoft: '#15291f',
  field: '#10151c',
};

const kebab = (name: string) => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

/** Writes a palette into the document's CSS variables: `textSoft` becomes `--text-soft`. */
export const applyPalette = (palette: Palette, scheme: 'light' | 'dark', textPercent: number): void => {
  const { style, dataset } = document.documentElement;
  for (const [name, colour] of Object.entries(palette)) style.setProperty(`--${kebab(name)}`, colour);
  style.setProperty('--text-scale', String(textPercent / 100));
  style.colorScheme = scheme;
  dataset['scheme'] = scheme;
};
