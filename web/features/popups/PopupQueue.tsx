import { BellOutlined, ClockCircleOutlined } from '@ant-design/icons';
import { Button } from 'antd';
import Dropdown from 'antd/es/dropdown/dropdown.js';
import { useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { useGo } from '../../parts/PathLink.tsx';
import { paths } from '../../parts/paths.ts';
import { ringTones } from '../../parts/tones.ts';
import { TimeText } from '../../values/TimeText.tsx';
import { tonesOf } from './alarm-sound.ts';
import { PopupAlarm } from './PopupAlarm.tsx';
import { PopupStorm } from './PopupStorm.tsx';
import './popups.css';
import { SoundButton } from './SoundButton.tsx';
import { usePopupKeys } from './use-popup-keys.ts';
import { usePopupQueue } from './use-popup-queue.ts';
import { useSound } from './use-sound.ts';

const snoozeMinutes = [5, 15, 60] as const;

/** Shows that pop-ups are snoozed, until when, and how to end that. */
const SnoozedChip = ({ until, onResume }: { until: number; onResume: () => void }) => {
  const { t } = useTranslation('popups');
  return (
    <div className="popup-chip" role="status">
      <span>
        <BellOutlined aria-hidden /> {t(($) => $.offUntil)}{' '}
        <TimeText at={new Date(until).toISOString()} kind="time" />
      </span>
      <Button size="small" onClick={onResume}>
        {t(($) => $.resume)}
      </Button>
    </div>
  );
};

/** New alarms above the present screen: one at a time, a storm as one. */
export const PopupQueue = () => {
  const { t } = useTranslation('popups');
  const go = useGo();
  const { wish, sound } = useSound();
  const queue = usePopupQueue(wish, (gravest) => {
    if (sound !== 'off') void ringTones(tonesOf(gravest), sound);
  });
  const card = useRef<HTMLElement>(null);
  const { view, snoozedUntil } = queue;
  const first = view.groups[0];
  const shown = first !== undefined && snoozedUntil === null;
  const close = () => {
    if (view.storm || view.groups.length === 1) queue.dismissAll();
    else if (first) queue.dismiss(first.ids);
  };

  const open = () => {
    if (!first) return;
    if (view.storm) {
      queue.dismissAll();
      go(paths.alarmList({ status: 'unprocessed', group: 'storm' }));
    } else {
      queue.dismiss(first.ids);
      go(
        first.ids.length > 1 && first.deviceId > 0
          ? paths.alarmList({ device_id: first.deviceId, status: 'unprocessed', alarm: first.lead.id })
          : paths.alarm(first.lead.id),
      );
    }
  };
  usePopupKeys(card, shown ? { onOpen: open, onClose: close } : null);
  useEffect(() => {
    document.documentElement.classList.toggle('has-popup', shown);
  }, [shown]);

  if (snoozedUntil !== null) return <SnoozedChip until={snoozedUntil} onResume={queue.resume} />;
  if (!shown) return null;
  return (
    <section
      className={`popup${first.lead.level >= 2 ? ' popup-alarm' : ''}`}
      ref={card}
      aria-label={t(($) => $.label)}
    >
      <div role="alert">{view.storm ? <PopupStorm view={view} /> : <PopupAlarm group={first} />}</div>
      <span className="popup-sound">
        <SoundButton />
      </span>
      <div className="popup-foot">
        <Button type="primary" onClick={open}>
          {t(($) => (view.storm ? $.openList : $.open))} <kbd>Enter</kbd>
        </Button>
        <Dropdown
          trigger={['click']}
          menu={{
            items: snoozeMinutes.map((minutes) => ({
              key: minutes,
              label: t(($) => $.snoozeFor, { count: minutes }),
              onClick: () => queue.snooze(minutes),
            })),
          }}
        >
          <Button icon={<ClockCircleOutlined />}>{t(($) => $.snooze)}</Button>
        </Dropdown>
        <span className="page-header-gap" />
        {!view.storm && view.groups.length > 1 && (
          <Button type="text" onClick={close}>
            {t(($) => $.next, { count: view.groups.length - 1 })} <kbd>Esc</kbd>
          </Button>
        )}
        {(view.storm || view.groups.length === 1) && (
          <Button type="text" onClick={close}>
            {t(($) => $.dismiss)} <kbd>Esc</kbd>
          </Button>
        )}
      </div>
    </section>
  );
};
