import { BellOutlined } from '@ant-design/icons';
import { Button } from 'antd';
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useGo } from '#web/parts/PathLink.tsx';
import { paths } from '#web/parts/paths.ts';
import { ringTones } from '#web/parts/tones.ts';
import { TimeText } from '#web/values/TimeText.tsx';
import { tonesOf } from './alarm-sound.ts';
import { PopupAlarm } from './PopupAlarm.tsx';
import { PopupFoot } from './PopupFoot.tsx';
import { PopupStorm } from './PopupStorm.tsx';
import './popups.css';
import { usePopupKeys } from './use-popup-keys.ts';
import { usePopupQueue } from './use-popup-queue.ts';
import { useSound } from './use-sound.ts';

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
  const latest = useRef({ open, close, snooze: queue.snooze });
  useEffect(() => {
    latest.current = { open, close, snooze: queue.snooze };
  });
  // The functions stay the same in each rendering, so that the buttons are not drawn again.
  const [foot] = useState(() => ({
    open: () => latest.current.open(),
    close: () => latest.current.close(),
    snooze: (minutes: number) => latest.current.snooze(minutes),
  }));
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
      <PopupFoot
        isStorm={view.storm}
        others={view.storm ? 0 : view.groups.length - 1}
        onOpen={foot.open}
        onClose={foot.close}
        onSnooze={foot.snooze}
      />
    </section>
  );
};
