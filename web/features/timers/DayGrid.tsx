import { type KeyboardEvent, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { TagBadge } from '#contract/tags.ts';
import { SwitchAction } from '#web/values/SwitchAction.tsx';
import { placeAfter } from './day-grid-keys.ts';
import { TimerTags } from './TimerTags.tsx';

interface Slot {
  key: string;
  timerId: number;
  time: string;
  action: 'open' | 'close';
  where: string;
  tags: readonly TagBadge[];
  /** Why the timer does nothing. */
  quiet?: string | null;
  /** Set if the timer conflicts with an opposite one: 'wins' if this one is carried out, else 'yields'. */
  conflict?: 'wins' | 'yields';
}
interface Day {
  key: string;
  title: string;
  slots: readonly Slot[];
}

/** Seven days side by side, or below each other at phone width. Arrow keys move from slot to slot. */
export const DayGrid = ({
  days,
  onPick,
}: {
  days: readonly Day[];
  onPick: ((timerId: number) => void) | null;
}) => {
  const { t } = useTranslation('timers');
  const grid = useRef<HTMLDivElement>(null);
  const [reached, setReached] = useState<string | null>(null);
  const idOf = (day: Day, slot: Slot) => `${day.key} ${slot.key}`;
  const ids = days.map((day) => day.slots.map((slot) => idOf(day, slot)));
  const all = ids.flat();
  const current = reached !== null && all.includes(reached) ? reached : all[0];
  const go = (event: KeyboardEvent) => {
    const day = ids.findIndex((column) => current !== undefined && column.includes(current));
    if (day < 0 || current === undefined) return;
    const heights = ids.map((column) => column.length);
    const place = placeAfter(event.key, [day, ids[day]!.indexOf(current)], heights);
    if (place === null) return;
    event.preventDefault();
    const id = ids[place[0]]![place[1]]!;
    setReached(id);
    grid.current?.querySelectorAll<HTMLButtonElement>('.day-slot')[all.indexOf(id)]?.focus();
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the keys are those of the buttons inside
    <div className="day-grid" ref={grid} onKeyDown={go}>
      {days.map((day) => {
        const { key, title, slots } = day;
        return (
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
                    tabIndex={idOf(day, slot) === current ? 0 : -1}
                    onFocus={() => setReached(idOf(day, slot))}
                    onClick={() => onPick?.(slot.timerId)}
                  >
                    <span className="day-slot-head">
                      <strong className="tabular">{slot.time}</strong> <SwitchAction action={slot.action} />
                    </span>
                    <span className="day-slot-where">{slot.where}</span>
                    <TimerTags tags={slot.tags} action={slot.action} brief />
                    {slot.quiet && <span className="soft">{slot.quiet}</span>}
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
        );
      })}
    </div>
  );
};
