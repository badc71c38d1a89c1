import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import type { Language } from '#contract/languages.ts';
import { channelName } from '#contract/parameter-names.ts';
import { type DeviceType, lineChannels } from '#contract/telemetry.ts';
import { TimeChart } from '#web/parts/chart/TimeChart.tsx';
import { useChartRange } from '#web/parts/chart/use-chart-range.ts';
import { alarmTypeName } from '#web/values/AlarmTypeName.tsx';
import { useUnit } from '#web/values/use-unit.ts';
import type { AlarmDetailed } from './alarms.query.ts';
import { aroundModel } from './around-model.ts';

/** How far the server reads before and after the alarm; further for quarters of an hour. */
const aroundMs = 10 * 60_000;
const quartersAroundMs = 2 * 3_600_000;

/** The chart of the measurements before and after an alarm, or why there is none. */
export const AlarmAround = ({ alarm }: { alarm: AlarmDetailed }) => {
  const { t, i18n } = useTranslation('alarms');
  const { t: tc } = useTranslation('common');
  const unit = useUnit()(alarm.around.unit);
  const { around } = alarm;
  const at = Date.parse(alarm.time);
  const isKept = around.bucket_s !== null;
  const widthMs = isKept ? quartersAroundMs : aroundMs;
  const chartRange = useChartRange(useMemo(() => ({ from: at - widthMs, to: at + widthMs }), [at, widthMs]));
  const model = useMemo(
    () =>
      aroundModel(alarm, {
        unit,
        channel: channelName(
          alarm.around.channel ?? '',
          lineChannels[alarm.device_type as DeviceType] ?? [],
          i18n.language as Language,
        ),
        event: t(($) => $.around.event),
        early: t(($) => $.around.early),
        alarm: t(($) => $.around.alarm),
        step: (kind) => t(($) => $.kind[kind]),
        command: (action) => tc(($) => $.command.action[action]),
      }),
    [alarm, unit, i18n.language, t, tc],
  );
  if (around.channel === null) return <p className="soft">{t(($) => $.around.nothing)}</p>;
  const isMissing = around.at.length === 0;
  if (isMissing && !(around.comparable && alarm.value !== null))
    return <p className="soft">{t(($) => $.around.gone)}</p>;
  return (
    <>
      <TimeChart
        title={`${alarm.work_order} ${alarmTypeName(alarm.typeNumber, i18n.language)}`}
        model={model}
        chartRange={chartRange}
        height={220}
      />
      {isKept && <p className="soft">{t(($) => $.around.kept)}</p>}
      {isMissing && <p className="soft">{t(($) => $.around.missing)}</p>}
    </>
  );
};
