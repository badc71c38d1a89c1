import { useCallback } from 'react';
import { useTranslation } from 'react-i18next';
import { dashboardEndpoints } from '#contract/dashboard.ts';
import type { ReplyOf } from '#contract/endpoint.ts';
import { useFormats } from '../../i18n/format.ts';
import { frameOf, type Look } from '../../parts/chart/look.ts';
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
  const draw = useCallback(
    ({ days }: Trend, look: Look) => {
      const { base, axis } = frameOf(look);
      return {
        ...base,
        color: [look.palette.alarm, look.palette.early, look.palette.textFaint],
        xAxis: { type: 'category', data: days.map(({ day }) => formats.dayMonth(day)), ...axis },
        yAxis: { type: 'value', minInterval: 1, ...axis },
        series: [
          { name: alarms, type: 'bar', stack: 'raised', data: days.map((day) => day.alarms) },
          { name: early, type: 'bar', stack: 'raised', data: days.map((day) => day.early_warnings) },
          { name: processed, type: 'line', symbol: 'none', data: days.map((day) => day.processed) },
        ],
      };
    },
    [alarms, early, processed, formats],
  );
  return (
    <ChartPanel
      title={t(($) => $.trend.title)}
      endpoint={dashboardEndpoints.trend}
      body={{ days: 30 }}
      draw={draw}
      numbers={({ days }) => ({
        columns: [t(($) => $.trend.day), alarms, early, processed],
        rows: days.map((day) => [formats.day(day.day), day.alarms, day.early_warnings, day.processed]),
      })}
    />
  );
};
