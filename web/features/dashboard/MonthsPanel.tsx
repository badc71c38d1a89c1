import { useCallback } from 'react';
import { useTranslation } from 'react-i18next';
import { dashboardEndpoints } from '#contract/dashboard.ts';
import type { ReplyOf } from '#contract/endpoint.ts';
import { useFormats } from '../../i18n/format.ts';
import { frameOf, type Look } from '../../parts/chart/look.ts';
import { ChartPanel } from './ChartPanel.tsx';

type Months = ReplyOf<typeof dashboardEndpoints.months>;

/** Raised and processed month by month, with the share that was handled. */
export const MonthsPanel = () => {
  const { t } = useTranslation('dashboard');
  const formats = useFormats();
  const raised = t(($) => $.months.raised);
  const processed = t(($) => $.months.processed);
  const rate = t(($) => $.months.rate);
  const draw = useCallback(
    ({ months }: Months, look: Look) => {
      const { base, axis } = frameOf(look);
      return {
        ...base,
        xAxis: { type: 'category', data: months.map(({ month }) => formats.month(month)), ...axis },
        yAxis: [
          { type: 'value', minInterval: 1, ...axis },
          {
            type: 'value',
            min: 0,
            max: 100,
            ...axis,
            splitLine: { show: false },
            axisLabel: { ...axis.axisLabel, formatter: '{value} %' },
          },
        ],
        series: [
          { name: raised, type: 'bar', data: months.map((month) => month.raised) },
          { name: processed, type: 'bar', data: months.map((month) => month.processed) },
          {
            name: rate,
            type: 'line',
            yAxisIndex: 1,
            data: months.map((month) =>
              month.handling_rate === null ? null : Math.round(month.handling_rate * 100),
            ),
          },
        ],
      };
    },
    [raised, processed, rate, formats],
  );
  return (
    <ChartPanel
      title={t(($) => $.months.title)}
      endpoint={dashboardEndpoints.months}
      body={{}}
      draw={draw}
      numbers={({ months }) => ({
        columns: [t(($) => $.months.month), raised, processed, `${rate}, %`],
        rows: months.map((month) => [
          formats.month(month.month),
          month.raised,
          month.processed,
          month.handling_rate === null ? null : Math.round(month.handling_rate * 100),
        ]),
      })}
    />
  );
};
