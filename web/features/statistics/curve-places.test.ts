import { expect, test } from 'vitest';
import { curvePlaces } from './curve-places.ts';
import { zonedFormats } from './zoned.ts';

const zoned = zonedFormats('en-US', 'Europe/Berlin');
const instants = (from: string, to: string, stepMs: number) => {
  const points = [];
  for (let at = Date.parse(from); at < Date.parse(to); at += stepMs)
    points.push({ at: new Date(at).toISOString() });
  return { from: new Date(from).toISOString(), curve: points };
};
const hourMs = 3_600_000;
const days = (...given: string[]) => given.map((at) => ({ at: new Date(at).toISOString() }));
const upTo = (last: number) => Array.from({ length: last + 1 }, (_, place) => place);

test('a curve is aligned with the previous one by local time, on days of 23 and 25 hours too', () => {
  const plain = instants('2026-03-28T00:00+01:00', '2026-03-29T00:00+01:00', hourMs);
  const short = instants('2026-03-29T00:00+01:00', '2026-03-30T00:00+02:00', hourMs);
  const next = instants('2026-03-30T00:00+02:00', '2026-03-31T00:00+02:00', hourMs);
  const long = instants('2026-10-25T00:00+02:00', '2026-10-26T00:00+01:00', hourMs);
  const of = (one: typeof plain, other: typeof plain) => curvePlaces('hour', one, other, zoned).compared;
  expect(of(short, plain)).toEqual([0, 1, null, ...upTo(22).slice(2)]);
  expect(of(next, short)).toEqual([0, 1, ...upTo(23).slice(3)]);
  expect(of(long, plain)).toEqual([0, 1, 2, ...upTo(24).slice(4)]);
  expect(of(plain, long)).toEqual([0, 1, 2, null, ...upTo(23).slice(3)]);
  expect(curvePlaces('hour', long, null, zoned).own).toEqual(upTo(24));
});

test('each day has its own position and name after clocks went back', () => {
  const autumn = {
    from: new Date('2026-10-20T00:00+02:00').toISOString(),
    curve: days(
      '2026-10-20T00:00+02:00',
      '2026-10-25T00:00+02:00',
      '2026-10-26T00:00+01:00',
      '2026-11-20T00:00+01:00',
    ),
  };
  const { own, times } = curvePlaces('day', autumn, null, zoned);
  expect(own).toEqual([0, 5, 6, 31]);
  expect(own.map((place) => zoned.calendar(times[place]!))).toEqual([
    '2026-10-20',
    '2026-10-25',
    '2026-10-26',
    '2026-11-20',
  ]);
});

test('the points of a longer previous month have positions of their own, and empty curves have none', () => {
  const february = instants('2026-02-01T00:00+01:00', '2026-03-01T00:00+01:00', 24 * hourMs);
  const january = instants('2026-01-01T00:00+01:00', '2026-02-01T00:00+01:00', 24 * hourMs);
  expect(curvePlaces('day', february, january, zoned)).toMatchObject({ own: upTo(27), compared: upTo(30) });
  const none = { from: february.from, curve: [] };
  expect(curvePlaces('day', none, null, zoned)).toEqual({ own: [], compared: [], times: [] });
});
