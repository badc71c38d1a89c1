import type { Formats } from '#web/i18n/format.ts';
import { colourOf, type Dash, dashOf, hatchOf, type Look } from './look.ts';
import { type CategoryModel, type CategorySeries, textOf } from './model.ts';
import { type Ticks, ticksOf } from './ticks.ts';

type Fill = string | ReturnType<typeof hatchOf>;
export interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}
export interface Bar extends Box {
  key: string;
  index: number;
  fill: Fill;
  border?: string;
  opacity?: number;
}
export interface Stroke {
  /** The points of the line; null: a gap. */
  points: readonly (readonly [x: number, y: number] | null)[];
  colour: string;
  width: number;
  dash: Dash;
  opacity?: number;
}
export interface Label {
  x: number;
  y: number;
  text: string;
  align: 'left' | 'center' | 'right';
  colour: string;
}
export interface Scene extends Omit<Box, 'x' | 'y'> {
  plot: Box;
  /** The parts of the drawing, in the order in which they are drawn. */
  grid: readonly Stroke[];
  bars: readonly Bar[];
  lines: readonly Stroke[];
  dots: readonly { x: number; y: number; colour: string }[];
  labels: readonly Label[];
  /** Start and width of a category in the plot. */
  bandOf: (index: number) => Box;
  /** The category below a point of the plot. */
  indexAt: (x: number, y: number) => number | null;
}
export interface SceneRoom {
  width: number;
  height: number;
  look: Look;
  formats: Formats;
  measure: (text: string) => number;
  /** Series that the reader has switched off. */
  hidden: ReadonlySet<string>;
}

const gap = 8;
const widestBar = 36;
const mostDots = 40;
/** How much of the width names beside horizontal bars may take; on a narrow panel more than half of it. */
const widestNames = (width: number, fontSize: number): number =>
  Math.min(width * 0.55, Math.max(width * 0.4, 12 * fontSize));
/** Height of a line of text, in font sizes. */
const leading = 1.15;
/** Steps between labels of hours or days that are easy to count in. */
const roundSteps = [1, 2, 3, 4, 6, 7, 12, 14, 24];
const isBar = ({ shape = 'bar' }: CategorySeries) => shape === 'bar';
const finite = (values: readonly (number | null)[]) => values.filter((value) => value !== null);

/** Where each value is drawn: stacked bars have two ends, all others begin at zero. */
const piled = (series: readonly CategorySeries[], count: number) => {
  const tops = new Map<string, { up: number[]; down: number[] }>();
  return new Map(
    series.map((each) => {
      const pile = each.stack ?? each.key;
      const top = tops.get(pile) ?? {
        up: Array.from<number>({ length: count }).fill(0),
        down: Array.from<number>({ length: count }).fill(0),
      };
      tops.set(pile, top);
      const ends = each.values.map((value, index) => {
        if (value === null) return null;
        const side = value < 0 ? top.down : top.up;
        const from = side[index]!;
        side[index] = from + value;
        return [from, side[index]] as const;
      });
      return [each.key, ends] as const;
    }),
  );
};
type Piles = ReturnType<typeof piled>;

const axisOf = (
  series: readonly CategorySeries[],
  piles: Piles,
  about: number,
  limits: { whole?: boolean; top?: number | undefined },
): Ticks => {
  const values = series.flatMap((each) =>
    isBar(each) ? (piles.get(each.key) ?? []).flatMap((ends) => ends ?? []) : finite(each.values),
  );
  // No `Math.min(...values)`: a long curve has more values than a call may have arguments.
  const lowest = values.reduce((least, value) => Math.min(least, value), 0);
  const highest = values.reduce((most, value) => Math.max(most, value), 0);
  return ticksOf(lowest, highest, { about, ...limits });
};

/** Text that fits, with an ellipsis where it was cut: at its end, or in its middle. */
const shortened = (
  text: string,
  room: number,
  measure: SceneRoom['measure'],
  place: 'end' | 'middle' = 'end',
): string => {
  if (measure(text) <= room) return text;
  const signs = [...text];
  const cutTo = (kept: number) => {
    const end = place === 'end' ? 0 : Math.floor(kept / 2);
    return `${signs
      .slice(0, kept - end)
      .join('')
      .trimEnd()}…${signs
      .slice(signs.length - end)
      .join('')
      .trimStart()}`;
  };
  let kept = signs.length - 1;
  while (kept > 1 && measure(cutTo(kept)) > room) kept -= 1;
  return cutTo(kept);
};

/** The text on at most `most` lines, broken between words; the last line may be too long. */
const brokenInto = (text: string, room: number, most: number, measure: SceneRoom['measure']): string[] => {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const line = lines.at(-1);
    const longer = `${line} ${word}`;
    if (line === undefined || (measure(longer) > room && lines.length < most)) lines.push(word);
    else lines[lines.length - 1] = longer;
  }
  return lines;
};

/** Each name on its lines. Names of which the beginnings look the same are cut in their middle. */
const namesIn = (
  names: readonly string[],
  room: number,
  most: number,
  measure: SceneRoom['measure'],
): string[][] => {
  const linesOf = (name: string, place: 'end' | 'middle') =>
    brokenInto(name, room, most, measure).map((line) => shortened(line, room, measure, place));
  const written = names.map((name) => linesOf(name, 'end'));
  const same = (lines: readonly string[]) => lines.join(' ');
  return written.map((lines, index) =>
    written.some((other, at) => at !== index && same(other) === same(lines))
      ? linesOf(names[index]!, 'middle')
      : lines,
  );
};

interface Frame {
  model: CategoryModel;
  room: SceneRoom;
  shown: readonly CategorySeries[];
  piles: Piles;
  first: Ticks;
  second: Ticks | null;
  plot: Box;
}
const frameOf = (model: CategoryModel, room: SceneRoom): Frame => {
  const { width, height, look, formats, measure, hidden } = room;
  const shown = model.series.filter(({ key }) => !hidden.has(key));
  const piles = piled(shown.filter(isBar), model.labels.length);
  const length = model.horizontal ? width / 6 : height;
  const about = Math.max(2, Math.min(6, Math.floor(length / (3.2 * look.fontSize))));
  const first = axisOf(
    shown.filter(({ second }) => !second),
    piles,
    about,
    { whole: model.counts ?? false },
  );
  const second = model.second
    ? axisOf(
        shown.filter((each) => each.second),
        piles,
        about,
        { top: model.second.max },
      )
    : null;
  const widest = (ticks: Ticks) =>
    ticks.values.reduce((most, value) => Math.max(most, measure(formats.short(value))), 0);
  const names = Math.min(
    widestNames(width, look.fontSize),
    model.labels.reduce((most, label) => Math.max(most, measure(label)), 0),
  );
  const left = gap + (model.horizontal ? names : widest(first)) + gap;
  const right = second && !model.horizontal ? widest(second) + 2 * gap : 2 * gap;
  const hasUnit = model.unit !== '' || (model.second?.unit ?? '') !== '';
  const top = hasUnit ? 2.3 * look.fontSize : 0.9 * look.fontSize;
  const bottom = 2 * look.fontSize;
  const plot = {
    x: left,
    y: top,
    width: Math.max(1, width - left - right),
    height: Math.max(1, height - top - bottom),
  };
  return { model, room, shown, piles, first, second, plot };
};

/** Converts values and categories to pixels, for vertical and horizontal bars. */
const placesOf = ({ model, first, second, plot }: Frame) => {
  const step = (model.horizontal ? plot.height : plot.width) / Math.max(1, model.labels.length);
  const share = (value: number, { min, max }: Ticks) => (value - min) / (max - min || 1);
  const along = (value: number, onSecond = false): number => {
    const part = share(value, onSecond && second ? second : first);
    return model.horizontal ? plot.x + part * plot.width : plot.y + plot.height - part * plot.height;
  };
  const start = (index: number) => (model.horizontal ? plot.y : plot.x) + index * step;
  const point = (index: number, value: number, onSecond?: boolean): readonly [number, number] => {
    const across = start(index) + step / 2;
    return model.horizontal ? [along(value, onSecond), across] : [across, along(value, onSecond)];
  };
  const bandOf = (index: number): Box =>
    model.horizontal
      ? { x: plot.x, y: start(index), width: plot.width, height: step }
      : { x: start(index), y: plot.y, width: step, height: plot.height };
  return { step, along, start, point, bandOf };
};
type Places = ReturnType<typeof placesOf>;

const barsOf = ({ model, room: { look }, shown, piles }: Frame, { step, along, start }: Places): Bar[] => {
  const bars = shown.filter(isBar);
  const stacks = [...new Set(bars.map(({ key, stack }) => stack ?? key))];
  const slot = (step * 0.8) / Math.max(1, stacks.length);
  const thick = Math.max(1, Math.min(widestBar, slot * 0.88));
  const pitch = Math.min(slot, thick / 0.88);
  return bars.flatMap((series) => {
    const tone = series.tone ?? model.series.indexOf(series);
    const place = stacks.indexOf(series.stack ?? series.key) - (stacks.length - 1) / 2;
    return (piles.get(series.key) ?? []).flatMap((ends, index): Bar[] => {
      if (!ends) return [];
      const [from, to] = [along(ends[0], series.second), along(ends[1], series.second)];
      const across = start(index) + step / 2 + place * pitch - thick / 2;
      const box = model.horizontal
        ? { x: Math.min(from, to), y: across, width: Math.abs(to - from), height: thick }
        : { x: across, y: Math.min(from, to), width: thick, height: Math.abs(to - from) };
      const paint = series.estimated?.[index]
        ? { fill: hatchOf(look, tone), border: colourOf(look, tone) }
        : { fill: colourOf(look, tone) };
      return [{ key: series.key, index, ...box, ...paint }];
    });
  });
};

/** Hatched areas behind a line, for categories with an estimated value. */
const hatchesOf = ({ room: { look }, shown }: Frame, { bandOf }: Places): Bar[] =>
  shown
    .filter((series) => !isBar(series))
    .flatMap(({ key, estimated = [] }) =>
      estimated.flatMap((guess, index) =>
        guess ? [{ key, index, ...bandOf(index), fill: hatchOf(look, 'faint'), opacity: 0.35 }] : [],
      ),
    );

const linesOf = ({ model, room: { look }, shown }: Frame, { point }: Places) =>
  shown
    .filter((series) => !isBar(series))
    // What is compared with lies below what is shown.
    .toSorted((one, other) => Number(other.tone === 'faint') - Number(one.tone === 'faint'))
    .map((series) => {
      const tone = series.tone ?? model.series.indexOf(series);
      const colour = colourOf(look, tone);
      const at = series.values.map((value, index) =>
        value === null ? null : point(index, value, series.second),
      );
      const points =
        series.shape === 'step'
          ? at.flatMap((each, index) => {
              const before = at[index - 1];
              return each && before ? [[each[0], before[1]] as const, each] : [each];
            })
          : at;
      const dots = at.flatMap((each, index) => {
        const alone = !at[index - 1] && !at[index + 1];
        return each && (alone || model.labels.length <= mostDots) ? [{ x: each[0], y: each[1], colour }] : [];
      });
      return { line: { points, colour, width: 2, dash: series.dash ?? dashOf(tone) }, dots };
    });

const straight = (
  from: readonly [number, number],
  to: readonly [number, number],
  stroke: Omit<Stroke, 'points'>,
): Stroke => ({ points: [from, to], ...stroke });

/** Lines of the value axis with their numbers, and the units above. */
const valueAxisOf = ({ model, room, first, second, plot }: Frame, { along }: Places) => {
  const { look, formats, width } = room;
  const colour = look.palette.textSoft;
  const across = (at: number): readonly [readonly [number, number], readonly [number, number]] =>
    model.horizontal
      ? [
          [at, plot.y],
          [at, plot.y + plot.height],
        ]
      : [
          [plot.x, at],
          [plot.x + plot.width, at],
        ];
  const grid = first.values.map((value) =>
    straight(...across(along(value)), {
      colour: look.palette.border,
      width: 1,
      dash: 'solid',
      opacity: value === 0 ? 1 : 0.6,
    }),
  );
  const below = plot.y + plot.height + look.fontSize;
  const labels: Label[] = first.values.map((value) => {
    const text = formats.short(value);
    return model.horizontal
      ? { x: along(value), y: below, text, align: 'center', colour }
      : { x: plot.x - gap, y: along(value), text, align: 'right', colour };
  });
  if (second && !model.horizontal)
    for (const value of second.values)
      labels.push({
        x: plot.x + plot.width + gap,
        y: along(value, true),
        text: formats.short(value),
        align: 'left',
        colour,
      });
  const above = 0.7 * look.fontSize;
  const unitLabel = (text: string, align: 'left' | 'right'): Label[] =>
    text === '' ? [] : [{ x: align === 'left' ? gap : width - gap, y: above, text, align, colour }];
  labels.push(
    ...unitLabel(model.unit, model.horizontal ? 'right' : 'left'),
    ...unitLabel(model.second?.unit ?? '', 'right'),
  );
  return { grid, labels };
};

/** Labels of the categories: all of them beside horizontal bars, else as many as fit. */
const categoryLabelsOf = ({ model, room, plot }: Frame, { step, start }: Places): Label[] => {
  const { look, measure, width } = room;
  const colour = look.palette.textSoft;
  if (model.horizontal) {
    const every = Math.max(1, Math.ceil((1.2 * look.fontSize) / step));
    const line = leading * look.fontSize;
    const shown = [...model.labels.keys()].filter((index) => index % every === 0);
    const names = namesIn(
      shown.map((index) => model.labels[index]!),
      plot.x - 2 * gap,
      Math.max(1, Math.floor(step / line)),
      measure,
    );
    return shown.flatMap((index, place) => {
      const lines = names[place]!;
      const first = start(index) + step / 2 - ((lines.length - 1) / 2) * line;
      return lines.map(
        (text, at): Label => ({ x: plot.x - gap, y: first + at * line, text, align: 'right', colour }),
      );
    });
  }
  const places = model.labelled ?? [...model.labels.keys()];
  const widest = places.reduce((most, index) => Math.max(most, measure(model.labels[index]!)), 0);
  const apart = step * ((places.at(1) ?? 1) - (places.at(0) ?? 0));
  const needed = Math.max(1, Math.ceil((widest + 2 * gap) / apart));
  const every = model.labelled ? (roundSteps.find((each) => each >= needed) ?? needed) : needed;
  let taken = Number.NEGATIVE_INFINITY;
  return places.flatMap((index, place): Label[] => {
    if (place % every !== 0) return [];
    const text = model.labels[index]!;
    const half = measure(text) / 2;
    const middle = start(index) + step / 2;
    const x = Math.min(Math.max(middle, half + 1), width - half - 1);
    // A label at the edge is moved inwards, and left out if it would overlap the one before.
    if (x - half < taken + gap) return [];
    taken = x + half;
    return [{ x, y: plot.y + plot.height + look.fontSize, text, align: 'center', colour }];
  });
};

const limitsOf = ({ model, room: { look, formats }, first, plot }: Frame, { along }: Places) => {
  const inside = (model.limits ?? []).filter(({ value }) => value >= first.min && value <= first.max);
  const colour = look.palette.textSoft;
  return {
    lines: inside.map(({ value, tone }): Stroke => {
      const at = along(value);
      const [from, to] = model.horizontal
        ? ([
            [at, plot.y],
            [at, plot.y + plot.height],
          ] as const)
        : ([
            [plot.x, at],
            [plot.x + plot.width, at],
          ] as const);
      const dash = tone === 'early' ? 'dashed' : 'solid';
      return straight(from, to, { colour: colourOf(look, tone), width: 1.5, dash });
    }),
    labels: inside.map(({ name, value }): Label => {
      const text = `${name} ${textOf(formats, value, model.unit)}`;
      return model.horizontal
        ? { x: along(value) - 4, y: plot.y + 0.7 * look.fontSize, text, align: 'right', colour }
        : {
            x: plot.x + plot.width - 4,
            y: Math.max(along(value) - 0.7 * look.fontSize, 0.7 * look.fontSize),
            text,
            align: 'right',
            colour,
          };
    }),
  };
};

/** Everything that a chart by category shows, in pixels. */
export const sceneOf = (model: CategoryModel, room: SceneRoom): Scene => {
  const frame = frameOf(model, room);
  const places = placesOf(frame);
  const { plot } = frame;
  const axis = valueAxisOf(frame, places);
  const limits = limitsOf(frame, places);
  const drawn = linesOf(frame, places);
  return {
    width: room.width,
    height: room.height,
    plot,
    grid: axis.grid,
    bars: [...hatchesOf(frame, places), ...barsOf(frame, places)],
    lines: [...drawn.map(({ line }) => line), ...limits.lines],
    dots: drawn.flatMap(({ dots }) => dots),
    labels: [...axis.labels, ...categoryLabelsOf(frame, places), ...limits.labels],
    bandOf: places.bandOf,
    indexAt: (x, y) => {
      if (x < plot.x || x > plot.x + plot.width || y < plot.y || y > plot.y + plot.height) return null;
      const index = Math.floor((model.horizontal ? y - plot.y : x - plot.x) / places.step);
      return index < model.labels.length ? index : null;
    },
  };
};
