import { useCallback } from 'react';
import { useTranslation } from 'react-i18next';
import { dashboardEndpoints } from '#contract/dashboard.ts';
import type { ReplyOf } from '#contract/endpoint.ts';
import { useFormats } from '#web/i18n/format.ts';
import type { CategoryModel } from '#web/parts/chart/model.ts';
import { paths } from '#web/parts/paths.ts';
import { ChartPanel } from './ChartPanel.tsx';

type Months = ReplyOf<typeof dashboardEndpoints.months>;

/** Raised and processed alarms by month, with the handling rate. */
export const MonthsPanel = () => {
  const { t } = useTranslation('dashboard');
  const formats = useFormats();
  const raised = t(($) => $.months.raised);
  const processed = t(($) => $.months.processed);
  const rate = t(($) => $.months.rate);
  const heading = t(($) => $.months.month);
  const modelOf = useCallback(
    ({ months }: Months): CategoryModel => ({
      heading,
      labels: months.map(({ month }) => formats.month(month)),
      unit: '',
      counts: true,
      second: { unit: '%', max: 100 },
      series: [
        { key: 'raised', name: raised, values: months.map((month) => month.raised) },
        { key: 'processed', name: processed, values: months.map((month) => month.processed) },
        {
          key: 'rate',
          name: rate,
          shape: 'line',
          second: true,
          digits: 1,
          values: months.map(({ handling_rate }) => (handling_rate === null ? null : handling_rate * 100)),
        },
      ],
    }),
    [heading, raised, processed, rate, formats],
  );
  return (
    <ChartPanel
      title={t(($) => $.months.title)}
      endpoint={dashboardEndpoints.months}
      body={{}}
      modelOf={modelOf}
      placeOf={({ months }, index) => {
        const month = months[index];
        return month && paths.alarmList({ from: month.from, to: month.to });
      }}
    />
  );
};
