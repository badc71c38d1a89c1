import { useCallback } from 'react';
import { useTranslation } from 'react-i18next';
import { dashboardEndpoints } from '#contract/dashboard.ts';
import type { ReplyOf } from '#contract/endpoint.ts';
import { overviewParts } from '#contract/frame-parts.ts';
import { useFormats } from '#web/i18n/format.ts';
import type { CategoryModel } from '#web/parts/chart/model.ts';
import { paths } from '#web/parts/paths.ts';
import { ChartPanel } from './ChartPanel.tsx';

type Trend = ReplyOf<typeof dashboardEndpoints.trend>;

export const TrendPanel = () => {
  const { t } = useTranslation('dashboard');
  const formats = useFormats();
  const names = {
    alarms: t(($) => $.trend.alarms),
    early: t(($) => $.trend.early),
    processed: t(($) => $.trend.processed),
  };
  const { alarms, early, processed } = names;
  const heading = t(($) => $.trend.day);
  const modelOf = useCallback(
    ({ days }: Trend): CategoryModel => ({
      heading,
      labels: days.map(({ day }) => formats.dayMonth(day)),
      fullLabels: days.map(({ day }) => formats.day(day)),
      unit: '',
      counts: true,
      series: [
        {
          key: 'alarms',
          name: alarms,
          tone: 'alarm',
          stack: 'raised',
          values: days.map((day) => day.alarms),
        },
        {
          key: 'early',
          name: early,
          tone: 'early',
          stack: 'raised',
          values: days.map((day) => day.early_warnings),
        },
        {
          key: 'processed',
          name: processed,
          tone: 0,
          shape: 'line',
          values: days.map((day) => day.processed),
        },
      ],
    }),
    [heading, alarms, early, processed, formats],
  );
  return (
    <ChartPanel
      title={t(($) => $.trend.title)}
      endpoint={dashboardEndpoints.trend}
      body={overviewParts.trend.body}
      modelOf={modelOf}
      placeOf={({ days }, index) => {
        const day = days[index];
        return day && paths.alarmList({ from: day.from, to: day.to });
      }}
    />
  );
};
