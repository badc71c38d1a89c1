import { DateTime, IANAZone } from 'luxon';
import { minutesOfClock, seasonHolds, type TariffBand, type TariffContent } from '#contract/tariffs.ts';
import { instantOf } from '#server/core/local-time.ts';
import { firstAfter, firstOf } from '#server/core/zone.ts';
import type { Span } from './range.ts';

const minuteMs = 60_000;

export interface TariffVersion {
  valid_from: string;
  of_project: boolean;
  content: TariffContent;
}
/** A period with one band, one price and one emission factor. */
export interface Slot extends Span {
  band: TariffBand;
  price: number;
  currency: string;
  co2_kg_per_kwh: number | null;
}

/** The version for a day: a project's own before the installation's, the latest that has begun. */
export const versionOn = (versions: readonly TariffVersion[], day: string): TariffVersion | null => {
  const begun = versions.filter(({ valid_from }) => valid_from <= day);
  const own = begun.filter(({ of_project }) => of_project);
  return (
    (own.length > 0 ? own : begun).reduce<TariffVersion | null>(
      (latest, version) => (latest && latest.valid_from >= version.valid_from ? latest : version),
      null,
    ) ?? null
  );
};

/** The periods of a local day, by season and weekday or as a holiday. */
const periodsOf = ({ holidays, seasons }: TariffContent, day: DateTime) => {
  const season = seasons.find((each) => seasonHolds(each, day.toFormat('MM-dd')))!;
  const isHoliday = holidays.includes(day.toISODate()!);
  const kind = season.days.find((each) => (isHoliday ? each.holidays : each.weekdays.includes(day.weekday)))!;
  return [...kind.periods]
    .sort((a, b) => minutesOfClock(a.from) - minutesOfClock(b.from))
    .map(({ from, band }) => ({ from, band, price: season.prices[band]! }));
};

/** The instant of a local time (`time`) on a local day; `next` is the beginning of the following day. */
const beginningOn = (day: DateTime, next: DateTime, time: string): number =>
  day.offset === next.offset
    ? day.toMillis() + minutesOfClock(time) * minuteMs
    : instantOf(Date.parse(`${day.toISODate()!}T00:00:00Z`), time, IANAZone.create(day.zoneName!));

/**
 * The bands of a span of local days. A period begins at its local time and ends where the next begins, so the
 * slots of a day of 23 or 25 hours cover it completely. A local time that clocks skip is the first instant after
 * the gap. Days without a version have none.
 */
export const slotsOf = (versions: readonly TariffVersion[], { from, to }: Span, zone: string): Slot[] => {
  const slots: Slot[] = [];
  for (
    let day = firstOf('day', DateTime.fromMillis(from, { zone }));
    day.toMillis() < to;
    day = firstAfter('day', day)
  ) {
    const version = versionOn(versions, day.toISODate()!);
    if (!version) continue;
    const { currency, co2_kg_per_kwh } = version.content;
    const periods = periodsOf(version.content, day);
    const next = firstAfter('day', day);
    const ends = [...periods.slice(1).map((period) => beginningOn(day, next, period.from)), next.toMillis()];
    let start = day.toMillis();
    for (const [index, { band, price }] of periods.entries()) {
      const end = Math.max(start, ends[index]!);
      if (end > start) slots.push({ from: start, to: end, band, price, currency, co2_kg_per_kwh });
      start = end;
    }
  }
  return slots;
};
