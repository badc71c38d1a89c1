import { type ReactNode, useCallback, useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { useFormats } from '../../i18n/format.ts';
import { Chart } from './Chart.tsx';
import { categoryOption } from './category-option.ts';
import type { Look } from './look.ts';
import type { CategoryModel } from './model.ts';
import { categoryNumbers } from './numbers.ts';

/** Quantities by category, as bars or lines; `onPick` gets the place of the category. */
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
  /** The numbers are printed below the drawing, where the page has no table of them. */
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
  const option = useCallback(
    (look: Look) => categoryOption(model, { look, formats, words }),
    [model, formats, words],
  );
  const numbers = useMemo(() => categoryNumbers(model, words), [model, words]);
  return (
    <Chart
      title={title}
      option={option}
      numbers={numbers}
      height={height}
      heading={heading}
      extra={extra}
      empty={model.labels.length === 0}
      {...(printed ? { printed } : {})}
      {...(onPick ? { onPick: ({ index }: { index: number }) => onPick(index) } : {})}
    />
  );
};
