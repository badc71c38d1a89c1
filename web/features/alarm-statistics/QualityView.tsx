import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import {
  fewestForShares,
  type Grade,
  gradeOf,
  gradeOfShare,
  type Proposal,
  qualityMetrics,
  qualityTargets,
  recommendedShares,
  shareMetrics,
} from '#contract/alarm-quality.ts';
import { metricWords, proposalWords, qualityClause } from '#contract/alarm-quality-words.ts';
import type { Language } from '#contract/languages.ts';
import { parameterOf } from '#contract/parameters.ts';
import { triedKeysOf } from '#contract/what-if.ts';
import { useFormats } from '#web/i18n/format.ts';
import type { CategoryModel } from '#web/parts/chart/model.ts';
import { PathLink } from '#web/parts/PathLink.tsx';
import { paths } from '#web/parts/paths.ts';
import { WhatIfLink } from '#web/parts/WhatIfLink.tsx';
import { alarmTypeName } from '#web/values/AlarmTypeName.tsx';
import { Severity } from '#web/values/Severity.tsx';
import { TimeText } from '#web/values/TimeText.tsx';
import { DaysPanel } from './DaysPanel.tsx';
import { FigureTable } from './FigureTable.tsx';
import type { Quality, Source } from './quality.ts';
import type { ListLink } from './statistics.ts';
import { useFigures } from './use-figures.ts';

interface Shown {
  quality: Quality;
  linkOf: ListLink;
}

export const QualityView = ({ quality, linkOf }: Shown) => (
  <div className="statistics-grid">
    <div className="is-wide">
      <MetricTable quality={quality} linkOf={linkOf} />
    </div>
    <DaysChart quality={quality} />
    <div className="is-wide">
      <WorstTable quality={quality} linkOf={linkOf} />
    </div>
    <SeverityTable quality={quality} linkOf={linkOf} />
    <FloodTable quality={quality} linkOf={linkOf} />
    <div className="is-wide">
      <StaleTable quality={quality} />
    </div>
  </div>
);

const marks: Readonly<Record<Grade, string>> = { good: '✓', fair: '▲', poor: '✕' };
/** The grade is a shape and a word; the colour only repeats them. */
const Verdict = ({ grade }: { grade: Grade | null }) => {
  const { t } = useTranslation('alarmStatistics');
  return grade === null ? (
    <span className="soft">—</span>
  ) : (
    <span className={`verdict is-${grade}`}>
      <span aria-hidden>{marks[grade]}</span> {t(($) => $.quality.grade[grade])}
    </span>
  );
};

const MetricTable = ({ quality, linkOf }: Shown) => {
  const { t, i18n } = useTranslation('alarmStatistics');
  const formats = useFormats();
  const { count } = useFigures();
  const language = i18n.language as Language;
  const { metrics, raised, before } = quality;
  const notes: Partial<Record<keyof typeof metrics, string>> = {
    per_hour: t(($) => $.quality.note.before, { before: formats.number(before.per_hour, 2) }),
    ...(quality.peak_at !== null && {
      peak: t(($) => $.quality.note.peak, { at: formats.dateTime(quality.peak_at) }),
    }),
    over_share: t(($) => $.quality.note.windows, {
      over: count(quality.windows_over),
      windows: count(quality.windows),
    }),
    flood_share: t(($) => $.quality.note.floods, {
      floods: count(quality.floods.count),
      time: formats.interval(quality.floods.minutes * 60),
    }),
    chattering: t(($) => $.quality.note.chattering, { alarms: count(quality.chattering.alarms) }),
    stale: t(($) => $.quality.note.standing, { active: count(quality.standing.active) }),
  };
  return (
    <>
      <p className="quality-lead">
        <PathLink to={linkOf({})}>{t(($) => $.quality.raised, { count: raised })}</PathLink>{' '}
        {t(($) => $.quality.period, { hours: formats.number(quality.hours) })}
      </p>
      <FigureTable
        title={t(($) => $.quality.panel.metrics)}
        rows={qualityMetrics}
        stacked
        keyOf={(metric) => metric}
        columns={[
          {
            title: t(($) => $.quality.column.figure),
            render: (metric) => (
              <>
                <strong>{metricWords[metric].name[language]}</strong>
                <span className="quality-definition">
                  {metricWords[metric].definition[language]} <cite>{qualityClause}</cite>
                </span>
              </>
            ),
          },
          {
            title: t(($) => $.quality.column.value),
            number: true,
            render: (metric) => (
              <>
                <strong>
                  {shareMetrics.has(metric)
                    ? formats.percent(metrics[metric])
                    : formats.number(metrics[metric], Number.isInteger(metrics[metric]) ? 0 : 2)}
                </strong>
                {notes[metric] !== undefined && <span className="quality-note">{notes[metric]}</span>}
              </>
            ),
          },
          {
            title: t(($) => $.quality.column.recommended),
            render: (metric) => metricWords[metric].target[language],
          },
          {
            title: t(($) => $.quality.column.verdict),
            render: (metric) => (
              <Verdict
                grade={
                  metric === 'worst_share' && raised < fewestForShares
                    ? null
                    : gradeOf(metrics[metric], qualityTargets[metric])
                }
              />
            ),
          },
        ]}
      />
    </>
  );
};

const DaysChart = ({ quality: { days, positions } }: { quality: Quality }) => {
  const { t } = useTranslation('alarmStatistics');
  const series = useMemo<CategoryModel['series']>(
    () => [
      {
        key: 'raised',
        name: t(($) => $.column.raised),
        tone: 0,
        values: days.map(({ raised }) => raised),
      },
      {
        key: 'recommended',
        name: t(($) => $.quality.column.recommended),
        tone: 'early',
        shape: 'line',
        values: days.map(() => qualityTargets.per_day.good * positions),
      },
    ],
    [days, positions, t],
  );
  return <DaysPanel title={t(($) => $.panel.days)} days={days} series={series} />;
};

const Place = ({ source }: { source: Source }) => {
  const { t } = useTranslation('alarmStatistics');
  const { device_id, device_name, device_number, line_name, project_name } = source;
  return (
    <span className="quality-place">
      <PathLink to={paths.device(device_id, { tab: 'alarms' })}>{device_name || device_number}</PathLink>
      <span className="soft">
        {[line_name, project_name || t(($) => $.noProject)].filter(Boolean).map((name) => ` · ${name}`)}
      </span>
    </span>
  );
};

/** The parameter of the proposal: the deadband, else the delay; or the first limit. */
const triedFirst = (typeNumber: number, proposal: Proposal): string | undefined => {
  const keys = triedKeysOf(typeNumber);
  const ofRole = (role: string) => keys.find((key) => parameterOf(key)?.role === role);
  return (proposal === 'steady' ? (ofRole('deadband') ?? ofRole('delay')) : ofRole('warn')) ?? keys[0];
};

const WorstTable = ({ quality: { worst }, linkOf }: Shown) => {
  const { t, i18n } = useTranslation('alarmStatistics');
  const { count, rate, duration } = useFigures();
  const language = i18n.language as Language;
  return (
    <FigureTable
      title={t(($) => $.quality.panel.worst)}
      rows={worst}
      stacked
      keyOf={({ line_id, typeNumber }) => `${line_id}/${typeNumber}`}
      columns={[
        {
          title: t(($) => $.quality.column.source),
          render: (row) => (
            <>
              <PathLink to={linkOf({ device_id: row.device_id, typeNumber: row.typeNumber })}>
                {alarmTypeName(row.typeNumber, i18n.language)}
              </PathLink>
              <span className="quality-definition">
                <Place source={row} />
              </span>
            </>
          ),
        },
        { title: t(($) => $.column.raised), number: true, render: ({ raised }) => count(raised) },
        { title: t(($) => $.column.share), number: true, render: ({ share }) => rate(share) },
        {
          title: t(($) => $.quality.column.lasted),
          number: true,
          render: ({ median_s }) => duration(median_s),
        },
        {
          title: t(($) => $.quality.column.chattering),
          number: true,
          render: ({ chattering }) => count(chattering),
        },
        {
          title: t(($) => $.quality.column.proposal),
          render: ({ proposal, line_id, line_name, typeNumber }) => (
            <>
              <strong>{proposalWords[proposal].name[language]}</strong>
              <span className="quality-definition">{proposalWords[proposal].why[language]}</span>
              {line_name !== '' && (
                <WhatIfLink
                  place={{ line_id }}
                  typeNumber={typeNumber}
                  setting={triedFirst(typeNumber, proposal)}
                />
              )}
            </>
          ),
        },
      ]}
    />
  );
};

const SeverityTable = ({ quality: { severities, raised: all }, linkOf }: Shown) => {
  const { t } = useTranslation('alarmStatistics');
  const { count, rate } = useFigures();
  return (
    <FigureTable
      title={t(($) => $.quality.panel.severities)}
      rows={severities}
      stacked
      keyOf={({ severity }) => severity}
      columns={[
        { title: t(($) => $.severity), render: ({ severity }) => <Severity severity={severity} /> },
        {
          title: t(($) => $.column.raised),
          number: true,
          render: ({ severity, raised }) => <PathLink to={linkOf({ severity })}>{count(raised)}</PathLink>,
        },
        { title: t(($) => $.column.share), number: true, render: ({ share }) => rate(share) },
        {
          title: t(($) => $.quality.column.recommended),
          number: true,
          render: ({ severity }) =>
            severity === 1
              ? t(($) => $.quality.under, { share: rate(recommendedShares[1]) })
              : t(($) => $.quality.about, { share: rate(recommendedShares[severity as 2 | 3 | 4]) }),
        },
        {
          title: t(($) => $.quality.column.verdict),
          render: ({ severity, share }) => (
            <Verdict grade={all < fewestForShares ? null : gradeOfShare(severity, share)} />
          ),
        },
      ]}
    />
  );
};

const FloodTable = ({ quality: { floods }, linkOf }: Shown) => {
  const { t } = useTranslation('alarmStatistics');
  const { count, duration } = useFigures();
  return (
    <FigureTable
      title={t(($) => $.quality.panel.floods)}
      rows={floods.list}
      stacked
      keyOf={({ from }) => from}
      empty={t(($) => $.quality.noFloods)}
      columns={[
        { title: t(($) => $.quality.column.from), render: ({ from }) => <TimeText at={from} /> },
        {
          title: t(($) => $.quality.column.lasted),
          number: true,
          render: ({ minutes }) => duration(minutes * 60),
        },
        {
          title: t(($) => $.column.raised),
          number: true,
          render: ({ from, to, raised }) => <PathLink to={linkOf({ from, to })}>{count(raised)}</PathLink>,
        },
      ]}
    />
  );
};

const StaleTable = ({ quality: { standing } }: { quality: Quality }) => {
  const { t, i18n } = useTranslation('alarmStatistics');
  return (
    <FigureTable
      title={t(($) => $.quality.panel.stale)}
      rows={standing.list}
      stacked
      keyOf={({ id }) => id}
      empty={t(($) => $.quality.noStale)}
      columns={[
        {
          title: t(($) => $.type),
          render: ({ id, typeNumber }) => (
            <PathLink to={paths.alarm(id)}>{alarmTypeName(typeNumber, i18n.language)}</PathLink>
          ),
        },
        { title: t(($) => $.severity), render: ({ severity }) => <Severity severity={severity} /> },
        { title: t(($) => $.quality.column.source), render: (row) => <Place source={row} /> },
        { title: t(($) => $.quality.column.since), render: ({ raised_at }) => <TimeText at={raised_at} /> },
      ]}
    />
  );
};
