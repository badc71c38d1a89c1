import { type ReactNode, useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { useFormats } from '#web/i18n/format.ts';
import { CategoryCanvas } from './CategoryCanvas.tsx';
import { Chart } from './Chart.tsx';
import { type CategoryModel, textOf } from './model.ts';
import { categoryNumbers } from './numbers.ts';

/** Quantities by category, as bars or lines; `onPick` gets the index of the category. */
export const CategoryChart = ({
  title,
  model,
  height = 260,
  heading,
  extra,
  onPick,
  printed,
}: {
  title: string;
  model: CategoryModel;
  height?: number | string;
  heading?: ReactNode;
  extra?: ReactNode;
  onPick?: (index: number) => void;
  /** The numbers are printed below the drawing, if the page has no table of them. */
  printed?: boolean;
}) => {
  const { t } = useTranslation('common');
  const formats = useFormats();
  const words = useMemo(
    () => ({
      time: t(($) => $.chart.time),
      least: t(($) => $.chart.least),
      most: t(($) => $.chart.most),
      estimated: t(($) => $.chart.estimated),
      none: t(($) => $.chart.none),
    }),
    [t],
  );
  const rowsOf = (index: number, colourOf: (key: string) => string) =>
    model.series.map(({ key, name, values, estimated, digits, second }) => {
      const unit = second ? (model.second?.unit ?? '') : model.unit;
      const guess = estimated?.[index] ? ` · ${words.estimated}` : '';
      return {
        name,
        colour: colourOf(key),
        value: `${textOf(formats, values[index] ?? null, unit, digits)}${guess}`,
      };
    });
  const numbers = useMemo(() => categoryNumbers(model, words), [model, words]);
  return (
    <Chart
      title={title}
      draw={(canvas) => (
        <CategoryCanvas
          ref={canvas}
          title={title}
          model={model}
          height={height}
          rowsOf={rowsOf}
          onPick={onPick}
        />
      )}
      numbers={numbers}
      height={height}
      heading={heading}
      extra={extra}
      empty={model.labels.length === 0}
      {...(printed ? { printed } : {})}
    />
  );
};
