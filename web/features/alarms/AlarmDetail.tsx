import { Collapse, Descriptions } from 'antd';
import { useTranslation } from 'react-i18next';
import { valueTypes } from '#contract/alarm-catalogue.ts';
import type { Language } from '#contract/languages.ts';
import { channelName } from '#contract/parameter-names.ts';
import { type DeviceType, lineChannels } from '#contract/telemetry.ts';
import { late } from '../../parts/late.tsx';
import { PathLink } from '../../parts/PathLink.tsx';
import { paths } from '../../parts/paths.ts';
import { AlarmLevel } from '../../values/AlarmLevel.tsx';
import { AlarmQuantity } from '../../values/AlarmQuantity.tsx';
import { AlarmTypeName } from '../../values/AlarmTypeName.tsx';
import { CommandState } from '../../values/CommandState.tsx';
import { withoutRepeats } from '../../values/contacts.ts';
import { DeliveryLedger } from '../../values/DeliveryLedger.tsx';
import { LastSeen } from '../../values/LastSeen.tsx';
import { LineState } from '../../values/LineState.tsx';
import { Severity } from '../../values/Severity.tsx';
import { TimeText } from '../../values/TimeText.tsx';
import { useNow } from '../../values/use-now.ts';
import { AlarmAround } from './AlarmAround.tsx';
import { AlarmGuidance } from './AlarmGuidance.tsx';
import { AlarmHistory } from './AlarmHistory.tsx';
import { AlarmStanding } from './AlarmStanding.tsx';
import { AlarmValue } from './AlarmValue.tsx';
import type { AlarmDetailed } from './alarms.query.ts';

const AlarmEvidence = late(async () => (await import('../../parts/AlarmEvidence.tsx')).AlarmEvidence);

const oldMs = 5 * 60_000;
const isOld = (at: string | null, now: number) => at === null || now - Date.parse(at) > oldMs;

export const AlarmDetail = ({ alarm, onShow }: { alarm: AlarmDetailed; onShow: (id: number) => void }) => {
  const { t, i18n } = useTranslation('alarms');
  const now = useNow();
  const channels = lineChannels[alarm.device_type as DeviceType] ?? [];
  const channel = channelName(alarm.channel, channels, i18n.language as Language);
  const linked = (['follows', 'followed_by'] as const).flatMap((key) => {
    const other = alarm[key];
    if (other === null) return [];
    const label = t(($) => $.detail[key]);
    const open = (
      <button key={key} type="button" className="alarm-open" onClick={() => onShow(other.id)}>
        {other.work_order}
      </button>
    );
    return [[key, label, open] as const];
  });
  const facts = [
    [
      'level',
      t(($) => $.column.level),
      <span key="level">
        <AlarmLevel level={alarm.level} /> <Severity severity={alarm.severity} />
      </span>,
    ],
    ...(alarm.phase ? [['phase', t(($) => $.column.phase), alarm.phase.toUpperCase()] as const] : []),
    ...(alarm.channel ? [['channel', t(($) => $.detail.channel), channel] as const] : []),
    ['status', t(($) => $.column.status), <AlarmStanding key="status" row={alarm} />],
    ['value', t(($) => $.detail.valueOfThreshold), <AlarmValue key="value" row={alarm} />],
    ...(alarm.peak === null || alarm.peak === alarm.value || alarm.value_type === valueTypes.state
      ? []
      : [['peak', t(($) => $.detail.peak), <AlarmQuantity key="peak" alarm={alarm} of="peak" />] as const]),
    ['count', t(($) => $.column.count), alarm.count],
    ['time', t(($) => $.column.time), <TimeText key="time" at={alarm.time} />],
    ['received', t(($) => $.detail.received), <TimeText key="received" at={alarm.received_at} />],
    ['ended', t(($) => $.detail.ended), <TimeText key="ended" at={alarm.cleared_time} />],
    ['work', t(($) => $.column.workOrder), alarm.work_order],
    ...linked,
    [
      'project',
      t(($) => $.column.project),
      alarm.project_id === null ? (
        '—'
      ) : (
        <PathLink key="project" to={paths.project('earlywarning', alarm.project_id)}>
          {alarm.project_name}
        </PathLink>
      ),
    ],
    ['address', t(($) => $.column.address), alarm.address || alarm.project_address || '—'],
    [
      'device',
      t(($) => $.column.device),
      alarm.device_id === 0 ? (
        t(($) => $.wholeProject)
      ) : (
        <PathLink key="device" to={paths.device(alarm.device_id, { tab: 'lines' })}>
          {[alarm.device_number, alarm.line_name].filter(Boolean).join(' · ')}
        </PathLink>
      ),
    ],
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
              {t(($) => $.detail.maintenance)}
            </PathLink>,
          ] as const,
        ]),
    ['source', t(($) => $.detail.source), t(($) => $.detail.from[alarm.source])],
  ] as const;
  return (
    <>
      <Descriptions
        size="small"
        column={{ xs: 1, sm: 2 }}
        items={facts.map(([key, label, children]) => ({ key, label, children }))}
      />
      <AlarmGuidance code={alarm.typeNumber} />
      {alarm.late && <p className="soft">{t(($) => $.detail.late)}</p>}
      <section>
        <h2>{t(($) => $.around.title)}</h2>
        <AlarmAround alarm={alarm} />
      </section>
      {alarm.line_state && (
        <section>
          <h2>{t(($) => $.detail.lineNow)}</h2>
          <LineState state={alarm.line_state.state} stale={isOld(alarm.line_state.observed_at, now)} />{' '}
          <span className="soft">
            <LastSeen at={alarm.line_state.observed_at} />
          </span>
        </section>
      )}
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
      {alarm.commands.length > 0 && (
        <section>
          <h2>{t(($) => $.detail.commands)}</h2>
          <ul className="plain-list">
            {alarm.commands.map((command) => (
              <li key={command.command_id}>
                <span>
                  <TimeText at={command.created_at} kind="time" /> {command.operator}
                </span>
                <CommandState action={command.action} state={command.state} reason={command.reason} />
              </li>
            ))}
          </ul>
        </section>
      )}
      <section>
        <h2>{t(($) => $.detail.told)}</h2>
        {alarm.deliveries.length === 0 ? (
          <p className="soft">{t(($) => $.detail.nobody)}</p>
        ) : (
          <DeliveryLedger rows={alarm.deliveries} />
        )}
      </section>
      {alarm.consequences.length > 0 && (
        <section>
          <h2>{t(($) => $.detail.consequences)}</h2>
          <ul className="plain-list">
            {alarm.consequences.map((each) => (
              <li key={each.id}>
                <button type="button" className="alarm-open" onClick={() => onShow(each.id)}>
                  <AlarmLevel level={each.level} compact /> <AlarmTypeName code={each.typeNumber} />
                </button>
                {each.device_id !== alarm.device_id && (
                  <span className="soft tabular">{each.device_number}</span>
                )}
                <LastSeen at={each.time} />
              </li>
            ))}
          </ul>
        </section>
      )}
      <section>
        <h2>{t(($) => $.detail.history)}</h2>
        <AlarmHistory alarm={alarm} />
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
