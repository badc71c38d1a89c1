import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { alarmUnit } from '#contract/alarm-units.ts';
import type { TimeModel } from '../../parts/chart/model.ts';
import { usualStep } from '../../parts/chart/sample.ts';
import { TimeChart } from '../../parts/chart/TimeChart.tsx';
import { useChartRange } from '../../parts/chart/use-chart-range.ts';
import { alarmTypeName } from '../../values/AlarmTypeName.tsx';
import { useUnit } from '../../values/use-unit.ts';
import type { AlarmDetailed } from './alarms.query.ts';

/** How far the server reads on either side of the alarm; of quarters of an hour, further. */
const aroundMs = 10 * 60_000;
const quartersAroundMs = 2 * 3_600_000;

/** The readings of ten minutes before and after, with the threshold and the moment of the alarm. */
export const AlarmAround = ({ alarm }: { alarm: AlarmDetailed }) => {
  const { t, i18n } = useTranslation('alarms');
  const unitOf = useUnit();
  const { around, time, cleared_time, level } = alarm;
  const typeName = alarmTypeName(alarm.typeNumber, i18n.language);
  // An unbalance in % is not drawn over the current in A that it was computed from.
  const threshold = around.unit === alarmUnit(alarm).unit ? alarm.threshold : null;
  const limit = t(($) => $.column.threshold);
  const raised = t(($) => $.kind.raised);
  const cleared = t(($) => $.kind.cleared);
  const at = Date.parse(time);
  const isKept = around.bucket_s !== null;
  const widthMs = isKept ? quartersAroundMs : aroundMs;
  const chartRange = useChartRange(useMemo(() => ({ from: at - widthMs, to: at + widthMs }), [at, widthMs]));
  const model = useMemo<TimeModel>(
    () => ({
      panels: [
        {
          unit: unitOf(around.unit),
          series: [
            {
              key: 'value',
              name: typeName,
              at: around.at,
              values: around.values,
              stepMs: around.bucket_s === null ? usualStep(around.at) : around.bucket_s * 1000,
            },
          ],
          limits:
            threshold === null
              ? []
              : [
                  {
                    name: limit,
                    value: threshold,
                    tone: level === 2 ? ('alarm' as const) : ('early' as const),
                  },
                ],
        },
      ],
      marks: [
        { at, name: raised, tone: level === 2 ? 'alarm' : 'early' },
        ...(cleared_time === null
          ? []
          : [{ at: Date.parse(cleared_time), name: cleared, tone: 'good' as const }]),
      ],
    }),
    [around, threshold, limit, raised, cleared, at, cleared_time, level, typeName, unitOf],
  );
  return (
    <>
      <TimeChart
        title={`${alarm.work_order} ${typeName}`}
        model={model}
        chartRange={chartRange}
        height={220}
      />
      {isKept && <p className="soft">{t(($) => $.around.kept)}</p>}
    </>
  );
};
