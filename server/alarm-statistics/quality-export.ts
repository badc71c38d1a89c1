import { alarmName } from '#contract/alarm-names.ts';
import { qualityMetrics, recommendedShares, shareMetrics } from '#contract/alarm-quality.ts';
import {
  metricWords,
  proposalWords,
  qualityClause,
  qualityColumns,
  qualitySections,
  qualitySheet,
} from '#contract/alarm-quality-words.ts';
import { severityWords } from '#contract/alarm-statistics-columns.ts';
import { colonIn, type Language } from '#contract/languages.ts';
import type { Cell, Sheet } from '#server/core/spreadsheet.ts';
import type { Quality } from './quality.ts';

const rounded = (value: number): number => Math.round(value * 100) / 100;
const placeOf = (row: Quality['worst'][number] | Quality['standing']['list'][number]): string =>
  [row.project_name, row.device_name || row.device_number, row.line_name].filter(Boolean).join(' · ');

function* rowsOf(quality: Quality, language: Language): Generator<Cell[]> {
  const section = (of: keyof typeof qualitySections) => qualitySections[of][language];
  for (const metric of qualityMetrics) {
    const { name, target, definition } = metricWords[metric];
    const value = quality.metrics[metric];
    const cells = shareMetrics.has(metric) ? [null, rounded(100 * value)] : [rounded(value), null];
    const note = `${definition[language]} ${qualityClause}`;
    yield [section('metric'), name[language], ...cells, target[language], note];
  }
  for (const { severity, raised, share } of quality.severities) {
    const recommended = recommendedShares[severity as 1 | 2 | 3 | 4] * 100;
    const name = severityWords[severity]?.[language] ?? String(severity);
    yield [
      section('severity'),
      name,
      raised,
      share === null ? null : rounded(100 * share),
      `${recommended} %`,
      null,
    ];
  }
  for (const row of quality.worst) {
    const name = `${alarmName(language, row.typeNumber)} · ${placeOf(row)}`;
    const proposal = proposalWords[row.proposal];
    const why = `${proposal.name[language]}${colonIn(language)}${proposal.why[language]}`;
    yield [section('worst'), name, row.raised, rounded(100 * row.share), null, why];
  }
  for (const { from, to, raised } of quality.floods.list)
    yield [section('flood'), null, raised, null, null, null, new Date(from), new Date(to)];
  for (const row of quality.standing.list)
    yield [
      section('stale'),
      `${alarmName(language, row.typeNumber)} · ${placeOf(row)}`,
      null,
      null,
      null,
      null,
      new Date(row.raised_at),
      null,
    ];
  for (const { day, raised } of quality.days) yield [section('day'), day, raised, null, null, null];
}

const kinds: Readonly<Record<string, 'number' | 'instant'>> = {
  ...{ value: 'number', share: 'number' },
  ...{ from: 'instant', to: 'instant' },
};
/** The page as one sheet: a row for each figure. */
export const qualitySheetOf = (quality: Quality, language: Language): Sheet => ({
  name: qualitySheet[language],
  zone: quality.zone,
  columns: Object.entries(qualityColumns).map(([key, header]) => ({
    header: header[language],
    kind: kinds[key] ?? 'text',
  })),
  rows: (async function* () {
    yield* rowsOf(quality, language);
  })(),
});
