import { useTranslation } from 'react-i18next';
import { weekdays } from '#contract/timers.ts';
import { useFormats } from '#web/i18n/format.ts';
import type { TimerRule } from './timer-week.ts';
import { useDateText, useWeekdayNames } from './weekday-names.ts';

/** The days on which a timer runs. */
export const TimerDays = ({ timer }: { timer: Omit<TimerRule, 'line_id'> }) => {
  const { t } = useTranslation('timers');
  const names = useWeekdayNames();
  const dateText = useDateText();
  const { list: listOf } = useFormats();
  if (timer.type === 'once') return <span>{timer.date ? dateText(timer.date) : '—'}</span>;
  const days = weekdays.filter((day) => timer[day]);
  return <span>{days.length === 7 ? t(($) => $.everyDay) : listOf(days.map((day) => names[day]))}</span>;
};
