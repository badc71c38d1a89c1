import { dark, light, type Palette } from '#web/theme/tokens.ts';
import { hatched } from './hatch.ts';

/**
 * Colours that are distinguishable with every kind of colour blindness (after Okabe and Ito), darkened or
 * lightened until each has a contrast of 3:1 with the page. `look.test.ts` measures both.
 */
export const seriesColours = {
  light: ['#0058b0', '#c25100', '#00836a', '#b0529a', '#4a3a00', '#4a90c8', '#3f3f3f', '#e0483e'],
  dark: ['#6db3ff', '#ff9f4d', '#2fb892', '#e08fc4', '#f0e07a', '#3f7fd0', '#d9d9d9', '#ff6f61'],
};
/** L1 yellow, L2 green, L3 red, N blue (GB 50258), each with its own dash pattern. */
export const phaseColours = {
  light: { a: '#8a6d00', b: '#00836a', c: '#c02a1c', n: '#0058b0' },
  dark: { a: '#f0d040', b: '#2fb892', c: '#ff7d70', n: '#6db3ff' },
};
const phaseDashes = { a: 'solid', b: [7, 3], c: [2, 2], n: [9, 3, 2, 3] } as const;

/** The meaning of a colour; a number is an index in the palette of series. */
export type Tone = keyof typeof phaseDashes | 'alarm' | 'early' | 'good' | 'faint' | number;
export type Dash = 'solid' | 'dashed' | 'dotted' | readonly number[];

export interface Look {
  scheme: 'light' | 'dark';
  palette: Palette;
  series: readonly string[];
  fontSize: number;
  /** Explicit, because a canvas does not know 'inherit'. */
  fontFamily: string;
}
const usualFontSize = 12;
/** Factor of line widths: the same as that of the text, so that lines are visible from afar on a wall display. */
export const strokeScale = ({ fontSize }: Look): number => Math.max(1, fontSize / usualFontSize);
export const lookOf = (scheme: 'light' | 'dark', textPercent: number): Look => ({
  scheme,
  palette: scheme === 'dark' ? dark : light,
  series: seriesColours[scheme],
  fontSize: (usualFontSize * textPercent) / 100,
  fontFamily: getComputedStyle(document.body).fontFamily,
});

const isPhase = (tone: Tone): tone is keyof typeof phaseDashes =>
  typeof tone === 'string' && tone in phaseDashes;
export const colourOf = ({ scheme, palette, series }: Look, tone: Tone): string => {
  if (typeof tone === 'number') return series[tone % series.length]!;
  if (isPhase(tone)) return phaseColours[scheme][tone];
  return tone === 'faint' ? palette.textFaint : palette[tone];
};
export const dashOf = (tone: Tone): Dash => (isPhase(tone) ? phaseDashes[tone] : 'solid');
/** The colour in stripes: for estimated instead of measured values. */
export const hatchOf = (look: Look, tone: Tone) => hatched(colourOf(look, tone), look.palette.surface);

/** Options of every chart: text, legend on top, crosshair with all series. */
export const frameOf = ({ palette, series: color, fontSize, fontFamily }: Look) => {
  const axis = {
    axisLine: { lineStyle: { color: palette.border } },
    axisLabel: { color: palette.textSoft, fontSize, hideOverlap: true },
    nameTextStyle: { color: palette.textSoft, fontSize },
    splitLine: { lineStyle: { color: palette.border, opacity: 0.6 } },
  };
  return {
    base: {
      color: [...color],
      textStyle: { fontFamily, fontSize, color: palette.text },
      animation: false,
      aria: { enabled: true, decal: { show: false } },
      legend: {
        top: 0,
        left: 0,
        type: 'scroll',
        textStyle: { color: palette.textSoft, fontSize },
        itemHeight: 10,
        itemWidth: 26,
      },
      tooltip: {
        trigger: 'axis',
        confine: true,
        transitionDuration: 0,
        backgroundColor: palette.raised,
        borderColor: palette.border,
        textStyle: { color: palette.text, fontSize },
        axisPointer: { type: 'cross', label: { fontSize } },
      },
      grid: { top: 34 + fontSize, left: 8, right: 16, bottom: 8, containLabel: true },
    },
    axis,
  };
};
/**
 * The legend of many series is one line that scrolls; a single series needs none, because the title names it.
 */
export const legendOf = (names: readonly string[], base: ReturnType<typeof frameOf>['base']) => ({
  ...base.legend,
  data: [...names],
  show: names.length > 1,
});
