import { type CategoryModel, nameWithUnit, type TimeModel } from './model.ts';
import type { NumberTable } from './NumbersView.tsx';
import type { Range } from './sample.ts';

export interface NumberWords {
  time: string;
  least: string;
  most: string;
  estimated: string;
}
/** The numbers of a drawing over time: a row for each time with a measurement. */
export const timeNumbers = ({ panels }: TimeModel, range: Range, words: NumberWords): NumberTable => {
  const all = panels.flatMap(({ unit, series }) => series.map((each) => ({ ...each, unit })));
  const times = new Set<number>();
  for (const { at } of all)
    for (const time of at) if (time >= range.from && time <= range.to) times.add(time);
  const ordered = [...times].toSorted((a, b) => a - b);
  const guessed = all.some(({ estimated }) => estimated?.some(Boolean));
  const columns = all.map((series) => {
    const places = new Map(series.at.map((time, index) => [time, index]));
    const name = nameWithUnit(series.name, series.unit);
    const figures = [
      { name, values: series.values },
      ...(series.band
        ? [
            { name: `${name}, ${words.least}`, values: series.band.low },
            { name: `${name}, ${words.most}`, values: series.band.high },
          ]
        : []),
    ];
    return { places, figures, estimated: series.estimated };
  });
  return {
    columns: [
      words.time,
      ...columns.flatMap(({ figures }) => figures.map(({ name }) => name)),
      ...(guessed ? [words.estimated] : []),
    ],
    rows: ordered.map((time) => [
      new Date(time),
      ...columns.flatMap(({ places, figures }) => {
        const index = places.get(time);
        return figures.map(({ values }) => (index === undefined ? null : (values[index] ?? null)));
      }),
      ...(guessed
        ? [
            columns.some(({ places, estimated }) => estimated?.[places.get(time) ?? -1])
              ? words.estimated
              : '',
          ]
        : []),
    ]),
  };
};
export const categoryNumbers = (model: CategoryModel, words: NumberWords): NumberTable => {
  const guessed = model.series.some(({ estimated }) => estimated?.some(Boolean));
  return {
    columns: [
      model.heading,
      ...model.series.map(({ name, second }) =>
        nameWithUnit(name, second ? (model.second?.unit ?? '') : model.unit),
      ),
      ...(guessed ? [words.estimated] : []),
    ],
    rows: (model.fullLabels ?? model.labels).map((label, index) => [
      label,
      ...model.series.map(({ values }) => values[index] ?? null),
      ...(guessed ? [model.series.some(({ estimated }) => estimated?.[index]) ? words.estimated : ''] : []),
    ]),
  };
};
