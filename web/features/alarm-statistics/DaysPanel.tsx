import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { useFormats } from '#web/i18n/format.ts';
import { CategoryChart } from '#web/parts/chart/CategoryChart.tsx';
import type { CategoryModel } from '#web/parts/chart/model.ts';

interface DaysPanelProps {
  title: string;
  days: readonly { day: string }[];
  series: CategoryModel['series'];
  second?: CategoryModel['second'];
}

/** Counts of each day as a chart, with their table. */
export const DaysPanel = ({ title, days, series, second }: DaysPanelProps) => {
  const { t } = useTranslation('alarmStatistics');
  const formats = useFormats();
  const model = useMemo<CategoryModel>(
    () => ({
      heading: t(($) => $.column.day),
      labels: days.map(({ day }) => formats.dayMonth(day)),
      fullLabels: days.map(({ day }) => formats.day(day)),
      unit: '',
      counts: true,
      series,
      ...(second && { second }),
    }),
    [days, series, second, formats, t],
  );
  return (
    <section className="panel is-wide" aria-label={title}>
      <CategoryChart title={title} printed model={model} heading={<h2>{title}</h2>} height={260} />
    </section>
  );
};
