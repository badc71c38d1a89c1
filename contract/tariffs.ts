import * as z from 'zod';

/** Bands of a tariff, the most expensive first. */
export const tariffBands = ['sharp', 'peak', 'flat', 'valley'] as const;
export type TariffBand = (typeof tariffBands)[number];

/** Periods begin and end on quarters of an hour: the base bucket of energy. */
const clockTime = z.string().regex(/^([01]\d|2[0-3]):(00|15|30|45)$|^24:00$/, 'tariff.time');
const dayOfYear = z.string().regex(/^(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])$/, 'tariff.dayOfYear');
const price = z.number().min(0).max(1_000_000).nullable();

const tariffPeriod = z.strictObject({ from: clockTime, to: clockTime, band: z.enum(tariffBands) });
const tariffDay = z.strictObject({
  /** 1 Monday to 7 Sunday. */
  weekdays: z.array(z.int().min(1).max(7)).max(7),
  /** Also applies on public holidays, which count as no weekday. */
  holidays: z.boolean(),
  periods: z.array(tariffPeriod).min(1).max(48),
});
const tariffSeason = z.strictObject({
  name: z.string().trim().min(1).max(40),
  /** Month and day, both included; a season may cross the end of the year. */
  from: dayOfYear,
  to: dayOfYear,
  prices: z.strictObject({ sharp: price, peak: price, flat: price, valley: price }),
  days: z.array(tariffDay).min(1).max(8),
});
export const tariffContent = z.strictObject({
  currency: z.string().regex(/^[A-Z]{3}$/, 'tariff.currency'),
  /** Emissions per kilowatt-hour, kg; null: not shown. */
  co2_kg_per_kwh: z.number().min(0).max(10).nullable(),
  holidays: z.array(z.iso.date()).max(400),
  seasons: z.array(tariffSeason).min(1).max(12),
});
export type TariffContent = z.output<typeof tariffContent>;
type Season = TariffContent['seasons'][number];
type Period = Season['days'][number]['periods'][number];

/**
 * Why a tariff does not define exactly one band and price for each instant; `field` is the path within its
 * content.
 */
interface TariffFlaw {
  code:
    | 'tariff.dayOfYear'
    | 'tariff.seasonGap'
    | 'tariff.seasonOverlap'
    | 'tariff.weekdayGap'
    | 'tariff.weekdayOverlap'
    | 'tariff.holidayGap'
    | 'tariff.holidayOverlap'
    | 'tariff.order'
    | 'tariff.periodGap'
    | 'tariff.periodOverlap'
    | 'tariff.price';
  field: string;
  with: { from?: string; to?: string };
}

const yearDays: readonly string[] = Array.from({ length: 366 }, (_, index) =>
  new Date(Date.UTC(2024, 0, 1 + index)).toISOString().slice(5, 10),
);
export const minutesOfClock = (text: string): number => Number(text.slice(0, 2)) * 60 + Number(text.slice(3));
const clockOf = (minutes: number) =>
  `${String(Math.floor(minutes / 60)).padStart(2, '0')}:${String(minutes % 60).padStart(2, '0')}`;

/** Whether a season contains a day of the year, such as `07-31`. */
export const seasonHolds = ({ from, to }: Pick<Season, 'from' | 'to'>, day: string): boolean =>
  from <= to ? day >= from && day <= to : day >= from || day <= to;

/** The first run of consecutive days for which the condition is true. */
const stretch = (fits: (day: string) => boolean): { from: string; to: string } | null => {
  const first = yearDays.findIndex(fits);
  if (first < 0) return null;
  const after = yearDays.findIndex((day, index) => index > first && !fits(day));
  return { from: yearDays[first]!, to: yearDays[after < 0 ? 365 : after - 1]! };
};

const seasonFlaws = (seasons: readonly Season[]): TariffFlaw[] => {
  const wrong = seasons.flatMap((season, index) =>
    (['from', 'to'] as const)
      .filter((end) => !yearDays.includes(season[end]))
      .map((end): TariffFlaw => ({ code: 'tariff.dayOfYear', field: `seasons.${index}.${end}`, with: {} })),
  );
  if (wrong.length > 0) return wrong;
  const gap = stretch((day) => !seasons.some((season) => seasonHolds(season, day)));
  if (gap) return [{ code: 'tariff.seasonGap', field: 'seasons', with: gap }];
  const overlap = stretch((day) => seasons.filter((season) => seasonHolds(season, day)).length > 1);
  return overlap ? [{ code: 'tariff.seasonOverlap', field: 'seasons', with: overlap }] : [];
};

const dayFlaws = ({ days }: Season, field: string): TariffFlaw[] => {
  for (let weekday = 1; weekday <= 7; weekday++) {
    const holding = days.filter(({ weekdays }) => weekdays.includes(weekday)).length;
    const at = { from: String(weekday), to: String(weekday) };
    if (holding === 0) return [{ code: 'tariff.weekdayGap', field, with: at }];
    if (holding > 1) return [{ code: 'tariff.weekdayOverlap', field, with: at }];
  }
  const onHolidays = days.filter(({ holidays }) => holidays).length;
  if (onHolidays === 0) return [{ code: 'tariff.holidayGap', field, with: {} }];
  return onHolidays > 1 ? [{ code: 'tariff.holidayOverlap', field, with: {} }] : [];
};

const periodFlaws = (periods: readonly Period[], field: string): TariffFlaw[] => {
  const sorted = periods
    .map(({ from, to }) => ({ from: minutesOfClock(from), to: minutesOfClock(to) }))
    .sort((a, b) => a.from - b.from);
  const reversed = sorted.find(({ from, to }) => from >= to);
  if (reversed)
    return [
      { code: 'tariff.order', field, with: { from: clockOf(reversed.from), to: clockOf(reversed.to) } },
    ];
  let covered = 0;
  for (const { from, to } of [...sorted, { from: 1440, to: 1440 }]) {
    if (from > covered)
      return [{ code: 'tariff.periodGap', field, with: { from: clockOf(covered), to: clockOf(from) } }];
    if (from < covered)
      return [
        {
          code: 'tariff.periodOverlap',
          field,
          with: { from: clockOf(from), to: clockOf(Math.min(covered, to)) },
        },
      ];
    covered = to;
  }
  return [];
};

/**
 * Every fault of a tariff: the seasons must cover each day of the year once, the day kinds of a season each
 * weekday and the holidays once, the periods of a day its 24 hours once, and each used band needs a price.
 */
export const tariffFlaws = ({ seasons }: TariffContent): TariffFlaw[] => [
  ...seasonFlaws(seasons),
  ...seasons.flatMap((season, index) => {
    const field = `seasons.${index}`;
    const used = new Set(season.days.flatMap(({ periods }) => periods.map(({ band }) => band)));
    return [
      ...dayFlaws(season, `${field}.days`),
      ...season.days.flatMap(({ periods }, day) => periodFlaws(periods, `${field}.days.${day}.periods`)),
      ...[...used]
        .filter((band) => season.prices[band] === null)
        .map((band): TariffFlaw => ({ code: 'tariff.price', field: `${field}.prices.${band}`, with: {} })),
    ];
  }),
];
