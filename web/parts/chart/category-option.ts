import type { EChartsCoreOption } from 'echarts/core';
import type { Formats } from '../../i18n/format.ts';
import { colourOf, dashOf, frameOf, hatchOf, type Look, legendOf } from './look.ts';
import { type CategoryModel, type CategorySeries, textOf } from './model.ts';
import type { TimeWords } from './time-option.ts';
import { tooltipOf } from './tooltip.ts';

const unitOf = (model: CategoryModel, { second }: CategorySeries) =>
  second ? (model.second?.unit ?? '') : model.unit;

const seriesOf = (model: CategoryModel, look: Look, formats: Formats) =>
  model.series.map((series, place) => {
    const tone = series.tone ?? place;
    const colour = colourOf(look, tone);
    const bar = (series.shape ?? 'bar') === 'bar';
    const limits = place === 0 ? (model.limits ?? []) : [];
    return {
      id: series.key,
      name: series.name,
      type: bar ? 'bar' : 'line',
      ...(series.shape === 'step' ? { step: 'end' } : {}),
      ...(series.second ? { yAxisIndex: 1 } : {}),
      ...(series.stack === undefined ? {} : { stack: series.stack }),
      symbol: model.labels.length > 40 ? 'none' : 'circle',
      symbolSize: 5,
      barMaxWidth: 36,
      itemStyle: { color: colour },
      lineStyle: { color: colour, width: 2, type: series.dash ?? dashOf(tone) },
      data: series.values.map((value, index) =>
        series.estimated?.[index]
          ? { value, itemStyle: { color: hatchOf(look, tone), borderColor: colour, borderWidth: 1 } }
          : { value },
      ),
      markLine: {
        symbol: 'none',
        silent: true,
        data: limits.map(({ name, value, tone: of }) => ({
          [model.horizontal ? 'xAxis' : 'yAxis']: value,
          lineStyle: { color: colourOf(look, of), type: of === 'early' ? 'dashed' : 'solid', width: 1.5 },
          label: {
            formatter: `${name} ${textOf(formats, value, model.unit)}`,
            position: 'insideEndTop',
            color: look.palette.textSoft,
          },
        })),
      },
    };
  });

/** The drawing of quantities by category. */
export const categoryOption = (
  model: CategoryModel,
  { look, formats, words }: { look: Look; formats: Formats; words: TimeWords },
): EChartsCoreOption => {
  const { base, axis } = frameOf(look);
  const numberAxis = (unit: string, more: object) => ({
    type: 'value',
    name: unit,
    ...(model.counts ? { minInterval: 1 } : {}),
    ...axis,
    nameTextStyle: { ...axis.nameTextStyle, align: 'left' },
    axisLabel: { ...axis.axisLabel, formatter: (value: number) => formats.short(value) },
    axisPointer: { label: { formatter: ({ value }: { value: unknown }) => formats.short(Number(value)) } },
    ...more,
  });
  const categories = {
    type: 'category',
    data: [...model.labels],
    ...axis,
    splitLine: { show: false },
    ...(model.horizontal
      ? {
          inverse: true,
          axisLabel: { ...axis.axisLabel, width: 12 * look.fontSize, overflow: 'truncate' },
        }
      : {}),
  };
  const numbers = [
    numberAxis(model.unit, {}),
    ...(model.second
      ? [
          numberAxis(model.second.unit, {
            min: 0,
            ...(model.second.max === undefined ? {} : { max: model.second.max }),
            splitLine: { show: false },
            nameTextStyle: { ...axis.nameTextStyle, align: 'right' },
          }),
        ]
      : []),
  ];
  return {
    ...base,
    legend: legendOf(
      model.series.map(({ name }) => name),
      base,
    ),
    tooltip: {
      ...base.tooltip,
      axisPointer: { type: 'shadow' },
      formatter: (params: unknown) => {
        const [first] = (Array.isArray(params) ? params : [params]) as { dataIndex?: number }[];
        const index = first?.dataIndex ?? 0;
        const title = model.fullLabels?.[index] ?? model.labels[index] ?? '';
        return tooltipOf(
          title,
          model.series.map((series, place) => ({
            name: series.name,
            colour: colourOf(look, series.tone ?? place),
            value: `${textOf(formats, series.values[index] ?? null, unitOf(model, series), series.digits)}${
              series.estimated?.[index] ? ` · ${words.estimated}` : ''
            }`,
          })),
        );
      },
    },
    xAxis: model.horizontal ? numbers : categories,
    yAxis: model.horizontal ? categories : numbers,
    series: seriesOf(model, look, formats),
  };
};
