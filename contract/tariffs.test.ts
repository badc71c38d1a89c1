import { expect, test } from 'vitest';
import { type TariffContent, tariffContent, tariffFlaws } from './tariffs.ts';

const day = (periods: [string, string, 'peak' | 'flat' | 'valley'][]) =>
  periods.map(([from, to, band]) => ({ from, to, band }));
const fair: TariffContent = {
  currency: 'CNY',
  co2_kg_per_kwh: 0.57,
  holidays: ['2026-10-01'],
  seasons: [
    {
      name: 'Summer',
      from: '07-01',
      to: '09-30',
      prices: { sharp: null, peak: 1.2, flat: 0.8, valley: 0.3 },
      days: [
        {
          weekdays: [1, 2, 3, 4, 5],
          holidays: false,
          periods: day([
            ['00:00', '08:00', 'valley'],
            ['08:00', '12:15', 'peak'],
            ['12:15', '24:00', 'flat'],
          ]),
        },
        { weekdays: [6, 7], holidays: true, periods: day([['00:00', '24:00', 'valley']]) },
      ],
    },
    {
      name: 'Rest',
      from: '10-01',
      to: '06-30',
      prices: { sharp: null, peak: null, flat: 0.7, valley: null },
      days: [{ weekdays: [1, 2, 3, 4, 5, 6, 7], holidays: true, periods: day([['00:00', '24:00', 'flat']]) }],
    },
  ],
};
const at = <Item>(list: readonly Item[], n: number): Item => {
  const item = list[n];
  if (item === undefined) throw new Error(`there is no item ${n}`);
  return item;
};
const changed = (change: (content: TariffContent) => void) => {
  const content = structuredClone(fair);
  change(content);
  return tariffFlaws(content).map(({ code, field, with: about }) => ({ code, field, ...about }));
};

test('a tariff with exactly one band and price for every instant has no error', () => {
  expect(tariffContent.safeParse(fair).success).toBe(true);
  expect(tariffFlaws(fair)).toEqual([]);
});

test('reports where seasons, weekdays, holidays and periods have gaps or overlap', () => {
  expect(changed(({ seasons }) => Object.assign(at(seasons, 1), { to: '06-28' }))).toEqual([
    { code: 'tariff.seasonGap', field: 'seasons', from: '06-29', to: '06-30' },
  ]);
  expect(changed(({ seasons }) => Object.assign(at(seasons, 1), { to: '07-02' }))).toEqual([
    { code: 'tariff.seasonOverlap', field: 'seasons', from: '07-01', to: '07-02' },
  ]);
  expect(
    changed(({ seasons }) => Object.assign(at(at(seasons, 0).days, 0), { weekdays: [1, 2, 3, 4] })),
  ).toMatchObject([{ code: 'tariff.weekdayGap', field: 'seasons.0.days', from: '5' }]);
  expect(changed(({ seasons }) => at(at(seasons, 0).days, 1).weekdays.push(1))).toMatchObject([
    { code: 'tariff.weekdayOverlap', from: '1' },
  ]);
  expect(
    changed(({ seasons }) => Object.assign(at(at(seasons, 0).days, 1), { holidays: false })),
  ).toMatchObject([{ code: 'tariff.holidayGap' }]);
  expect(
    changed(({ seasons }) => Object.assign(at(at(at(seasons, 0).days, 0).periods, 1), { to: '12:00' })),
  ).toEqual([{ code: 'tariff.periodGap', field: 'seasons.0.days.0.periods', from: '12:00', to: '12:15' }]);
  expect(
    changed(({ seasons }) => Object.assign(at(at(at(seasons, 0).days, 0).periods, 1), { to: '13:00' })),
  ).toEqual([
    { code: 'tariff.periodOverlap', field: 'seasons.0.days.0.periods', from: '12:15', to: '13:00' },
  ]);
  expect(
    changed(({ seasons }) => Object.assign(at(at(at(seasons, 0).days, 0).periods, 1), { to: '07:00' })),
  ).toMatchObject([{ code: 'tariff.order' }]);
  expect(changed(({ seasons }) => Object.assign(at(seasons, 0), { from: '02-30' }))).toMatchObject([
    { code: 'tariff.dayOfYear', field: 'seasons.0.from' },
  ]);
});

test('a band that is used needs a price', () => {
  expect(changed(({ seasons }) => Object.assign(at(seasons, 1).prices, { flat: null }))).toEqual([
    { code: 'tariff.price', field: 'seasons.1.prices.flat' },
  ]);
});
