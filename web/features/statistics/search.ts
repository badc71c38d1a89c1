import dayjs from 'dayjs';
import * as z from 'zod';
import type { Language } from '#contract/languages.ts';
import { type StatisticsPeriod, statisticsPeriods } from '#contract/statistics.ts';
import { filled } from '#web/api/filled.ts';
import { optionalNumber, optionalOf, optionalText } from '#web/parts/url-state.ts';

/** Units in which energy is shown: powers of ten of a kilowatt-hour. */
export const energyScales = ['0', '3', '4', '6'] as const;
export type EnergyScale = (typeof energyScales)[number];

/** The fields in the address of the energy statistics. */
export const statisticsSearch = z.object({
  project_id: optionalNumber,
  part_id: optionalNumber,
  device_id: optionalNumber,
  line_id: optionalNumber,
  period: z.enum(statisticsPeriods).catch('month'),
  date: optionalText,
  first_day: optionalText,
  last_day: optionalText,
  split: optionalOf(['part', 'device', 'line']),
  ranking: z.enum(['part', 'device', 'line']).catch('line'),
  compare: z.enum(['none', 'previous', 'year']).catch('previous'),
  page: z.coerce.number().int().min(1).catch(1),
  /** Unit of energy; absent: by the size of the numbers. */
  unit: optionalOf(energyScales),
});
export type StatisticsSearch = z.output<typeof statisticsSearch>;

/** The fields of a call for the target and the period. */
export const askedBy = (
  { project_id, part_id, device_id, line_id, period, date, first_day, last_day }: StatisticsSearch,
  projectId: number | undefined,
) => ({
  ...(line_id !== undefined
    ? { line_id }
    : device_id !== undefined
      ? { device_id }
      : part_id !== undefined
        ? { part_id }
        : { project_id: projectId ?? project_id }),
  period,
  ...(period === 'custom' ? filled({ first_day, last_day }) : date ? { date } : {}),
});

export const presets = [
  'today',
  'yesterday',
  'thisWeek',
  'lastWeek',
  'thisMonth',
  'lastMonth',
  'thisYear',
  'lastYear',
  'last7',
  'last30',
  'last90',
] as const;
export type Preset = (typeof presets)[number];
type When = Pick<StatisticsSearch, 'period' | 'date' | 'first_day' | 'last_day'>;
const unitOf = { today: 'day', thisWeek: 'week', thisMonth: 'month', thisYear: 'year' } as const;
const before = { yesterday: 'day', lastWeek: 'week', lastMonth: 'month', lastYear: 'year' } as const;
const fullDays = { last7: 7, last30: 30, last90: 90 } as const;
const keep = 'YYYY-MM-DD';

/** The range of a preset, relative to the project's today. */
export const rangeOfPreset = (preset: Preset, today: string): When => {
  const none = { date: undefined, first_day: undefined, last_day: undefined };
  if (preset in unitOf) return { ...none, period: unitOf[preset as keyof typeof unitOf] };
  if (preset in before) {
    const period = before[preset as keyof typeof before];
    return { ...none, period, date: dayjs(today).subtract(1, period).format(keep) };
  }
  const days = fullDays[preset as keyof typeof fullDays];
  return {
    ...none,
    period: 'custom',
    first_day: dayjs(today).subtract(days, 'day').format(keep),
    last_day: dayjs(today).subtract(1, 'day').format(keep),
  };
};
/** The period before or after the one that begins on this day. */
export const stepped = (
  period: Exclude<StatisticsPeriod, 'custom'>,
  firstDay: string,
  steps: 1 | -1,
): string => dayjs(firstDay).add(steps, period).format(keep);

/** The unit for numbers up to this size. Source: domain reference §5.3. Only Chinese counts in ten thousands. */
export const scaleFor = (kwh: number, language: Language): EnergyScale =>
  kwh >= 1e7 ? '6' : kwh >= 1e5 && language === 'zh-CN' ? '4' : kwh >= 1e4 ? '3' : '0';
