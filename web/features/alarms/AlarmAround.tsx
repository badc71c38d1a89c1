import { useCallback } from 'react';
import { useTranslation } from 'react-i18next';
import { alarmUnit } from '#contract/alarm-units.ts';
import { useFormats } from '../../i18n/format.ts';
import { Chart } from '../../parts/chart/Chart.tsx';
import { frameOf, type Look } from '../../parts/chart/look.ts';
import { alarmTypeName } from '../../values/AlarmTypeName.tsx';
import { useUnit } from '../../values/use-unit.ts';
import type { AlarmDetailed } from './alarms.query.ts';

/** The readings of ten minutes before and after, with the threshold and the moment of the alarm. */
export const AlarmAround = ({ alarm }: { alarm: AlarmDetailed }) => {
  const { t, i18n } = useTranslation('alarms');
  const formats = useFormats();
  const unitOf = useUnit();
  const { around, time } = alarm;
  // An unbalance in % is not drawn over the current in A that it was computed from.
  const threshold = around.unit === alarmUnit(alarm).unit ? alarm.threshold : null;
  const limit = t(($) => $.column.threshold);
  const option = useCallback(
    (look: Look) => {
      const { base, axis } = frameOf(look);
      return {
        ...base,
        xAxis: { type: 'time', ...axis },
        yAxis: { type: 'value', name: unitOf(around.unit), scale: true, ...axis },
        series: [
          {
            name: alarmTypeName(alarm.typeNumber, i18n.language),
            type: 'line',
            symbol: 'none',
            connectNulls: false,
            data: around.at.map((at, index) => [at, around.values[index] ?? null]),
            markLine: {
              symbol: 'none',
              silent: true,
              lineStyle: { color: look.palette.alarm },
              label: { color: look.palette.textSoft },
              data: [
                { xAxis: Date.parse(time), label: { show: false } },
                ...(threshold === null
                  ? []
                  : [{ yAxis: threshold, label: { formatter: limit, position: 'insideEndTop' } }]),
              ],
            },
          },
        ],
      };
    },
    [around, threshold, time, limit, unitOf, alarm.typeNumber, i18n.language],
  );
  return (
    <Chart
      title={`${alarm.work_order} ${alarmTypeName(alarm.typeNumber, i18n.language)}`}
      option={option}
      height={200}
      empty={around.at.length === 0}
      numbers={{
        columns: [
          t(($) => $.column.time),
          [alarmTypeName(alarm.typeNumber, i18n.language), unitOf(around.unit)].filter(Boolean).join(', '),
        ],
        rows: around.at.map((at, index) => [formats.dateTime(at), around.values[index] ?? null]),
      }}
    />
  );
};
