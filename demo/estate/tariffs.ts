import type { TariffContent } from '#contract/tariffs.ts';
import type { Db } from '#database/connect.ts';

const day = (periods: readonly (readonly [string, string, 'sharp' | 'peak' | 'flat' | 'valley'])[]) => ({
  weekdays: [1, 2, 3, 4, 5, 6, 7],
  holidays: true,
  periods: periods.map(([from, to, band]) => ({ from, to, band })),
});
const usual = [
  ['00:00', '08:00', 'valley'],
  ['08:00', '10:00', 'flat'],
  ['10:00', '12:00', 'peak'],
  ['12:00', '14:00', 'flat'],
  ['14:00', '19:00', 'peak'],
  ['19:00', '24:00', 'flat'],
] as const;
const summer = [
  ['00:00', '08:00', 'valley'],
  ['08:00', '10:00', 'flat'],
  ['10:00', '11:00', 'peak'],
  ['11:00', '12:00', 'sharp'],
  ['12:00', '14:00', 'flat'],
  ['14:00', '15:00', 'peak'],
  ['15:00', '17:00', 'sharp'],
  ['17:00', '19:00', 'peak'],
  ['19:00', '24:00', 'flat'],
] as const;

/** The structure of a commercial tariff in the Pearl River Delta; the prices are invented. */
const content: TariffContent = {
  currency: 'CNY',
  co2_kg_per_kwh: 0.5306,
  holidays: [],
  seasons: [
    {
      name: '7–9',
      from: '07-01',
      to: '09-30',
      prices: { sharp: 1.42, peak: 1.14, flat: 0.68, valley: 0.27 },
      days: [day(summer)],
    },
    {
      name: '10–6',
      from: '10-01',
      to: '06-30',
      prices: { sharp: null, peak: 1.14, flat: 0.68, valley: 0.27 },
      days: [day(usual)],
    },
  ],
};

/** The tariff of the installation. */
export const furnishTariffs = async (db: Db, now: number): Promise<void> => {
  await db
    .insertInto('tariffs')
    .values({
      project_id: null,
      valid_from: '2025-01-01',
      content: JSON.stringify(content),
      operator: 'admin',
      updated_at: new Date(now),
    })
    .execute();
};
