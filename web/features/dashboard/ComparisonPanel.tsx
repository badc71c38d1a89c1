import { useCallback } from 'react';
import { useTranslation } from 'react-i18next';
import { dashboardEndpoints } from '#contract/dashboard.ts';
import type { ReplyOf } from '#contract/endpoint.ts';
import { useFormats } from '#web/i18n/format.ts';
import type { CategoryModel } from '#web/parts/chart/model.ts';
import { ChartPanel } from './ChartPanel.tsx';

type Comparison = ReplyOf<typeof dashboardEndpoints.comparison>;

/** Today until now, compared with yesterday until the same time. */
export const ComparisonPanel = () => {
  const { t } = useTranslation('dashboard');
  const formats = useFormats();
  const today = t(($) => $.comparison.today);
  const yesterday = t(($) => $.comparison.yesterday);
  const hour = t(($) => $.comparison.hour);
  const modelOf = useCallback(
    ({ hours }: Comparison): CategoryModel => ({
      heading: hour,
      labels: hours.map((each) => `${each.hour}:00`),
      unit: '',
      counts: true,
      series: [
        { key: 'today', name: today, shape: 'step', values: hours.map((each) => each.today) },
        {
          key: 'yesterday',
          name: yesterday,
          shape: 'step',
          dash: 'dashed',
          values: hours.map((each) => each.yesterday),
        },
      ],
    }),
    [today, yesterday, hour],
  );
  return (
    <ChartPanel
      title={t(($) => $.comparison.title)}
      endpoint={dashboardEndpoints.comparison}
      body={{}}
      modelOf={modelOf}
      extra={(data) => (
        <span className="tabular">
          {t(($) => $.comparison.sentence, {
            today: formats.number(data.today),
            same: formats.number(data.yesterday_same_time),
            whole: formats.number(data.yesterday),
          })}
        </span>
      )}
    />
  );
};
