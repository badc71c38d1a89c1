import { DatePicker, TimePicker } from 'antd';
import dayjs from 'dayjs';
import { currentLanguage } from '#web/i18n/i18n.ts';
import './calendar-words.ts';
import { useThumb } from '#web/theme/use-room.ts';

export interface DateFieldProps {
  /** A week, a month and a year are stored as one of their days. */
  kind: 'date' | 'week' | 'month' | 'year' | 'moment' | 'time';
  value?: string | null | undefined;
  onChange?: (value: string) => void;
  id?: string;
  'aria-label'?: string;
  size?: 'small';
  status?: 'error' | '';
}
/** The stored format of a value. */
const kept = {
  ...{ date: 'YYYY-MM-DD', week: 'YYYY-MM-DD', month: 'YYYY-MM-DD', year: 'YYYY-MM-DD' },
  ...{ moment: 'YYYY-MM-DDTHH:mm', time: 'HH:mm' },
} as const satisfies Record<DateFieldProps['kind'], string>;
/** The format of a shown day, as in `momentFormats`; further formats may be typed. */
const shownIn = {
  'zh-CN': ['YYYY/MM/DD', 'YYYY-MM-DD'],
  'en-US': ['D MMM YYYY', 'MM/DD/YYYY', 'YYYY-MM-DD'],
  'ru-RU': ['DD.MM.YYYY', 'YYYY-MM-DD'],
};
const monthsIn = { 'zh-CN': 'YYYY年M月', 'en-US': 'MMMM YYYY', 'ru-RU': 'MMMM YYYY' };
const yearsIn = { 'zh-CN': 'YYYY年', 'en-US': 'YYYY', 'ru-RU': 'YYYY' };
const dayMonthsIn = { 'zh-CN': 'MM/DD', 'en-US': 'D MMM', 'ru-RU': 'DD.MM' };

/** '16 Nov – 22 Nov': the week of a day. Weeks begin on Monday, as in the statistics of the server. */
const weekOf = (day: dayjs.Dayjs): string => {
  const monday = day.subtract((day.day() + 6) % 7, 'day');
  return [monday, monday.add(6, 'day')].map((end) => end.format(dayMonthsIn[currentLanguage()])).join(' – ');
};

export const DateFieldPicker = ({ kind, value, onChange, ...rest }: DateFieldProps) => {
  const byThumb = useThumb();
  const language = currentLanguage();
  const days = shownIn[language];
  const shared = {
    ...rest,
    className: 'date-field',
    // Opens the calendar without the keyboard on top of it.
    inputReadOnly: byThumb,
    needConfirm: false,
    value: value ? dayjs(value, kept[kind]) : null,
    onChange: (given: dayjs.Dayjs | null) => onChange?.(given ? given.format(kept[kind]) : ''),
    // A typed value counts at once: the picker itself reports it only after it lost the focus, too late for a button.
    onCalendarChange: (given: dayjs.Dayjs | dayjs.Dayjs[]) => {
      if (dayjs.isDayjs(given)) onChange?.(given.format(kept[kind]));
    },
  };
  if (kind === 'time') return <TimePicker {...shared} format="HH:mm" placeholder="00:00" />;
  if (kind === 'month')
    return <DatePicker {...shared} picker="month" format={[monthsIn[language], ...days]} />;
  if (kind === 'year') return <DatePicker {...shared} picker="year" format={[yearsIn[language], ...days]} />;
  if (kind === 'week') return <DatePicker {...shared} format={[weekOf, ...days]} />;
  return kind === 'date' ? (
    <DatePicker {...shared} format={days} />
  ) : (
    <DatePicker {...shared} format={days.map((day) => `${day} HH:mm`)} showTime={{ format: 'HH:mm' }} />
  );
};
