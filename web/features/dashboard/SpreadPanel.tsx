import { useCallback } from 'react';
import { useTranslation } from 'react-i18next';
import { dashboardEndpoints } from '#contract/dashboard.ts';
import type { ReplyOf } from '#contract/endpoint.ts';
import { frameOf, type Look } from '../../parts/chart/look.ts';
import { alarmTypeName } from '../../values/AlarmTypeName.tsx';
import { ChartPanel } from './ChartPanel.tsx';

type Spread = ReplyOf<typeof dashboardEndpoints.spread>;
const shown = 8;

/** Alarms of the last thirty days by type, most frequent on top. */
export const SpreadPanel = () => {
  const { t, i18n } = useTranslation('dashboard');
  const processed = t(($) => $.spread.processed);
  const unprocessed = t(($) => $.spread.unprocessed);
  const draw = useCallback(
    ({ types }: Spread, look: Look) => {
      const { base, axis } = frameOf(look);
      const top = types.slice(0, shown).reverse();
      return {
        ...base,
        color: [look.palette.alarm, look.palette.textFaint],
        xAxis: { type: 'value', minInterval: 1, ...axis },
        yAxis: {
          type: 'category',
          data: top.map(({ typeNumber }) => alarmTypeName(typeNumber, i18n.language)),
          ...axis,
          axisLabel: { ...axis.axisLabel, width: 11 * look.fontSize, overflow: 'truncate' },
        },
        series: [
          { name: unprocessed, type: 'bar', stack: 'all', data: top.map((type) => type.unprocessed) },
          {
            name: processed,
            type: 'bar',
            stack: 'all',
            data: top.map((type) => type.count - type.unprocessed),
          },
        ],
      };
    },
    [i18n.language, processed, unprocessed],
  );
  return (
    <ChartPanel
      title={t(($) => $.spread.title)}
      endpoint={dashboardEndpoints.spread}
      body={{ days: 30 }}
      draw={draw}
      numbers={({ types }) => ({
        columns: [t(($) => $.spread.type), t(($) => $.spread.count), unprocessed],
        rows: types.map((type) => [
          alarmTypeName(type.typeNumber, i18n.language),
          type.count,
          type.unprocessed,
        ]),
      })}
    />
  );
};
