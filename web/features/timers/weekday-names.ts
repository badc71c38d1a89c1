import { useTranslation } from 'react-i18next';
import { momentLocale } from '#contract/moments.ts';
import { type Weekday, weekdays } from '#contract/timers.ts';

const monday = Date.UTC(2024, 0, 1);
const dayMs = 86_400_000;

/** Names of the weekdays in the reader's language. */
export const useWeekdayNames = (width: 'short' | 'long' = 'short'): Record<Weekday, string> => {
  const { i18n } = useTranslation();
  const format = new Intl.DateTimeFormat(i18n.language, { weekday: width, timeZone: 'UTC' });
  return Object.fromEntries(
    weekdays.map((day, index) => [day, format.format(monday + index * dayMs)]),
  ) as Record<Weekday, string>;
};
/** A calendar date as the reader writes it, with its weekday, independent of their zone: 'Thu 26 Nov'. */
export const useDateText = (): ((date: string) => string) => {
  const { i18n } = useTranslation();
  const format = new Intl.DateTimeFormat(momentLocale(i18n.language), {
    weekday: 'short',
    month: 'short',
    day: 'numeric',
    timeZone: 'UTC',
  });
  return (date) => format.format(new Date(`${date}T00:00:00Z`));
};
