import { Collapse, Descriptions } from 'antd';
import { useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { late } from '#web/parts/late.tsx';
import { useRoom } from '#web/theme/use-room.ts';
import { withoutRepeats } from '#web/values/contacts.ts';
import { AlarmAround } from './AlarmAround.tsx';
import { AlarmEarlier } from './AlarmEarlier.tsx';
import { AlarmGuidance } from './AlarmGuidance.tsx';
import { AlarmSummary } from './AlarmSummary.tsx';
import { AlarmTimeline } from './AlarmTimeline.tsx';
import { type AlarmDetailed, useLiveLineState } from './alarms.query.ts';
import { useAlarmFacts } from './use-alarm-facts.tsx';
import './incident.css';

const AlarmEvidence = late(async () => (await import('#web/parts/AlarmEvidence.tsx')).AlarmEvidence);

export const AlarmDetail = ({ alarm, onShow }: { alarm: AlarmDetailed; onShow: (id: number) => void }) => {
  const { t } = useTranslation('alarms');
  const hasRoom = useRoom('table');
  useLiveLineState(alarm);
  // Loaded early, because a user who views an alarm may write about it after the link was cut.
  useEffect(() => {
    import('./AlarmHandleDialog.tsx').catch(() => undefined);
  }, []);
  const facts = useAlarmFacts(alarm, onShow);
  return (
    <>
      <AlarmSummary alarm={alarm} />
      <section>
        <h2>{t(($) => $.around.title)}</h2>
        <AlarmAround alarm={alarm} />
      </section>
      <AlarmGuidance code={alarm.typeNumber} />
      <Contacts contacts={alarm.contacts} />
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

const Contacts = ({ contacts }: Pick<AlarmDetailed, 'contacts'>) => {
  const { t } = useTranslation('alarms');
  if (contacts.length === 0) return null;
  return (
    <section>
      <h2>{t(($) => $.detail.contacts)}</h2>
      <ul className="plain-list">
        {withoutRepeats(contacts).map(({ name, phone }, index) => (
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
  );
};
