import { colonIn } from '#contract/languages.ts';
import { momentFormats } from '#contract/moments.ts';
import { useLanguage } from './i18n.ts';

const rates: readonly [unit: Intl.RelativeTimeFormatUnit, seconds: number][] = [
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
  ['second', 1],
];

/** The symbols of IEC 80000-3 for the abbreviations that English and Russian browsers write. */
const symbols: Readonly<Record<string, string>> = {
  ...{ 'sec.': 's', 'min.': 'min', 'hr.': 'h', sec: 's', hr: 'h' },
  ...{ 'сек.': 'с', 'мин.': 'мин', 'ч.': 'ч' },
};
const abbreviation = /(?:sec|min|hr|сек|мин|ч)(?:\.|(?![\p{L}]))/u;

/** Formats numbers and times for a reader of that language. */
export const formatsOf = (language: string) => {
  const numbers = new Map<number, Intl.NumberFormat>();
  const numberFormat = (digits: number) => {
    const made =
      numbers.get(digits) ??
      new Intl.NumberFormat(language, { maximumFractionDigits: digits, minimumFractionDigits: digits });
    numbers.set(digits, made);
    return made;
  };
  const short = new Intl.NumberFormat(language, { maximumFractionDigits: 3 });
  const percent = new Intl.NumberFormat(language, { style: 'percent', maximumFractionDigits: 1 });
  const moments = momentFormats(language);
  const withSymbols = (text: string) => text.replace(abbreviation, (unit) => symbols[unit] ?? unit);
  const units = (unit: 'millisecond' | 'second' | 'minute' | 'hour') =>
    new Intl.NumberFormat(language, { style: 'unit', unit, unitDisplay: 'short', maximumFractionDigits: 1 });
  const [seconds, minutes, hours] = [units('second'), units('minute'), units('hour')];
  const millis = units('millisecond');
  const relative = new Intl.RelativeTimeFormat(language, { numeric: 'always', style: 'short' });
  return {
    number: (value: number, digits = 0) => numberFormat(digits).format(value),
    /** As many digits as the number needs, for axes. */
    short: (value: number) => short.format(value),
    percent: (share: number) => percent.format(share),
    dateTime: moments.second,
    date: moments.day,
    /** A calendar day '2026-11-21', without a zone. */
    day: (day: string) => moments.calendarDay(day),
    /** A calendar day in a short form: day and month. */
    dayMonth: (day: string) => moments.calendarDayMonth(day),
    /** A calendar month '2026-11'. */
    month: (of: string) => moments.calendarMonth(of),
    time: moments.time,
    colon: colonIn(language),
    /** 'a, b'; '甲、乙' in Chinese. */
    list: (names: readonly (string | number)[]) => names.join(language === 'zh-CN' ? '、' : ', '),
    /** '45 ms'. */
    milliseconds: (of: number) => millis.format(of),
    /** '45 s', '5 min', '1.5 h'. */
    interval: (of: number) =>
      withSymbols(
        of < 120 ? seconds.format(of) : of < 7200 ? minutes.format(of / 60) : hours.format(of / 3600),
      ),
    /** '14:31'. */
    clock: (at: number) => moments.clock(at),
    /** '14:31'; for another day, date and time. */
    since: (at: number) =>
      moments.day(at) === moments.day(Date.now()) ? moments.clock(at) : moments.second(at),
    /** '3 min ago'. */
    ago: (ms: number) => {
      const seconds = Math.max(0, Math.round(ms / 1000));
      const [unit, size] = rates.find(([, size]) => seconds >= size) ?? rates[3]!;
      return withSymbols(relative.format(-Math.floor(seconds / size), unit));
    },
  };
};
export type Formats = ReturnType<typeof formatsOf>;

const made = new Map<string, Formats>();
export const useFormats = (): Formats => formatsIn(useLanguage());
/** Made once for each language. */
export const formatsIn = (language: string): Formats => {
  const formats = made.get(language) ?? formatsOf(language);
  made.set(language, formats);
  return formats;
};
