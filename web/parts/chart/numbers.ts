import { type CategoryModel, nameWithUnit, type TimeModel } from './model.ts';
import type { NumberTable } from './NumbersView.tsx';
import type { Range } from './sample.ts';

interface NumberWords {
  time: string;
  least: string;
  most: string;
  estimated: string;
}
/** Whether a drawing over time has a measurement in this range. */
export const hasNumbers = ({ panels }: TimeModel, { from, to }: Range): boolean =>
  panels.some(({ series }) => series.some(({ at }) => at.some((time) => time >= from && time <= to)));
/**
 * The numbers of a drawing over time: a row for each time with a measurement. The rows are made when they are first
 * read: most readings are only looked at as a drawing.
 */
export const timeNumbers = ({ panels }: TimeModel, range: Range, words: NumberWords): NumberTable => {
  const all = panels.flatMap(({ unit, series }) => series.map((each) => ({ ...each, unit })));
  const guessed = all.some(({ estimated }) => estimated?.some(Boolean));
  const columns = all.map(({ at, unit, estimated, ...series }) => {
    const name = nameWithUnit(series.name, unit);
    const figures = [
      { name, values: series.values },
      ...(series.band
        ? [
            { name: `${name}, ${words.least}`, values: series.band.low },
            { name: `${name}, ${words.most}`, values: series.band.high },
          ]
        : []),
    ];
    return { at, figures, estimated };
  });
  const rowsOf = () => {
    const times = new Set<number>();
    for (const { at } of columns)
      for (const time of at) if (time >= range.from && time <= range.to) times.add(time);
    const placed = columns.map((column) => ({
      ...column,
      places: new Map(column.at.map((time, index) => [time, index])),
    }));
    return [...times]
      .toSorted((a, b) => a - b)
      .map((time) => [
        new Date(time),
        ...placed.flatMap(({ places, figures }) => {
          const index = places.get(time);
          return figures.map(({ values }) => (index === undefined ? null : (values[index] ?? null)));
        }),
        ...(guessed
          ? [
              placed.some(({ places, estimated }) => estimated?.[places.get(time) ?? -1])
                ? words.estimated
                : '',
            ]
          : []),
      ]);
  };
  let rows: NumberTable['rows'] | null = null;
  return {
    columns: [
      words.time,
      ...columns.flatMap(({ figures }) => figures.map(({ name }) => name)),
      ...(guessed ? [words.estimated] : []),
    ],
    get rows() {
      rows ??= rowsOf();
      return rows;
    },
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
