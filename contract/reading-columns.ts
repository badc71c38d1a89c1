import type { ReplyOf } from './endpoint.ts';
import { type Language, type Words, words } from './languages.ts';
import type { lineEndpoints, rollupChannels } from './lines.ts';
import { channelName, channelUnit } from './parameter-names.ts';
import type { TableSheet } from './sheet.ts';
import { unitIn } from './unit-words.ts';

type Series = ReplyOf<typeof lineEndpoints.series>;
interface SeriesRow {
  readonly at: number;
  readonly values: readonly (number | null)[];
  readonly estimated: boolean;
}
const figures: Readonly<Record<(typeof rollupChannels)[keyof typeof rollupChannels][number], Words>> = {
  power_min: words('最小有功功率 (W)', 'Active power, lowest (W)', 'Активная мощность, минимум (Вт)'),
  power_avg: words('平均有功功率 (W)', 'Active power, average (W)', 'Активная мощность, среднее (Вт)'),
  power_max: words('最大有功功率 (W)', 'Active power, highest (W)', 'Активная мощность, максимум (Вт)'),
  current_max: words('最大电流 (A)', 'Current, highest (A)', 'Ток, максимум (А)'),
  voltage_min: words('最低电压 (V)', 'Voltage, lowest (V)', 'Напряжение, минимум (В)'),
  voltage_max: words('最高电压 (V)', 'Voltage, highest (V)', 'Напряжение, максимум (В)'),
  leakage_max: words('最大剩余电流 (mA)', 'Leakage current, highest (mA)', 'Ток утечки, максимум (мА)'),
  temperature_max: words('最高温度 (°C)', 'Temperature, highest (°C)', 'Температура, максимум (°C)'),
  energy_kwh: words('用电量 (kWh)', 'Energy consumed (kWh)', 'Расход энергии (кВт·ч)'),
};
const register = words('电能表读数 (kWh)', 'Energy register (kWh)', 'Показание счётчика (кВт·ч)');
const isFigure = (channel: string): channel is keyof typeof figures => Object.hasOwn(figures, channel);

const headerOf = (channel: string, channels: readonly string[]): Words => {
  if (isFigure(channel)) return figures[channel];
  if (channel === 'E') return register;
  const unit = channelUnit(channel);
  const named = (language: Language) =>
    `${channelName(channel, channels, language)}${unit === '' ? '' : ` (${unitIn(unit, language)})`}`;
  return words(named('zh-CN'), named('en-US'), named('ru-RU'));
};
const estimatedWord = words('估算', 'estimated', 'оценка');

/** The series of a line's chart: a row per time, a column per channel. */
export const seriesSheet = ({
  channels,
  estimated,
}: Pick<Series, 'channels' | 'estimated'>): TableSheet<SeriesRow> => ({
  name: words('读数', 'Readings', 'Показания'),
  columns: [
    { header: words('时间', 'Time', 'Время'), kind: 'instant', cell: ({ at }) => new Date(at) },
    ...channels.map((channel, index) => ({
      header: headerOf(channel, channels),
      kind: 'number' as const,
      cell: ({ values }: SeriesRow) => values[index] ?? null,
    })),
    ...(estimated.length === 0
      ? []
      : [
          {
            header: words('备注', 'Note', 'Примечание'),
            cell: (row: SeriesRow, language: Language) => (row.estimated ? estimatedWord[language] : null),
          },
        ]),
  ],
});
export const seriesRows = ({ at, channels, values, estimated }: Series): SeriesRow[] => {
  const guessed = new Set(estimated);
  return at.map((time, index) => ({
    at: time,
    values: channels.map((channel) => values[channel]?.[index] ?? null),
    estimated: guessed.has(time),
  }));
};
