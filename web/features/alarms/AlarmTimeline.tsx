import { useTranslation } from 'react-i18next';
import { alarmEndpoints } from '#contract/alarms.ts';
import { ExportButton } from '#web/parts/ExportButton.tsx';
import { AlarmLevel } from '#web/values/AlarmLevel.tsx';
import { AlarmTypeName } from '#web/values/AlarmTypeName.tsx';
import { CommandState } from '#web/values/CommandState.tsx';
import { DeliveryState } from '#web/values/DeliveryState.tsx';
import { TimeText } from '#web/values/TimeText.tsx';
import { AlarmStep } from './AlarmStep.tsx';
import type { AlarmDetailed } from './alarms.query.ts';
import { type IncidentEvent, incidentEvents } from './incident-events.ts';
import { useStepText } from './step-text.ts';

/** Everything that happened around an alarm as a time line, oldest first. */
export const AlarmTimeline = ({ alarm, onShow }: { alarm: AlarmDetailed; onShow: (id: number) => void }) => {
  const { t } = useTranslation('alarms');
  const { t: tc } = useTranslation('common');
  const { textOf: stepText } = useStepText(alarm);
  const textOf = (event: IncidentEvent) => {
    if (event.kind === 'history') return <AlarmStep step={event.step} text={stepText(event.step)} />;
    if (event.kind === 'command')
      return (
        <>
          <CommandState
            action={event.command.action}
            state={event.command.state}
            reason={event.command.reason}
          />
          {event.command.operator && ` · ${event.command.operator}`}
        </>
      );
    if (event.kind === 'delivery')
      return (
        <>
          {tc(($) => $.delivery.channel[event.delivery.channel])} ·{' '}
          {tc(($) => $.delivery.kind[event.delivery.kind])} · {event.delivery.recipient || '—'}{' '}
          <DeliveryState row={event.delivery} />
        </>
      );
    return (
      <>
        {t(($) => $.timeline.consequence)}{' '}
        <button type="button" className="link-button" onClick={() => onShow(event.alarm.id)}>
          <AlarmLevel level={event.alarm.level} compact /> <AlarmTypeName code={event.alarm.typeNumber} />
        </button>
        {event.alarm.device_id !== alarm.device_id && (
          <span className="soft tabular"> {event.alarm.device_number}</span>
        )}
      </>
    );
  };
  return (
    <>
      <ol className="alarm-timeline">
        {incidentEvents(alarm).map((event) => (
          <li key={event.key} className={`is-${event.kind}`}>
            <TimeText at={event.at} />
            <div>{textOf(event)}</div>
          </li>
        ))}
      </ol>
      {alarm.deliveries.length === 0 ? (
        <p className="soft">{t(($) => $.detail.nobody)}</p>
      ) : (
        <p className="no-print">
          <ExportButton
            endpoint={alarmEndpoints.exportDeliveries}
            body={{ id: alarm.id }}
            label={t(($) => $.timeline.exportDeliveries)}
            fileName={`${t(($) => $.timeline.exportDeliveries)} ${alarm.work_order}`}
          />
        </p>
      )}
    </>
  );
};
