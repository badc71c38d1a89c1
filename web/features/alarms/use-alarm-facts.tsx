import { useTranslation } from 'react-i18next';
import { valueTypes } from '#contract/alarm-catalogue.ts';
import type { Language } from '#contract/languages.ts';
import { channelName } from '#contract/parameter-names.ts';
import { type DeviceType, lineChannels } from '#contract/telemetry.ts';
import { PathLink } from '#web/parts/PathLink.tsx';
import { paths } from '#web/parts/paths.ts';
import { AlarmQuantity } from '#web/values/AlarmQuantity.tsx';
import { TimeText } from '#web/values/TimeText.tsx';
import { AlarmEnded } from './AlarmEnded.tsx';
import type { AlarmDetailed } from './alarms.query.ts';

/** What is recorded of an alarm, as key, label and content. */
export const useAlarmFacts = (alarm: AlarmDetailed, onShow: (id: number) => void) => {
  const { t, i18n } = useTranslation('alarms');
  const channels = lineChannels[alarm.device_type as DeviceType] ?? [];
  const channel = channelName(alarm.channel, channels, i18n.language as Language);
  const linked = (['follows', 'followed_by'] as const).flatMap((key) => {
    const other = alarm[key];
    if (other === null) return [];
    const label = t(($) => $.detail[key]);
    const open = (
      <button key={key} type="button" className="link-button" onClick={() => onShow(other.id)}>
        {other.work_order}
      </button>
    );
    return [[key, label, open] as const];
  });
  return [
    ...(alarm.phase ? [['phase', t(($) => $.column.phase), alarm.phase.toUpperCase()] as const] : []),
    ...(alarm.channel ? [['channel', t(($) => $.detail.channel), channel] as const] : []),
    ...(alarm.peak === null || alarm.peak === alarm.value || alarm.value_type === valueTypes.state
      ? []
      : [['peak', t(($) => $.detail.peak), <AlarmQuantity key="peak" alarm={alarm} of="peak" />] as const]),
    ['count', t(($) => $.column.count), alarm.count],
    ['time', t(($) => $.column.time), <TimeText key="time" at={alarm.time} />],
    ['received', t(($) => $.detail.received), <TimeText key="received" at={alarm.received_at} />],
    ['ended', t(($) => $.detail.ended), <AlarmEnded key="ended" alarm={alarm} />],
    ['work', t(($) => $.column.workOrder), alarm.work_order],
    ...linked,
    ['address', t(($) => $.column.address), alarm.address || alarm.project_address || '—'],
    ...(alarm.project_id === null
      ? []
      : [
          [
            'maintenance',
            t(($) => $.detail.maintenance),
            <PathLink
              key="maintenance"
              to={paths.maintenance({
                alarm_id: alarm.id,
                project_id: alarm.project_id,
                ...(alarm.device_id === 0 ? {} : { device_id: alarm.device_id }),
              })}
            >
              {t(($) => $.detail.maintenanceOf)}
            </PathLink>,
          ] as const,
        ]),
    ['source', t(($) => $.detail.source), t(($) => $.detail.from[alarm.source])],
  ] as const;
};
