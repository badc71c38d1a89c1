import { DateTime } from 'luxon';
import { mostDays, mostDaysByDay, type StatisticsPeriod } from '#contract/statistics.ts';
import { fault } from '#server/core/fault.ts';
import { firstAfter, firstOf } from '#server/core/zone.ts';

export interface Span {
  from: number;
  to: number;
}
type Step = 'hour' | 'day' | 'month';
/** A range of whole local days, and its buckets. */
export interface Range extends Span {
  period: StatisticsPeriod;
  zone: string;
  first_day: string;
  last_day: string;
  by: Step;
  buckets: readonly Span[];
  running: boolean;
}
interface Asked {
  period: StatisticsPeriod;
  date?: string | undefined;
  first_day?: string | undefined;
  last_day?: string | undefined;
}

const units = { day: 'day', week: 'week', month: 'month', year: 'year' } as const;

/**
 * Consecutive buckets of a range, in its zone. An hour is an hour of time, so that a day may have 23 or 25 of
 * them.
 */
const bucketsOf = (start: DateTime, end: DateTime, by: Step): Span[] => {
  const found: Span[] = [];
  for (let at = start; at < end; ) {
    const next = by === 'hour' ? at.plus({ hours: 1 }) : firstAfter(by, at);
    const to = next < end ? next : end;
    found.push({ from: at.toMillis(), to: to.toMillis() });
    at = to;
  }
  return found;
};

const dayIn = (text: string, zone: string, field: string): DateTime => {
  const day = DateTime.fromISO(text, { zone });
  if (!day.isValid || day.year < 2000 || day.year > 2200)
    return fault('request.invalid', { fields: { [field]: 'date.invalid' } });
  return firstOf('day', day);
};

const rangeFrom = (
  period: StatisticsPeriod,
  start: DateTime,
  end: DateTime,
  zone: string,
  now: number,
): Range => {
  const days = Math.round(end.diff(start, 'days').days);
  const by: Step =
    period === 'day' || (period === 'custom' && days <= 1)
      ? 'hour'
      : period === 'year' || days > mostDaysByDay
        ? 'month'
        : 'day';
  return {
    period,
    zone,
    from: start.toMillis(),
    to: end.toMillis(),
    first_day: start.toISODate()!,
    last_day: end.minus({ days: 1 }).toISODate()!,
    by,
    buckets: bucketsOf(start, end, by),
    running: end.toMillis() > now,
  };
};

/** The requested days in this zone. Throws errors at their fields. */
export const rangeOf = (asked: Asked, zone: string, now: number): Range => {
  const { period } = asked;
  const [start, end] = period === 'custom' ? customDays(asked, zone) : unitOf(period, asked.date, zone, now);
  if (start.toMillis() > now)
    fault('request.invalid', { fields: { [period === 'custom' ? 'first_day' : 'date']: 'range.future' } });
  return rangeFrom(period, start, end, zone, now);
};

const unitOf = (
  period: Exclude<StatisticsPeriod, 'custom'>,
  date: string | undefined,
  zone: string,
  now: number,
): [DateTime, DateTime] => {
  const day = date === undefined ? DateTime.fromMillis(now, { zone }) : dayIn(date, zone, 'date');
  return [firstOf(units[period], day), firstAfter(units[period], day)];
};
const customDays = ({ first_day, last_day }: Asked, zone: string): [DateTime, DateTime] => {
  if (first_day === undefined || last_day === undefined)
    return fault('request.invalid', {
      fields: {
        ...(first_day === undefined ? { first_day: 'range.days' } : {}),
        ...(last_day === undefined ? { last_day: 'range.days' } : {}),
      },
    });
  const start = dayIn(first_day, zone, 'first_day');
  const last = dayIn(last_day, zone, 'last_day');
  if (last < start) fault('request.invalid', { fields: { last_day: 'range.order' } });
  if (last.diff(start, 'days').days >= mostDays)
    fault('request.invalid', { fields: { last_day: 'range.long' }, with: { days: mostDays } });
  return [start, firstAfter('day', last)];
};

/** The range a period or a year earlier; for a week a year is 52 weeks, so that weekdays match. */
export const earlier = (range: Range, by: 'previous' | 'year', now: number): Range => {
  const start = DateTime.fromMillis(range.from, { zone: range.zone });
  const end = DateTime.fromMillis(range.to, { zone: range.zone });
  const back =
    by === 'year'
      ? range.period === 'week'
        ? { weeks: 52 }
        : { years: 1 }
      : range.period === 'custom'
        ? { days: Math.round(end.diff(start, 'days').days) }
        : { [units[range.period]]: 1 };
  const from = firstOf('day', start.minus(back));
  const to =
    range.period === 'month' || range.period === 'year'
      ? firstAfter(units[range.period], from)
      : firstAfter('day', from, Math.round(end.diff(start, 'days').days));
  return rangeFrom(range.period, from, to, range.zone, now);
};

/**
 * For each bucket of a range, the index of the corresponding bucket of an earlier range. Hours correspond by
 * local time, so an hour that a 23-hour day skips, or that a 25-hour day repeats, may have none.
 */
export const counterparts = (range: Range, before: Range): (number | null)[] => {
  if (range.by !== 'hour')
    return range.buckets.map((_, index) => (index < before.buckets.length ? index : null));
  const places = new Map(clockedHours(before).map((hour, index) => [hour, index]));
  return clockedHours(range).map((hour) => places.get(hour) ?? null);
};
/** '02:00', and '02:00 again' if the clock shows it a second time. */
const clockedHours = ({ buckets, zone }: Range): string[] => {
  const seen = new Set<string>();
  return buckets.map(({ from }) => {
    const clock = DateTime.fromMillis(from, { zone }).toFormat('HH:mm');
    const hour = seen.has(clock) ? `${clock} again` : clock;
    seen.add(clock);
    return hour;
  });
};

/**
 * The part of an earlier range that is compared with a range until now: all of it or, for an unfinished
 * range, as much local time as has passed.
 */
export const comparable = (range: Range, before: Range, now: number): Span => {
  if (!range.running) return { from: before.from, to: before.to };
  const zone = range.zone;
  const at = DateTime.fromMillis(now, { zone });
  const passedDays = Math.floor(
    firstOf('day', at).diff(DateTime.fromMillis(range.from, { zone }), 'days').days + 0.5,
  );
  const same = DateTime.fromMillis(before.from, { zone })
    .plus({ days: passedDays })
    .set({ hour: at.hour, minute: at.minute, second: at.second, millisecond: at.millisecond });
  return { from: before.from, to: Math.min(before.to, same.toMillis()) };
};

type RollupTable = 'rollup_quarter' | 'rollup_hour' | 'rollup_day' | 'rollup_month';
export interface Piece extends Span {
  table: RollupTable;
}

/**
 * The largest buckets that make up a span exactly: months, unless `largest` is a day, days, and quarters of an hour at
 * its ends.
 */
export const piecesOf = (span: Span, zone: string, largest: 'month' | 'day' = 'month'): Piece[] => {
  const start = DateTime.fromMillis(span.from, { zone });
  const end = DateTime.fromMillis(span.to, { zone });
  const up = (at: DateTime, unit: 'day' | 'month') =>
    firstOf(unit, at).toMillis() === at.toMillis() ? at : firstAfter(unit, at);
  const within = (
    [from, to]: readonly [DateTime, DateTime],
    unit: 'day' | 'month',
    table: RollupTable,
    outer: (ends: readonly [DateTime, DateTime]) => Piece[],
  ): Piece[] => {
    const [first, last] = [up(from, unit), firstOf(unit, to)];
    if (first >= last) return outer([from, to]);
    return [
      ...outer([from, first]),
      { table, from: first.toMillis(), to: last.toMillis() },
      ...outer([last, to]),
    ];
  };
  const quarters = ([from, to]: readonly [DateTime, DateTime]): Piece[] =>
    from < to ? [{ table: 'rollup_quarter', from: from.toMillis(), to: to.toMillis() }] : [];
  const days = (ends: readonly [DateTime, DateTime]) => within(ends, 'day', 'rollup_day', quarters);
  return largest === 'day' ? days([start, end]) : within([start, end], 'month', 'rollup_month', days);
};

/** The table that a range's buckets are read from; months that the range may cut consist of days. */
export const tableOf = ({ by, zone, from, period }: Range): RollupTable => {
  if (by === 'hour')
    return DateTime.fromMillis(from, { zone }).offset % 60 === 0 ? 'rollup_hour' : 'rollup_quarter';
  return by === 'day' || period === 'custom' ? 'rollup_day' : 'rollup_month';
};
