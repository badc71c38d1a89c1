import { useCallback } from 'react';
import { useTranslation } from 'react-i18next';
import { dashboardEndpoints } from '#contract/dashboard.ts';
import type { ReplyOf } from '#contract/endpoint.ts';
import { overviewParts } from '#contract/frame-parts.ts';
import type { CategoryModel } from '#web/parts/chart/model.ts';
import { paths } from '#web/parts/paths.ts';
import { alarmTypeName } from '#web/values/AlarmTypeName.tsx';
import { ChartPanel } from './ChartPanel.tsx';

type Spread = ReplyOf<typeof dashboardEndpoints.spread>;
const shown = 8;

/** Alarms of the last thirty days by type, most frequent on top. */
export const SpreadPanel = () => {
  const { t, i18n } = useTranslation('dashboard');
  const processed = t(($) => $.spread.processed);
  const unprocessed = t(($) => $.spread.unprocessed);
  const heading = t(($) => $.spread.type);
  const modelOf = useCallback(
    ({ types }: Spread): CategoryModel => {
      const top = types.slice(0, shown);
      return {
        heading,
        labels: top.map(({ typeNumber }) => alarmTypeName(typeNumber, i18n.language)),
        unit: '',
        counts: true,
        horizontal: true,
        series: [
          {
            key: 'unprocessed',
            name: unprocessed,
            tone: 'alarm',
            stack: 'all',
            values: top.map((type) => type.unprocessed),
          },
          {
            key: 'processed',
            name: processed,
            tone: 'faint',
            stack: 'all',
            values: top.map((type) => type.count - type.unprocessed),
          },
        ],
      };
    },
    [heading, i18n.language, processed, unprocessed],
  );
  return (
    <ChartPanel
      title={t(($) => $.spread.title)}
      endpoint={dashboardEndpoints.spread}
      body={overviewParts.spread.body}
      modelOf={modelOf}
      placeOf={({ types, from, to }, index) => {
        const type = types[index];
        return type && paths.alarmList({ typeNumber: String(type.typeNumber), from, to });
      }}
    />
  );
};
