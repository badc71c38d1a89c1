import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { alarmUnit } from '#contract/alarm-units.ts';
import { commandVerbs } from '#contract/telemetry.ts';
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
const limitTones = [
  ['early', 'early'],
  ['alarm', 'alarm'],
] as const;

/** Steps of the alarm that are marked in the chart. */
const marked = ['escalated', 'tripped', 'normal', 'reset', 'handled'] as const;

/** The readings of ten minutes before and after, with the limits, the alarm's own value, its steps and the commands. */
export const AlarmAround = ({ alarm }: { alarm: AlarmDetailed }) => {
  const { t, i18n } = useTranslation('alarms');
  const { t: tc } = useTranslation('common');
  const unitOf = useUnit();
  const { around, time, cleared_time, level } = alarm;
  const typeName = alarmTypeName(alarm.typeNumber, i18n.language);
  // An unbalance in % is not drawn over the current in A that it was computed from.
  const isSame = around.unit === alarmUnit(alarm).unit;
  const { limits, history, commands, value } = alarm;
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
            ...(isSame && value !== null
              ? [
                  {
                    key: 'event',
                    name: t(($) => $.around.event),
                    at: [at],
                    values: [value],
                    tone: 'alarm' as const,
                  },
                ]
              : []),
          ],
          limits: isSame
            ? limitTones.flatMap(([key, tone]) => {
                // The limit that it crossed is the one that applied then, whatever is set now.
                const crossed = (key === 'alarm') === level >= 2 ? alarm.threshold : null;
                const at = crossed ?? limits[key];
                return at === null ? [] : [{ name: t(($) => $.around[key]), value: at, tone }];
              })
            : [],
        },
      ],
      marks: [
        { at, name: raised, tone: level === 2 ? 'alarm' : 'early' },
        ...(cleared_time === null
          ? []
          : [{ at: Date.parse(cleared_time), name: cleared, tone: 'good' as const }]),
        ...history.flatMap((step) => {
          const kind = marked.find((each) => each === step.kind);
          return kind ? [{ at: Date.parse(step.at), name: t(($) => $.kind[kind]) }] : [];
        }),
        ...commands.flatMap(({ action, created_at }) => {
          const verb = commandVerbs.find((each) => each === action);
          return [{ at: Date.parse(created_at), name: verb ? tc(($) => $.command.action[verb]) : action }];
        }),
      ],
    }),
    [
      alarm,
      around,
      limits,
      history,
      commands,
      value,
      isSame,
      raised,
      cleared,
      at,
      cleared_time,
      level,
      typeName,
      unitOf,
      t,
      tc,
    ],
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
