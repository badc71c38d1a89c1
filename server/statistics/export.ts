import type { BodyOf, ReplyOf } from '#contract/endpoint.ts';
import type { Language } from '#contract/languages.ts';
import { measuredKWh } from '#contract/measured.ts';
import type { EnergyMark, statisticsEndpoints } from '#contract/statistics.ts';
import {
  energyMarkWords,
  leftWord,
  statisticsColumns,
  statisticsSheetNames,
  tariffBandWords,
  totalWord,
  withoutPartWord,
} from '#contract/statistics-columns.ts';
import { unitIn } from '#contract/unit-words.ts';
import type { Cell, Sheet, SheetColumn } from '#server/core/spreadsheet.ts';
import { electricity } from './electricity.ts';
import { type Asker, energyDetail } from './energy.ts';
import { loadStatistics } from './load.ts';

type Column = keyof typeof statisticsColumns;
const kindOf = (column: Column): NonNullable<SheetColumn['kind']> =>
  column === 'from' || column === 'to'
    ? 'instant'
    : column === 'name' || column === 'marks'
      ? 'text'
      : 'number';
const columnsOf = (names: readonly Column[], language: Language): SheetColumn[] =>
  names.map((name) => ({ header: statisticsColumns[name][language], kind: kindOf(name) }));
const percent = (share: number | null) => (share === null ? null : Math.round(share * 1e4) / 100);
const noted = (marks: readonly EnergyMark[], language: Language) =>
  marks.map((mark) => energyMarkWords[mark][language]).join(', ');
const kwhOf = (value: number | null) => (value === null ? null : Math.round(value * 1e4) / 1e4);
const streamed = async function* (rows: readonly (readonly Cell[])[]) {
  for (const row of rows) yield row;
};
/** All members: the limit is higher than the number of lines in any project. */
const all = { page: 1, limit: 100_000 };

const memberName = (
  { id, name, kind }: { id: number | null; name: string; kind: string },
  language: Language,
): string => (id !== null ? name : kind === 'part' ? withoutPartWord[language] : leftWord[language]);

export const energySheet = async (
  asker: Asker,
  body: BodyOf<typeof statisticsEndpoints.energyExport>,
  language: Language,
): Promise<{ sheet: Sheet; name: string }> => {
  const { rows, ...asked } = body;
  const found = await energyDetail(asker, asked, all);
  const { head, total } = found;
  const figures = (figure: typeof total): Cell[] =>
    measuredKWh(figure) === null
      ? [null, null, null]
      : [kwhOf(figure.kwh), kwhOf(figure.estimated_kwh), kwhOf(figure.corrected_kwh)];
  const byTime = rows === 'time' || found.split === null;
  const first = byTime ? (['from', 'to'] as const) : (['name'] as const);
  const names: Column[] = [
    ...first,
    'kwh',
    'estimated_kwh',
    'corrected_kwh',
    ...(byTime ? [] : (['share'] as const)),
    'coverage',
    'marks',
  ];
  const sheet: Sheet = {
    name: statisticsSheetNames.energy[language],
    zone: head.time_zone,
    columns: columnsOf(names, language),
    rows: streamed([
      ...(byTime
        ? found.buckets.map((bucket): Cell[] => [
            new Date(bucket.at),
            new Date(bucket.to),
            ...figures(bucket),
            percent(bucket.coverage),
            noted(bucket.marks, language),
          ])
        : found.members.map((member): Cell[] => [
            memberName(member, language),
            ...figures(member),
            percent(member.share),
            percent(member.coverage),
            noted(member.marks, language),
          ])),
      [
        ...(byTime ? [new Date(head.from), new Date(head.to)] : [totalWord[language]]),
        ...figures(total),
        ...(byTime ? [] : [100]),
        percent(total.coverage),
        byTime ? totalWord[language] : noted(total.marks, language),
      ],
    ]),
  };
  return { sheet, name: fileName(sheet.name, head) };
};

const fileName = (sheet: string, head: { name: string; first_day: string; last_day: string }) =>
  `${sheet} ${head.name} ${head.first_day}${head.first_day === head.last_day ? '' : `–${head.last_day}`}`;

type Electricity = ReplyOf<typeof statisticsEndpoints.electricity>;
const amountIn = (wanted: string, costs: Electricity['costs']): number | null =>
  costs.find(({ currency }) => currency === wanted)?.amount ?? null;
export const electricitySheet = async (
  asker: Asker,
  body: BodyOf<typeof statisticsEndpoints.electricityExport>,
  language: Language,
): Promise<{ sheet: Sheet; name: string }> => {
  const found = await electricity(asker, { ...body, ranking: 'line', limit: 1 });
  const { head, total, bands } = found;
  const currencies = found.costs.map(({ currency }) => currency);
  const unknown = (): Cell[] => [null, ...bands.map(() => null), ...currencies.map(() => null)];
  const row = (bucket: Electricity['buckets'][number]): Cell[] => [
    new Date(bucket.at),
    new Date(bucket.to),
    ...(measuredKWh(bucket) === null
      ? unknown()
      : [
          kwhOf(bucket.kwh),
          ...bands.map(({ band }) => kwhOf(bucket.bands[band] ?? 0)),
          ...currencies.map((currency) => amountIn(currency, bucket.costs)),
        ]),
    kwhOf(bucket.previous_kwh),
    kwhOf(bucket.year_before_kwh),
    percent(bucket.coverage),
    noted(bucket.marks, language),
  ];
  const sheet: Sheet = {
    name: statisticsSheetNames.electricity[language],
    zone: head.time_zone,
    columns: [
      ...columnsOf(['from', 'to', 'kwh'], language),
      ...bands.map(({ band }) => ({
        header: `${tariffBandWords[band][language]} (${unitIn('kWh', language)})`,
        kind: 'number' as const,
      })),
      ...currencies.map((currency) => ({
        header: `${statisticsColumns.cost[language]} (${currency})`,
        kind: 'number' as const,
      })),
      ...columnsOf(['previous_kwh', 'year_before_kwh', 'coverage', 'marks'], language),
    ],
    rows: streamed([
      ...found.buckets.map(row),
      [
        new Date(head.from),
        new Date(head.to),
        ...(measuredKWh(total) === null
          ? unknown()
          : [
              kwhOf(total.kwh),
              ...bands.map(({ kwh }) => kwhOf(kwh)),
              ...currencies.map((currency) => amountIn(currency, found.costs)),
            ]),
        kwhOf(measuredKWh(found.previous)),
        kwhOf(measuredKWh(found.year_before)),
        percent(total.coverage),
        totalWord[language],
      ],
    ]),
  };
  return { sheet, name: fileName(sheet.name, head) };
};

export const loadSheet = async (
  asker: Asker,
  body: BodyOf<typeof statisticsEndpoints.loadExport>,
  language: Language,
): Promise<{ sheet: Sheet; name: string }> => {
  const { head, figures } = await loadStatistics(asker, { ...body, compare: 'none' });
  const sheet: Sheet = {
    name: statisticsSheetNames.load[language],
    zone: head.time_zone,
    columns: columnsOf(['from', 'avg_w', 'max_w', 'min_w', 'coverage'], language),
    rows: streamed(
      figures.curve.map((point): Cell[] => [
        new Date(point.at),
        point.avg_w,
        point.max_w,
        point.min_w,
        percent(point.coverage),
      ]),
    ),
  };
  return { sheet, name: fileName(sheet.name, head) };
};
