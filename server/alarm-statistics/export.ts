import { alarmName } from '#contract/alarm-names.ts';
import {
  alarmStatisticsColumns,
  alarmStatisticsSections,
  alarmStatisticsSheet,
  noProjectWords,
  severityWords,
} from '#contract/alarm-statistics-columns.ts';
import type { Language } from '#contract/languages.ts';
import { shareOf } from '#server/core/growth.ts';
import type { Cell, Sheet } from '#server/core/spreadsheet.ts';
import type { Statistics } from './alarm-statistics.store.ts';

type Section = keyof typeof alarmStatisticsSections;
interface Figures {
  raised: number;
  alarms?: number;
  early_warnings?: number;
  processed?: number;
  median_s?: number | null;
  p90_s?: number | null;
}
const rounded = (value: number | null | undefined, factor: number): Cell =>
  value === null || value === undefined ? null : Math.round(value * factor * 10) / 10;
const rowOf = (section: string, name: string, figures: Figures): Cell[] => [
  section,
  name,
  figures.raised,
  figures.alarms ?? null,
  figures.early_warnings ?? null,
  figures.processed ?? null,
  figures.processed === undefined ? null : rounded(shareOf(figures.processed, figures.raised), 100),
  rounded(figures.median_s, 1 / 60),
  rounded(figures.p90_s, 1 / 60),
];

/** 1 January 2024 was a Monday. */
const weekdayOf = (index: number, language: Language) =>
  new Intl.DateTimeFormat(language, { weekday: 'short', timeZone: 'UTC' }).format(
    Date.UTC(2024, 0, 1 + index),
  );

function* rowsOf(statistics: Statistics, language: Language): Generator<Cell[]> {
  const section = (of: Section) => alarmStatisticsSections[of][language];
  const { first_day, last_day } = statistics;
  yield rowOf(section('total'), `${first_day} – ${last_day}`, statistics.total);
  for (const { day, ...figures } of statistics.days) yield rowOf(section('day'), day, figures);
  for (const { typeNumber, ...figures } of statistics.types)
    yield rowOf(section('type'), alarmName(language, typeNumber), figures);
  for (const { severity, ...figures } of statistics.severities)
    yield rowOf(section('severity'), severityWords[severity]?.[language] ?? String(severity), figures);
  for (const [index, raised] of statistics.week.entries())
    yield rowOf(section('hour'), `${weekdayOf(Math.floor(index / 24), language)} ${index % 24}:00`, {
      raised,
    });
  for (const { project_id, project_name, ...figures } of statistics.projects)
    yield rowOf(section('project'), project_id === null ? noProjectWords[language] : project_name, figures);
  for (const { device_number, device_name, ...figures } of statistics.devices)
    yield rowOf(section('device'), [device_number, device_name].filter(Boolean).join(' · '), figures);
}

const textColumns: readonly string[] = ['section', 'name'];
/** The statistics as one sheet: a row for each figure of the screen. */
export const statisticsSheet = (statistics: Statistics, language: Language): Sheet => ({
  name: alarmStatisticsSheet[language],
  zone: statistics.zone,
  columns: Object.entries(alarmStatisticsColumns).map(([key, header]) => ({
    header: header[language],
    kind: textColumns.includes(key) ? 'text' : 'number',
  })),
  rows: (async function* () {
    yield* rowsOf(statistics, language);
  })(),
});
