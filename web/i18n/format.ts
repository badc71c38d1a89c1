import { colonIn } from '#contract/languages.ts';
import { momentFormats } from '#contract/moments.ts';
import { useLanguage } from './i18n.ts';
import { numberFormat } from './number.ts';

const rates: readonly [unit: Intl.RelativeTimeFormatUnit, seconds: number][] = [
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
  ['second', 1],
];

const justNow: Readonly<Record<string, string>> = {
  ...{ 'zh-CN': '刚刚', 'ru-RU': 'только что' },
};

/** The symbols of IEC 80000-3, which replace the abbreviations that browsers write in English and Russian. */
const symbols: Readonly<Record<string, string>> = {
  ...{ 'sec.': 's', 'min.': 'min', 'hr.': 'h', sec: 's', hr: 'h' },
  ...{ 'сек.': 'с', 'мин.': 'мин', 'ч.': 'ч' },
};
const abbreviation = /(?:sec|min|hr|сек|мин|ч)(?:\.|(?![\p{L}]))/u;

/** Formats numbers and times for a reader of that language. Each form is made when it is first used. */
export const formatsOf = (language: string) => {
  const numbers = new Map<number, (value: number) => string>();
  const withDigits = (digits: number) => {
    const form =
      numbers.get(digits) ??
      numberFormat(language, { maximumFractionDigits: digits, minimumFractionDigits: digits });
    numbers.set(digits, form);
    return form;
  };
  const inUnit = (unit: 'millisecond' | 'second' | 'minute' | 'hour') =>
    numberFormat(language, { style: 'unit', unit, unitDisplay: 'short', maximumFractionDigits: 1 });
  const [seconds, minutes, hours] = [inUnit('second'), inUnit('minute'), inUnit('hour')];
  const moments = momentFormats(language);
  const withSymbols = (text: string) => text.replace(abbreviation, (unit) => symbols[unit] ?? unit);
  let relative: Intl.RelativeTimeFormat | undefined;
  return {
    number: (value: number, digits = 0) => withDigits(digits)(value),
    /** As many digits as the number needs, for axes. */
    short: numberFormat(language, { maximumFractionDigits: 3 }),
    percent: numberFormat(language, { style: 'percent', maximumFractionDigits: 1 }),
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
    milliseconds: inUnit('millisecond'),
    /** '45 s', '5 min', '1.5 h'. */
    interval: (of: number) =>
      withSymbols(of < 120 ? seconds(of) : of < 7200 ? minutes(of / 60) : hours(of / 3600)),
    /** '14:31'. */
    clock: (at: number) => moments.clock(at),
    /** '14:31'; for another day, date and time. */
    since: (at: number) =>
      moments.day(at) === moments.day(Date.now()) ? moments.clock(at) : moments.second(at),
    /** '3 min ago'; a browser would write '0 s ago' in the first second. */
    ago: (ms: number) => {
      const seconds = Math.max(0, Math.round(ms / 1000));
      if (seconds === 0) return justNow[language] ?? 'just now';
      const [unit, size] = rates.find(([, size]) => seconds >= size) ?? rates[3]!;
      relative ??= new Intl.RelativeTimeFormat(language, { numeric: 'always', style: 'short' });
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
