import fc from 'fast-check';
import { DateTime } from 'luxon';
import { describe, expect, test } from 'vitest';
import type { TariffContent } from '#contract/tariffs.ts';
import { comparable, counterparts, earlier, piecesOf, rangeOf } from './range.ts';
import { slotsOf } from './tariff-slots.ts';

const now = Date.parse('2026-11-22T06:40:00Z');
const at = (text: string) => Date.parse(text);
const zones = fc.constantFrom(
  'Asia/Shanghai',
  'Europe/Berlin',
  'Asia/Kolkata',
  'America/St_Johns',
  'Asia/Kathmandu',
);
const quarterMs = 900_000;

describe('a range of local days', () => {
  test('divides days, weeks from Monday, months and years in the time zone of the project', () => {
    const of = (period: 'day' | 'week' | 'month' | 'year', date: string) => {
      const { first_day, last_day, by, buckets } = rangeOf({ period, date }, 'Europe/Berlin', now);
      return { first_day, last_day, by, buckets: buckets.length };
    };
    expect(of('day', '2026-03-29')).toEqual({
      first_day: '2026-03-29',
      last_day: '2026-03-29',
      by: 'hour',
      buckets: 23,
    });
    expect(of('day', '2026-10-25').buckets).toBe(25);
    expect(of('week', '2026-11-18')).toMatchObject({
      first_day: '2026-11-16',
      last_day: '2026-11-22',
      buckets: 7,
    });
    expect(of('month', '2026-02-10')).toMatchObject({ by: 'day', buckets: 28 });
    expect(of('year', '2026-02-10')).toMatchObject({ by: 'month', buckets: 12 });
  });

  test('an invalid range is marked at its field', () => {
    const flaw = (asked: object) => {
      try {
        rangeOf({ period: 'custom', ...asked }, 'Asia/Shanghai', now);
        return null;
      } catch (error) {
        return (error as { details: { fields: unknown } }).details.fields;
      }
    };
    expect(flaw({ first_day: '2026-11-10', last_day: '2026-11-09' })).toEqual({ last_day: 'range.order' });
    expect(flaw({ first_day: '2026-11-23', last_day: '2026-11-24' })).toEqual({ first_day: 'range.future' });
    expect(flaw({ first_day: '2026-11-01' })).toEqual({ last_day: 'range.days' });
    expect(flaw({ first_day: '2020-01-01', last_day: '2026-11-01' })).toEqual({ last_day: 'range.long' });
    expect(flaw({ first_day: '1901-01-01', last_day: '2026-11-01' })).toEqual({ first_day: 'date.invalid' });
    expect(flaw({ period: 'day', date: '2026-11-24' })).toEqual({ date: 'range.future' });
  });

  test('an unfinished range is compared with an equal share of the range before', () => {
    const month = rangeOf({ period: 'month' }, 'Asia/Shanghai', now);
    expect(month.running).toBe(true);
    expect(comparable(month, earlier(month, 'previous', now), now)).toEqual({
      from: at('2026-10-01T00:00:00+08:00'),
      to: at('2026-10-22T14:40:00+08:00'),
    });
    const october = rangeOf({ period: 'month', date: '2026-10-05' }, 'Asia/Shanghai', now);
    expect(comparable(october, earlier(october, 'year', now), now)).toEqual({
      from: at('2025-10-01T00:00:00+08:00'),
      to: at('2025-11-01T00:00:00+08:00'),
    });
  });

  test('a week compares with the same weekdays of the year before', () => {
    const week = rangeOf({ period: 'week', date: '2026-11-18' }, 'Asia/Shanghai', now);
    expect(earlier(week, 'year', now)).toMatchObject({ first_day: '2025-11-17', last_day: '2025-11-23' });
  });

  test('hours are compared by local time, on days of 23 and 25 hours too', () => {
    const placesOf = (date: string) => {
      const day = rangeOf({ period: 'day', date }, 'Europe/Berlin', now);
      return counterparts(day, earlier(day, 'previous', now));
    };
    const upTo = (last: number) => Array.from({ length: last + 1 }, (_, place) => place);
    // 02:00 is skipped on the first day, missing on the day before the second, and repeated on the third.
    expect(placesOf('2026-03-29')).toEqual([0, 1, ...upTo(23).slice(3)]);
    expect(placesOf('2026-03-30')).toEqual([0, 1, null, ...upTo(22).slice(2)]);
    expect(placesOf('2026-10-25')).toEqual([0, 1, 2, null, ...upTo(23).slice(3)]);
    expect(placesOf('2026-10-26')).toEqual([0, 1, 2, ...upTo(24).slice(4)]);
    const leap = rangeOf({ period: 'month', date: '2024-02-10' }, 'Europe/Berlin', now);
    expect(counterparts(leap, earlier(leap, 'year', now))).toEqual([...upTo(27), null]);
  });

  test('the pieces of a span cover it exactly, without gap or overlap', () => {
    fc.assert(
      fc.property(
        zones,
        fc.integer({ min: 0, max: 60_000 }),
        fc.integer({ min: 1, max: 60_000 }),
        (zone, start, length) => {
          const from = at('2025-01-01T00:00:00Z') + start * quarterMs;
          const to = from + length * quarterMs;
          const pieces = piecesOf({ from, to }, zone);
          expect(pieces[0]!.from).toBe(from);
          expect(pieces.at(-1)!.to).toBe(to);
          for (const [index, piece] of pieces.entries()) {
            if (index > 0) expect(piece.from).toBe(pieces[index - 1]!.to);
            const unit = { rollup_day: 'day', rollup_month: 'month' }[piece.table as 'rollup_day'] as 'day';
            if (unit)
              for (const end of [piece.from, piece.to])
                expect(DateTime.fromMillis(end, { zone }).startOf(unit).toMillis()).toBe(end);
          }
        },
      ),
    );
  });
});

describe('the bands of a tariff', () => {
  const content: TariffContent = {
    currency: 'EUR',
    co2_kg_per_kwh: null,
    holidays: ['2026-12-25'],
    seasons: [
      {
        name: 'Year',
        from: '01-01',
        to: '12-31',
        prices: { sharp: null, peak: 0.4, flat: 0.3, valley: 0.2 },
        days: [
          {
            weekdays: [1, 2, 3, 4, 5],
            holidays: false,
            periods: [
              { from: '00:00', to: '02:30', band: 'valley' },
              { from: '02:30', to: '20:00', band: 'peak' },
              { from: '20:00', to: '24:00', band: 'flat' },
            ],
          },
          { weekdays: [6, 7], holidays: true, periods: [{ from: '00:00', to: '24:00', band: 'flat' }] },
        ],
      },
    ],
  };
  const version = { valid_from: '2026-01-01', of_project: false, content };

  test('the bands of a tariff cover every instant of a range once, days of 23 and 25 hours included', () => {
    fc.assert(
      fc.property(
        zones,
        fc.integer({ min: 0, max: 360 }),
        fc.integer({ min: 1, max: 40 }),
        (zone, start, days) => {
          const first = DateTime.fromISO('2026-01-01', { zone }).plus({ days: start });
          const span = { from: first.toMillis(), to: first.plus({ days }).toMillis() };
          const slots = slotsOf([version], span, zone);
          expect(slots[0]!.from).toBe(span.from);
          expect(slots.at(-1)!.to).toBe(span.to);
          for (const [index, slot] of slots.entries())
            if (index > 0) expect(slot.from).toBe(slots[index - 1]!.to);
        },
      ),
    );
  });

  test('the bands of a tariff follow weekday, holiday and the tariff version of the day, a project’s own first', () => {
    const bandsOn = (day: string) => {
      const from = at(`${day}T00:00:00+08:00`);
      return slotsOf(
        [version, { valid_from: '2026-06-01', of_project: true, content: { ...content, holidays: [] } }],
        { from, to: from + 86_400_000 },
        'Asia/Shanghai',
      ).map(({ band }) => band);
    };
    expect(bandsOn('2025-12-31')).toEqual([]);
    expect(bandsOn('2026-01-02')).toEqual(['valley', 'peak', 'flat']);
    expect(bandsOn('2026-01-03')).toEqual(['flat']);
    // 25 December is a Friday: a holiday in the installation's tariff, not in the project's own.
    expect(bandsOn('2026-12-25')).toEqual(['valley', 'peak', 'flat']);
  });
});
