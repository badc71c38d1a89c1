import { useCallback } from 'react';
import { useTranslation } from 'react-i18next';
import { dashboardEndpoints } from '#contract/dashboard.ts';
import type { ReplyOf } from '#contract/endpoint.ts';
import { useFormats } from '../../i18n/format.ts';
import { frameOf, type Look } from '../../parts/chart/look.ts';
import { ChartPanel } from './ChartPanel.tsx';

type Comparison = ReplyOf<typeof dashboardEndpoints.comparison>;

/** Today up to now against yesterday up to the same time. */
export const ComparisonPanel = () => {
  const { t } = useTranslation('dashboard');
  const formats = useFormats();
  const today = t(($) => $.comparison.today);
  const yesterday = t(($) => $.comparison.yesterday);
  const draw = useCallback(
    ({ hours }: Comparison, look: Look) => {
      const { base, axis } = frameOf(look);
      return {
        ...base,
        xAxis: { type: 'category', data: hours.map(({ hour }) => `${hour}:00`), ...axis },
        yAxis: { type: 'value', minInterval: 1, ...axis },
        series: [
          {
            name: today,
            type: 'line',
            step: 'end',
            symbol: 'none',
            lineStyle: { width: 3 },
            data: hours.map((hour) => hour.today),
          },
          {
            name: yesterday,
            type: 'line',
            step: 'end',
            symbol: 'none',
            lineStyle: { type: 'dashed' },
            data: hours.map((hour) => hour.yesterday),
          },
        ],
      };
    },
    [today, yesterday],
  );
  return (
    <ChartPanel
      title={t(($) => $.comparison.title)}
      endpoint={dashboardEndpoints.comparison}
      body={{}}
      draw={draw}
      extra={(data) => (
        <span className="tabular">
          {t(($) => $.comparison.sentence, {
            today: formats.number(data.today),
            same: formats.number(data.yesterday_same_time),
            whole: formats.number(data.yesterday),
          })}
        </span>
      )}
      numbers={({ hours }) => ({
        columns: [t(($) => $.comparison.hour), today, yesterday],
        rows: hours.map((hour) => [`${hour.hour}:00`, hour.today, hour.yesterday]),
      })}
    />
  );
};
