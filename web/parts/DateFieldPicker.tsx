import { DatePicker, TimePicker } from 'antd';
import dayjs from 'dayjs';
import { currentLanguage } from '#web/i18n/i18n.ts';
import './calendar-words.ts';
import { useThumb } from '#web/theme/use-room.ts';

export interface DateFieldProps {
  kind: 'date' | 'moment' | 'time';
  value?: string | null | undefined;
  onChange?: (value: string) => void;
  id?: string;
  'aria-label'?: string;
  size?: 'small';
  status?: 'error' | '';
}
/** The stored format of a value. */
const kept = { date: 'YYYY-MM-DD', moment: 'YYYY-MM-DDTHH:mm', time: 'HH:mm' } as const satisfies Record<
  DateFieldProps['kind'],
  string
>;
/** The format of a shown day, as in `momentFormats`; further formats may be typed. */
const shownIn = {
  'zh-CN': ['YYYY/MM/DD', 'YYYY-MM-DD'],
  'en-US': ['D MMM YYYY', 'MM/DD/YYYY', 'YYYY-MM-DD'],
  'ru-RU': ['DD.MM.YYYY', 'YYYY-MM-DD'],
};

export const DateFieldPicker = ({ kind, value, onChange, ...rest }: DateFieldProps) => {
  const byThumb = useThumb();
  const days = shownIn[currentLanguage()];
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
  return kind === 'date' ? (
    <DatePicker {...shared} format={days} />
  ) : (
    <DatePicker {...shared} format={days.map((day) => `${day} HH:mm`)} showTime={{ format: 'HH:mm' }} />
  );
};
