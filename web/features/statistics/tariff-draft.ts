import { type TariffContent, tariffContent, tariffFlaws } from '#contract/tariffs.ts';

export type Season = TariffContent['seasons'][number];
export type DayKind = Season['days'][number];

const everyDay: DayKind = {
  weekdays: [1, 2, 3, 4, 5, 6, 7],
  holidays: true,
  periods: [
    { from: '00:00', to: '08:00', band: 'valley' },
    { from: '08:00', to: '11:00', band: 'peak' },
    { from: '11:00', to: '18:00', band: 'flat' },
    { from: '18:00', to: '22:00', band: 'peak' },
    { from: '22:00', to: '24:00', band: 'flat' },
  ],
};
/** A new tariff begins as a year of one season, without prices. */
export const blankTariff = (currency: string, season: string): TariffContent => ({
  currency,
  co2_kg_per_kwh: null,
  holidays: [],
  seasons: [
    {
      name: season,
      from: '01-01',
      to: '12-31',
      prices: { sharp: null, peak: null, flat: null, valley: null },
      days: [everyDay],
    },
  ],
});

interface DraftFlaw {
  field: string;
  /** A fault of the contract with its parameters; null: the field itself is invalid. */
  code: ReturnType<typeof tariffFlaws>[number]['code'] | null;
  with: Readonly<Record<string, string>>;
}
/** Why a draft cannot be saved, by the rules of the server. */
export const flawsOf = (draft: TariffContent): DraftFlaw[] => {
  const parsed = tariffContent.safeParse(draft);
  if (!parsed.success)
    return parsed.error.issues.map(({ path }) => ({ field: path.join('.'), code: null, with: {} }));
  return tariffFlaws(parsed.data).map(({ code, field, with: parameters }) => ({
    code,
    field,
    with: parameters as Readonly<Record<string, string>>,
  }));
};

const replaced = <Item>(items: readonly Item[], index: number, item: Item): Item[] =>
  items.map((each, place) => (place === index ? item : each));
const without = <Item>(items: readonly Item[], index: number): Item[] =>
  items.filter((_, place) => place !== index);
export const lists = { replaced, without };
