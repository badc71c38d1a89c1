import { Collapse, Descriptions } from 'antd';
import { useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { valueTypes } from '#contract/alarm-catalogue.ts';
import type { Language } from '#contract/languages.ts';
import { channelName } from '#contract/parameter-names.ts';
import { type DeviceType, lineChannels } from '#contract/telemetry.ts';
import { useFormats } from '#web/i18n/format.ts';
import { late } from '#web/parts/late.tsx';
import { PathLink } from '#web/parts/PathLink.tsx';
import { paths } from '#web/parts/paths.ts';
import { useRoom } from '#web/theme/use-room.ts';
import { AlarmLevel } from '#web/values/AlarmLevel.tsx';
import { AlarmQuantity } from '#web/values/AlarmQuantity.tsx';
import { withoutRepeats } from '#web/values/contacts.ts';
import { LastSeen } from '#web/values/LastSeen.tsx';
import { LineState } from '#web/values/LineState.tsx';
import { useAges } from '#web/values/line-ages.ts';
import { Severity } from '#web/values/Severity.tsx';
import { TimeText } from '#web/values/TimeText.tsx';
import { useNow } from '#web/values/use-now.ts';
import { AlarmAround } from './AlarmAround.tsx';
import { AlarmEarlier } from './AlarmEarlier.tsx';
import { AlarmEnded } from './AlarmEnded.tsx';
import { AlarmGuidance } from './AlarmGuidance.tsx';
import { AlarmLasted } from './AlarmLasted.tsx';
import { AlarmTimeline } from './AlarmTimeline.tsx';
import { AlarmValue } from './AlarmValue.tsx';
import { type AlarmDetailed, useLiveLineState } from './alarms.query.ts';
import './incident.css';
import { useKeptTexts } from './outbox/kept-texts.ts';
import { KeptTextState } from './outbox/OutboxNote.tsx';

const AlarmEvidence = late(async () => (await import('#web/parts/AlarmEvidence.tsx')).AlarmEvidence);

export const AlarmDetail = ({ alarm, onShow }: { alarm: AlarmDetailed; onShow: (id: number) => void }) => {
  const { t, i18n } = useTranslation('alarms');
  const hasRoom = useRoom('table');
  const { colon } = useFormats();
  const now = useNow();
  const ages = useAges();
  const { line_state: state } = alarm;
  useLiveLineState(alarm);
  const kept = useKeptTexts(({ texts }) => texts.find(({ id }) => id === alarm.id));
  // Loaded early, because a user who views an alarm may write about it after the link was cut.
  useEffect(() => {
    import('./AlarmHandleDialog.tsx').catch(() => undefined);
  }, []);
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
  const facts = [
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
  const lasted = alarm.cleared_time ?? new Date(now).toISOString();
  return (
    <>
      <div className="incident-head">
        <p className="incident-what">
          <Severity severity={alarm.severity} /> <AlarmLevel level={alarm.level} />
          <strong className="incident-value">
            <AlarmValue row={alarm} />
          </strong>
        </p>
        <p>
          {alarm.project_id !== null && (
            <PathLink to={paths.project('earlywarning', alarm.project_id)}>{alarm.project_name}</PathLink>
          )}{' '}
          {alarm.device_id === 0 ? (
            t(($) => $.wholeProject)
          ) : (
            <PathLink to={paths.line(alarm)}>
              {[alarm.device_number, alarm.line_name].filter(Boolean).join(' · ')}
            </PathLink>
          )}
        </p>
        <p>
          <TimeText at={alarm.time} /> · <AlarmLasted from={alarm.time} to={lasted} /> ·{' '}
          {alarm.reset_needed
            ? t(($) => $.standing.reset)
            : t(($) => (alarm.active ? $.standing.active : $.standing.ended))}
        </p>
        {state && (
          <p>
            {t(($) => $.detail.lineNow)}
            {colon}
            {state.state === null ? (
              t(($) => $.detail.measured)
            ) : (
              <LineState state={state.state} stale={ages(state, state.interval_seconds).stale} />
            )}{' '}
            <span className="soft">
              <LastSeen at={state.state === null ? state.values_at : state.observed_at} />
            </span>{' '}
            <PathLink className="incident-line" to={paths.line(alarm)}>
              {t(($) => $.detail.toLine)}
            </PathLink>
          </p>
        )}
        {kept && (
          <div role="status">
            <KeptTextState text={kept} />
          </div>
        )}
        {alarm.late && <p className="soft">{t(($) => $.detail.late)}</p>}
      </div>
      <section>
        <h2>{t(($) => $.around.title)}</h2>
        <AlarmAround alarm={alarm} />
      </section>
      <AlarmGuidance code={alarm.typeNumber} />
      {alarm.contacts.length > 0 && (
        <section>
          <h2>{t(($) => $.detail.contacts)}</h2>
          <ul className="plain-list">
            {withoutRepeats(alarm.contacts).map(({ name, phone }, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: the order of calling is what tells contacts apart
              <li key={index}>
                <span>{name}</span>
                <a href={`tel:${phone}`} className="tabular">
                  {phone}
                </a>
              </li>
            ))}
          </ul>
        </section>
      )}
      <section>
        <h2>{t(($) => $.detail.history)}</h2>
        <AlarmTimeline alarm={alarm} onShow={onShow} />
      </section>
      <section>
        <h2>{t(($) => $.earlier.title)}</h2>
        <AlarmEarlier earlier={alarm.earlier} onShow={onShow} />
      </section>
      <section>
        <h2>{t(($) => $.detail.facts)}</h2>
        <Descriptions
          size="small"
          column={hasRoom ? 2 : 1}
          items={facts.map(([key, label, children]) => ({ key, label, children }))}
        />
      </section>
      <AlarmEvidence id={alarm.id} workOrder={alarm.work_order} />
      <Collapse
        ghost
        items={[
          {
            key: 'raw',
            label: t(($) => $.detail.raw),
            children: (
              <pre className="alarm-raw">
                {JSON.stringify(
                  { electricity_data: alarm.electricity_data, original_data: alarm.original_data },
                  null,
                  2,
                )}
              </pre>
            ),
          },
        ]}
      />
    </>
  );
};
