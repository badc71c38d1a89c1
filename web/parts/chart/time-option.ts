import type { EChartsCoreOption } from 'echarts/core';
import type { Formats } from '#web/i18n/format.ts';
import { limitPlaces } from './limit-places.ts';
import { colourOf, dashOf, frameOf, hatchOf, type Look, legendOf, strokeScale, type Tone } from './look.ts';
import { type Limit, type Mark, type TimeModel, type TimePanel, type TimeSeries, textOf } from './model.ts';
import { indexesOf, nearestIndex, type Point, type Range, sampled, sampledBand, withGaps } from './sample.ts';
import { widthOf } from './text-width.ts';
import { tooltipOf } from './tooltip.ts';

interface TimeWords {
  estimated: string;
  none: string;
}
interface Drawing {
  look: Look;
  formats: Formats;
  words: TimeWords;
  range: Range;
  /** Width in pixels: more points than pixels make no difference. */
  columns: number;
  /** For how many pixels the points are reduced together; above one only while the range moves. */
  coarseness?: number;
}
const placesOf = ({ columns, coarseness = 1 }: Drawing) => Math.ceil(columns / coarseness);
/** Index of a series in the palette: counted over all panels, so that no two share a colour. */
const toneOf = ({ panels }: TimeModel, wanted: TimeSeries): Tone =>
  wanted.tone ?? panels.flatMap(({ series }) => series).indexOf(wanted);

/** Ranges of estimated points, each up to the next measured one. */
export const estimatedSpans = ({ at, estimated, stepMs = 0 }: TimeSeries): Range[] => {
  const spans: Range[] = [];
  if (!estimated) return spans;
  for (const [index, time] of at.entries()) {
    if (estimated[index] !== true) continue;
    const to = Math.min(
      at[index + 1] ?? time + stepMs,
      stepMs === 0 ? Number.POSITIVE_INFINITY : time + stepMs,
    );
    const last = spans.at(-1);
    if (last && last.to >= time) last.to = to;
    else spans.push({ from: time, to });
  }
  return spans;
};

const limitLines = (panel: TimePanel, { look, formats, range, columns }: Drawing) => {
  const { fontSize, palette } = look;
  const nameOf = ({ name, value }: Limit) => `${name} ${textOf(formats, value, panel.unit)}`;
  const places = limitPlaces(panel, nameOf, { range, columns, fontSize });
  return (panel.limits ?? []).map((limit, index) => {
    const { value, tone } = limit;
    const place = places[index] ?? null;
    return {
      yAxis: value,
      lineStyle: { color: colourOf(look, tone), type: tone === 'early' ? 'dashed' : 'solid', width: 1.5 },
      label: {
        formatter: nameOf(limit),
        position: place ?? 'insideEndTop',
        color: palette.textSoft,
        fontSize,
        // A curve along the whole limit passes behind the name.
        ...(place === null ? { backgroundColor: palette.surface, padding: [1, 3] } : {}),
      },
    };
  });
};
const markScale = 0.92;
/** Marks whose names have room. Of overlapping names the first one stays. */
const namedMarks = (marks: readonly Mark[], { look, range, columns }: Drawing): ReadonlySet<Mark> => {
  const named = new Map<Mark, readonly [left: number, right: number]>();
  for (const mark of marks) {
    const middle = ((mark.at - range.from) / (range.to - range.from)) * columns;
    const half = widthOf(mark.name, look.fontSize * markScale) / 2 + 2;
    const taken = [...named.values()].some(([left, right]) => middle + half > left && middle - half < right);
    if (!taken) named.set(mark, [middle - half, middle + half]);
  }
  return new Set(named.keys());
};
const markLines = ({ marks = [] }: TimeModel, drawing: Drawing, labelled: boolean) => {
  const { look, range } = drawing;
  const shown = marks.filter(({ at }) => at >= range.from && at <= range.to);
  const named = namedMarks(shown, drawing);
  return shown.map((mark) => {
    const { at, name, tone = 'faint' } = mark;
    return {
      xAxis: at,
      lineStyle: { color: colourOf(look, tone), type: 'dotted', width: 1.5 },
      label: {
        show: labelled && named.has(mark),
        formatter: name,
        position: 'end',
        distance: 2,
        color: look.palette.textSoft,
        fontSize: look.fontSize * markScale,
      },
    };
  });
};

/**
 * If `showSymbol` is off, the library does not compare the points of two frames, which costs more than drawing
 * them.
 */
const noSymbols = { symbol: 'none', showSymbol: false };
/** Limits, marks and shaded periods belong to no quantity: a series without points draws them. */
const carrierOf = (model: TimeModel, index: number, drawing: Drawing) => {
  const panel = model.panels[index]!;
  const { look, range } = drawing;
  return {
    id: `marks-${index}`,
    type: 'line',
    xAxisIndex: index,
    yAxisIndex: index,
    silent: true,
    ...noSymbols,
    // Single points between gaps are not drawn, but the axis includes them.
    data: panel.reachesLimits
      ? (panel.limits ?? []).flatMap(({ value }) => [
          [range.from, value],
          [range.from, null],
        ])
      : [],
    tooltip: { show: false },
    markLine: {
      symbol: 'none',
      silent: true,
      animation: false,
      data: [...limitLines(panel, drawing), ...markLines(model, drawing, index === 0)],
    },
    markArea: {
      silent: true,
      itemStyle: { color: look.palette.textFaint, opacity: 0.14 },
      label: { color: look.palette.textSoft, fontSize: look.fontSize * 0.92, position: 'insideTop' },
      data: (model.spans ?? []).map(({ from, to, name }) => [
        { name: index === 0 ? name : '', xAxis: from },
        { xAxis: to },
      ]),
    },
  };
};

const bandOf = (model: TimeModel, series: TimeSeries, index: number, drawing: Drawing) => {
  const { look, range } = drawing;
  if (!series.band) return [];
  const { low, height } = sampledBand({ ...series, ...series.band }, range, placesOf(drawing));
  const shared = {
    type: 'line',
    xAxisIndex: index,
    yAxisIndex: index,
    stack: `band-${series.key}`,
    stackStrategy: 'all',
    ...noSymbols,
    silent: true,
    lineStyle: { opacity: 0 },
    tooltip: { show: false },
  };
  return [
    { ...shared, id: `${series.key}-low`, data: low },
    {
      ...shared,
      id: `${series.key}-height`,
      data: height,
      areaStyle: { color: colourOf(look, toneOf(model, series)), opacity: 0.22 },
    },
  ];
};

/**
 * Times and values alternate in one array: in each frame the library would copy a list point by point, but
 * copies this at once.
 */
const packed = (points: readonly Point[]): Float64Array => {
  const pairs = new Float64Array(2 * points.length);
  for (const [index, [at, value]] of points.entries()) {
    pairs[2 * index] = at;
    pairs[2 * index + 1] = value ?? Number.NaN;
  }
  return pairs;
};
const lineOf = (model: TimeModel, series: TimeSeries, index: number, drawing: Drawing) => {
  const { look, range } = drawing;
  const tone = toneOf(model, series);
  const colour = colourOf(look, tone);
  const spans = estimatedSpans(series);
  return {
    id: series.key,
    name: series.name,
    type: 'line',
    xAxisIndex: index,
    yAxisIndex: index,
    ...(series.shape === 'point' ? { symbol: 'circle', symbolSize: 9, z: 4 } : noSymbols),
    connectNulls: false,
    ...(series.shape === 'step' ? { step: 'end' } : {}),
    lineStyle: { width: 1.8 * strokeScale(look), type: series.dash ?? dashOf(tone), color: colour },
    itemStyle: { color: colour },
    data: packed(sampled(series, range, placesOf(drawing))),
    ...(spans.length === 0
      ? {}
      : {
          markArea: {
            silent: true,
            itemStyle: { color: hatchOf(look, 'faint'), opacity: 0.35 },
            data: spans.map(({ from, to }) => [{ xAxis: from }, { xAxis: to }]),
          },
        }),
  };
};
const barsOf = (model: TimeModel, series: TimeSeries, index: number, { look, range }: Drawing) => {
  const tone = toneOf(model, series);
  const [start, end] = indexesOf(series.at, range);
  return {
    id: series.key,
    name: series.name,
    type: 'bar',
    xAxisIndex: index,
    yAxisIndex: index,
    itemStyle: { color: colourOf(look, tone) },
    data: withGaps({ at: series.at.slice(start, end), values: series.values.slice(start, end) }).map(
      (value, offset) =>
        series.estimated?.[start + offset]
          ? {
              value,
              itemStyle: { color: hatchOf(look, tone), borderColor: colourOf(look, tone), borderWidth: 1 },
            }
          : { value },
    ),
  };
};
/** Only the series of the drawing: the part that changes while the range moves. */
export const timeSeriesOf = (model: TimeModel, drawing: Drawing) =>
  model.panels.flatMap((panel, index) => [
    ...panel.series.flatMap((series) => [
      ...bandOf(model, series, index, drawing),
      series.shape === 'bar' ? barsOf(model, series, index, drawing) : lineOf(model, series, index, drawing),
    ]),
    carrierOf(model, index, drawing),
  ]);

const wide = 0.02;
/** The values of all series nearest to a time, for the crosshair. */
const rowsAt = (model: TimeModel, at: number, { look, formats, words, range }: Drawing) =>
  model.panels.flatMap(({ unit, series: all }) =>
    all.map((series) => {
      const reach = series.stepMs === undefined ? (range.to - range.from) * wide : series.stepMs * 1.5;
      const index = nearestIndex(series.at, at, reach);
      const text = (value: number | null | undefined) => textOf(formats, value ?? null, unit, series.digits);
      const band =
        index !== null && series.band
          ? ` (${text(series.band.low[index])} … ${text(series.band.high[index])})`
          : '';
      const guess = index !== null && series.estimated?.[index] ? ` · ${words.estimated}` : '';
      const value = index === null ? null : (series.values[index] ?? null);
      return {
        name: series.name,
        value: value === null ? words.none : `${text(value)}${band}${guess}`,
        colour: colourOf(look, toneOf(model, series)),
      };
    }),
  );

const gridsOf = (panels: readonly TimePanel[], { fontSize }: Look) => {
  const [top, bottom, between] = [3.6 * fontSize, 2.4 * fontSize, 2.4 * fontSize];
  const one = panels.length === 1;
  // The labels of several panels have the same width, so that their time axes are aligned.
  return panels.map((_, index) => {
    const share = 100 / panels.length;
    return one
      ? { top, bottom: 8, left: 8, right: 18, containLabel: true }
      : {
          top: index === 0 ? top : `${index * share + 5}%`,
          bottom:
            index === panels.length - 1
              ? bottom
              : `${100 - (index + 1) * share + (between / fontSize) * 0.4}%`,
          left: 5.4 * fontSize,
          right: 18,
        };
  });
};

/** The whole drawing of a model over a range. */
export const timeOption = (model: TimeModel, drawing: Drawing): EChartsCoreOption => {
  const { look, formats, range } = drawing;
  const { base, axis } = frameOf(look);
  const names = model.panels.flatMap(({ series }) => series.map(({ name }) => name));
  const last = model.panels.length - 1;
  return {
    ...base,
    legend: legendOf(names, base),
    grid: gridsOf(model.panels, look),
    axisPointer: { link: [{ xAxisIndex: 'all' }] },
    tooltip: {
      ...base.tooltip,
      formatter: (params: unknown) => {
        const [first] = (Array.isArray(params) ? params : [params]) as { axisValue?: number }[];
        const at = Number(first?.axisValue);
        return tooltipOf(formats.dateTime(at), rowsAt(model, at, drawing));
      },
    },
    xAxis: model.panels.map((_, index) => ({
      type: 'time',
      gridIndex: index,
      min: range.from,
      max: range.to,
      ...axis,
      splitLine: { show: false },
      axisLabel: { ...axis.axisLabel, show: index === last },
      axisPointer: { label: { show: false } },
    })),
    yAxis: model.panels.map(({ unit, title, fromZero = false }, index) => ({
      type: 'value',
      gridIndex: index,
      name: title === undefined ? unit : `${title}, ${unit}`,
      nameLocation: 'end',
      scale: !fromZero,
      splitNumber: model.panels.length > 2 ? 3 : 5,
      ...axis,
      nameTextStyle: { ...axis.nameTextStyle, align: 'left' },
      axisLabel: { ...axis.axisLabel, formatter: (value: number) => formats.short(value) },
      axisPointer: { label: { formatter: ({ value }: { value: unknown }) => formats.short(Number(value)) } },
    })),
    series: timeSeriesOf(model, drawing),
  };
};
