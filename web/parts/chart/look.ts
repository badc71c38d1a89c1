import { dark, light, type Palette } from '../../theme/tokens.ts';

/** Colours that stay apart for every kind of colour blindness (after Okabe and Ito), darkened or lightened to the page. */
const series = {
  light: ['#0058b0', '#c25100', '#00735a', '#8f3f74', '#7a6100', '#3f6f9c', '#5c5c5c', '#a03030'],
  dark: ['#6db3ff', '#ff9f4d', '#3fcaa2', '#e08fc4', '#e6cd55', '#9cc9ee', '#b5b5b5', '#ff8f87'],
};

export interface Look {
  scheme: 'light' | 'dark';
  palette: Palette;
  series: readonly string[];
  fontSize: number;
  /** Spelled out: a canvas does not know 'inherit'. */
  fontFamily: string;
}
export const lookOf = (scheme: 'light' | 'dark', textPercent: number): Look => ({
  scheme,
  palette: scheme === 'dark' ? dark : light,
  series: series[scheme],
  fontSize: (12 * textPercent) / 100,
  fontFamily: getComputedStyle(document.body).fontFamily,
});

/** What every chart shares: axes, legend on top, crosshair with all series, patterns beside colours for those who ask. */
export const frameOf = ({ palette, series: color, fontSize, fontFamily }: Look) => {
  const axis = {
    axisLine: { lineStyle: { color: palette.border } },
    axisLabel: { color: palette.textSoft, fontSize },
    nameTextStyle: { color: palette.textFaint, fontSize },
    splitLine: { lineStyle: { color: palette.border, opacity: 0.6 } },
  };
  return {
    base: {
      color: [...color],
      textStyle: { fontFamily, fontSize, color: palette.text },
      animation: !window.matchMedia('(prefers-reduced-motion: reduce)').matches,
      animationDuration: 200,
      aria: { enabled: true, decal: { show: false } },
      legend: {
        top: 0,
        left: 0,
        type: 'scroll',
        textStyle: { color: palette.textSoft, fontSize },
        itemHeight: 10,
        itemWidth: 18,
      },
      tooltip: {
        trigger: 'axis',
        confine: true,
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
