import { useTranslation } from 'react-i18next';
import { SwitchAction } from '../../values/SwitchAction.tsx';
import { TimerTags } from './TimerTags.tsx';
import type { TimerTag } from './timer-tags.ts';

export interface Slot {
  key: string;
  timerId: number;
  time: string;
  action: 'open' | 'close';
  where: string;
  tags: readonly TimerTag[];
  quiet?: boolean;
  /** It meets a timer that asks the opposite; whether this one is carried out. */
  conflict?: 'wins' | 'yields';
}
export interface Day {
  key: string;
  title: string;
  slots: readonly Slot[];
}

/** Seven days side by side, one under the other at phone width. */
export const DayGrid = ({
  days,
  onPick,
}: {
  days: readonly Day[];
  onPick: ((timerId: number) => void) | null;
}) => {
  const { t } = useTranslation('timers');
  return (
    <div className="day-grid">
      {days.map(({ key, title, slots }) => (
        <section key={key} className="day-column" aria-label={title}>
          <h2>{title}</h2>
          {slots.length === 0 && <p className="soft">{t(($) => $.noRun)}</p>}
          <ul>
            {slots.map((slot) => (
              <li key={slot.key}>
                <button
                  type="button"
                  className={`day-slot${slot.quiet ? ' is-quiet' : ''}${slot.conflict ? ' is-conflict' : ''}`}
                  disabled={onPick === null}
                  onClick={() => onPick?.(slot.timerId)}
                >
                  <span className="day-slot-head">
                    <strong className="tabular">{slot.time}</strong> <SwitchAction action={slot.action} />
                  </span>
                  <span className="day-slot-where">{slot.where}</span>
                  <TimerTags tags={slot.tags} action={slot.action} brief />
                  {slot.quiet && <span className="soft">{t(($) => $.disabled)}</span>}
                  {slot.conflict && (
                    <span className="timer-bad">
                      {t(($) => (slot.conflict === 'wins' ? $.conflict.wins : $.conflict.yields))}
                    </span>
                  )}
                </button>
              </li>
            ))}
          </ul>
        </section>
      ))}
    </div>
  );
};
