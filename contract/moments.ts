/** The day before the month in English, too. */
export const momentLocale = (language: string): string => (language.startsWith('en') ? 'en-GB' : language);

/**
 * Days and times in one form for each language, in screens and files. English as the field writes it,
 * '22 Nov 2026 14:06': the month in letters, since readers of English disagree about '11/12/26'. Each form is
 * made when it is first used, because the browser needs milliseconds for one.
 */
export const momentFormats = (language: string, timeZone?: string) => {
  const isEnglish = language.startsWith('en');
  const locale = momentLocale(language);
  const made = (options: Intl.DateTimeFormatOptions, zone = timeZone) => {
    let form: Intl.DateTimeFormat | undefined;
    return (at: string | number | Date): string => {
      form ??= new Intl.DateTimeFormat(locale, {
        ...options,
        hourCycle: 'h23',
        ...(zone === undefined ? {} : { timeZone: zone }),
      });
      const text = form.format(new Date(at));
      return isEnglish ? text.replace(',', '').replace('Sept', 'Sep') : text;
    };
  };
  const letters = { day: 'numeric', month: 'short', year: 'numeric' } as const;
  const day: Intl.DateTimeFormatOptions = isEnglish ? letters : { dateStyle: 'medium' };
  const dayMonth: Intl.DateTimeFormatOptions = isEnglish
    ? { day: 'numeric', month: 'short' }
    : { day: '2-digit', month: '2-digit' };
  const month = { month: 'short', year: 'numeric' } as const;
  const minutes = { hour: '2-digit', minute: '2-digit' } as const;
  const seconds = { ...minutes, second: '2-digit' } as const;
  const figures = { year: 'numeric', month: '2-digit', day: '2-digit' } as const;
  const dayAnd = (time: Intl.DateTimeFormatOptions) => ({ ...(isEnglish ? letters : figures), ...time });
  return {
    /** '22 Nov 2026 14:06'. */
    minute: made(dayAnd(minutes)),
    /** '22 Nov 2026 14:06:31'. */
    second: made(dayAnd(seconds)),
    /** '22 Nov 2026 14:06:31.250'. */
    millisecond: made(dayAnd({ ...seconds, fractionalSecondDigits: 3 })),
    /** '22 Nov 2026'. */
    day: made(day),
    /** '22 Nov'. */
    dayMonth: made(dayMonth),
    /** 'Nov 2026'. */
    month: made(month),
    /** '14:06'. */
    clock: made(minutes),
    /** '14:06:31'. */
    time: made(seconds),
    /** A calendar day '2026-11-22', which has no zone. */
    calendarDay: made(day, 'UTC'),
    calendarDayMonth: made(dayMonth, 'UTC'),
    calendarMonth: made(month, 'UTC'),
  };
};
