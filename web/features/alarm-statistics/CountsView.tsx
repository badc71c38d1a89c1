import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { CategoryChart } from '#web/parts/chart/CategoryChart.tsx';
import type { CategoryModel } from '#web/parts/chart/model.ts';
import { PathLink } from '#web/parts/PathLink.tsx';
import { alarmTypeName } from '#web/values/AlarmTypeName.tsx';
import { Figure } from '#web/values/Figure.tsx';
import { DaysPanel } from './DaysPanel.tsx';
import type { ListLink, Statistics } from './statistics.ts';
import { useFigures } from './use-figures.ts';
import { WeekGrid } from './WeekGrid.tsx';

const mostTypes = 12;
const rowHeight = 26;

/** Numbers of alarms: in total, by day, type, severity and hour of the week. */
export const CountsView = ({ statistics, linkOf }: { statistics: Statistics; linkOf: ListLink }) => {
  const { t } = useTranslation('alarmStatistics');
  return (
    <>
      <CountFigures statistics={statistics} linkOf={linkOf} />
      <div className="statistics-grid">
        <DaysChart days={statistics.days} />
        <TypesChart types={statistics.types} />
        <SeverityChart severities={statistics.severities} />
        <div className="is-wide">
          <WeekGrid title={t(($) => $.panel.week)} week={statistics.week} />
        </div>
      </div>
    </>
  );
};

const CountFigures = ({
  statistics: { total, two_days },
  linkOf,
}: {
  statistics: Statistics;
  linkOf: ListLink;
}) => {
  const { t } = useTranslation('alarmStatistics');
  const { count, growth } = useFigures();
  return (
    <dl className="figures">
      <Figure
        label={t(($) => $.figure.raised)}
        note={
          total.before === 0
            ? t(($) => $.figure.fresh)
            : `${t(($) => $.figure.growth, { growth: growth(total.growth) })} · ${t(($) => $.figure.before, { count: total.before })}`
        }
      >
        <PathLink to={linkOf({})}>{count(total.raised)}</PathLink>
      </Figure>
      <Figure label={t(($) => $.column.alarms)}>
        <PathLink to={linkOf({ level: 2 })}>{count(total.alarms)}</PathLink>
      </Figure>
      <Figure label={t(($) => $.column.early)}>
        <PathLink to={linkOf({ level: 1 })}>{count(total.early_warnings)}</PathLink>
      </Figure>
      <Figure label={t(($) => $.figure.unprocessed)}>
        <PathLink to={linkOf({ status: 'unprocessed' })}>{count(total.raised - total.processed)}</PathLink>
      </Figure>
      <Figure label={t(($) => $.figure.active)}>
        <PathLink to={linkOf({ active: 'true' })}>{count(total.active)}</PathLink>
      </Figure>
      <Figure
        label={t(($) => $.figure.today)}
        note={t(($) => $.figure.sameTime, {
          same: count(two_days.yesterday_same_time),
          growth: growth(two_days.growth),
          whole: count(two_days.yesterday),
        })}
      >
        {count(two_days.today)}
      </Figure>
    </dl>
  );
};

const DaysChart = ({ days }: { days: Statistics['days'] }) => {
  const { t } = useTranslation('alarmStatistics');
  const series = useMemo<CategoryModel['series']>(
    () => [
      {
        key: 'alarms',
        name: t(($) => $.column.alarms),
        tone: 'alarm',
        stack: 'raised',
        values: days.map((day) => day.alarms),
      },
      {
        key: 'early',
        name: t(($) => $.column.early),
        tone: 'early',
        stack: 'raised',
        values: days.map((day) => day.early_warnings),
      },
      {
        key: 'processed',
        name: t(($) => $.column.processed),
        tone: 0,
        shape: 'line',
        values: days.map((day) => day.processed),
      },
    ],
    [days, t],
  );
  return <DaysPanel title={t(($) => $.panel.days)} days={days} series={series} />;
};

type Stacked = Pick<Statistics['types'][number], 'alarms' | 'early_warnings'>;
const StackedChart = ({
  title,
  heading,
  rows,
  names,
}: {
  title: string;
  heading: string;
  rows: readonly Stacked[];
  names: readonly string[];
}) => {
  const { t } = useTranslation('alarmStatistics');
  const model = useMemo<CategoryModel>(
    () => ({
      heading,
      labels: names,
      unit: '',
      counts: true,
      horizontal: true,
      series: [
        {
          key: 'alarms',
          name: t(($) => $.column.alarms),
          tone: 'alarm',
          stack: 'all',
          values: rows.map((row) => row.alarms),
        },
        {
          key: 'early',
          name: t(($) => $.column.early),
          tone: 'early',
          stack: 'all',
          values: rows.map((row) => row.early_warnings),
        },
      ],
    }),
    [heading, rows, names, t],
  );
  return (
    <section className="panel" aria-label={title}>
      <CategoryChart
        title={title}
        printed
        model={model}
        heading={<h2>{title}</h2>}
        height={Math.max(200, 80 + names.length * rowHeight)}
      />
    </section>
  );
};
const TypesChart = ({ types }: { types: Statistics['types'] }) => {
  const { t, i18n } = useTranslation('alarmStatistics');
  const top = useMemo(() => types.slice(0, mostTypes), [types]);
  const names = useMemo(
    () => top.map(({ typeNumber }) => alarmTypeName(typeNumber, i18n.language)),
    [top, i18n.language],
  );
  return <StackedChart title={t(($) => $.panel.types)} heading={t(($) => $.type)} rows={top} names={names} />;
};
const SeverityChart = ({ severities }: { severities: Statistics['severities'] }) => {
  const { t } = useTranslation('alarmStatistics');
  const { t: tc } = useTranslation('common');
  const names = useMemo(
    () => severities.map(({ severity }) => tc(($) => $.severity[String(severity) as '1'])),
    [severities, tc],
  );
  return (
    <StackedChart
      title={t(($) => $.panel.severities)}
      heading={t(($) => $.severity)}
      rows={severities}
      names={names}
    />
  );
};
