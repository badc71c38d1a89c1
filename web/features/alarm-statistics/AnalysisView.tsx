import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import type { CategoryModel } from '#web/parts/chart/model.ts';
import { PathLink } from '#web/parts/PathLink.tsx';
import { paths } from '#web/parts/paths.ts';
import { alarmTypeName } from '#web/values/AlarmTypeName.tsx';
import { Figure } from '#web/values/Figure.tsx';
import { DaysPanel } from './DaysPanel.tsx';
import { type FigureColumn, FigureTable } from './FigureTable.tsx';
import type { ListLink, Statistics } from './statistics.ts';
import { useFigures } from './use-figures.ts';

interface Handled {
  raised: number;
  processed: number;
  median_s: number | null;
  p90_s: number | null;
}
const rateOf = ({ processed, raised }: { processed: number; raised: number }) =>
  raised === 0 ? null : processed / raised;

/** How alarms are handled, and which projects and devices raise most. */
export const AnalysisView = ({ statistics, linkOf }: { statistics: Statistics; linkOf: ListLink }) => {
  const { t, i18n } = useTranslation('alarmStatistics');
  const { t: tc } = useTranslation('common');
  const { count } = useFigures();
  const handled = useHandledColumns();
  return (
    <>
      <HandlingFigures total={statistics.total} linkOf={linkOf} />
      <div className="statistics-grid">
        <HandlingChart days={statistics.days} />
        <FigureTable
          title={t(($) => $.panel.typesHandled)}
          rows={statistics.types}
          keyOf={({ typeNumber }) => typeNumber}
          columns={[
            { title: t(($) => $.type), render: ({ typeNumber }) => alarmTypeName(typeNumber, i18n.language) },
            {
              title: t(($) => $.column.raised),
              number: true,
              render: ({ typeNumber, raised }) => (
                <PathLink to={linkOf({ typeNumber })}>{count(raised)}</PathLink>
              ),
            },
            ...handled,
          ]}
        />
        <FigureTable
          title={t(($) => $.panel.severities)}
          rows={statistics.severities}
          keyOf={({ severity }) => severity}
          columns={[
            {
              title: t(($) => $.severity),
              render: ({ severity }) => tc(($) => $.severity[String(severity) as '1']),
            },
            {
              title: t(($) => $.column.raised),
              number: true,
              render: ({ severity, raised }) => (
                <PathLink to={linkOf({ severity })}>{count(raised)}</PathLink>
              ),
            },
            ...handled,
          ]}
        />
        <ProjectRanking projects={statistics.projects} linkOf={linkOf} />
        <DeviceRanking devices={statistics.devices} linkOf={linkOf} />
      </div>
    </>
  );
};

const useHandledColumns = (): FigureColumn<Handled>[] => {
  const { t } = useTranslation('alarmStatistics');
  const { rate, duration } = useFigures();
  return [
    { title: t(($) => $.column.rate), number: true, render: (row) => rate(rateOf(row)) },
    { title: t(($) => $.column.median), number: true, render: ({ median_s }) => duration(median_s) },
    { title: t(($) => $.column.p90), number: true, render: ({ p90_s }) => duration(p90_s) },
  ];
};

const HandlingFigures = ({ total, linkOf }: { total: Statistics['total']; linkOf: ListLink }) => {
  const { t } = useTranslation('alarmStatistics');
  const { count, rate, duration } = useFigures();
  return (
    <dl className="figures">
      <Figure
        label={t(($) => $.figure.rate)}
        note={t(($) => $.figure.rateNote, { processed: count(total.processed), raised: count(total.raised) })}
      >
        {rate(total.handling_rate)}
      </Figure>
      <Figure label={t(($) => $.figure.unprocessed)}>
        <PathLink to={linkOf({ status: 'unprocessed' })}>{count(total.raised - total.processed)}</PathLink>
      </Figure>
      <Figure label={t(($) => $.figure.median)}>{duration(total.median_s)}</Figure>
      <Figure label={t(($) => $.figure.p90)} note={t(($) => $.figure.p90Note)}>
        {duration(total.p90_s)}
      </Figure>
    </dl>
  );
};

const percents = { unit: '%', max: 100 };
const HandlingChart = ({ days }: { days: Statistics['days'] }) => {
  const { t } = useTranslation('alarmStatistics');
  const series = useMemo<CategoryModel['series']>(
    () => [
      {
        key: 'processed',
        name: t(($) => $.column.processed),
        tone: 'faint',
        stack: 'all',
        values: days.map(({ processed }) => processed),
      },
      {
        key: 'unprocessed',
        name: t(($) => $.column.unprocessed),
        tone: 'alarm',
        stack: 'all',
        values: days.map(({ raised, processed }) => raised - processed),
      },
      {
        key: 'rate',
        name: t(($) => $.column.rate),
        tone: 0,
        shape: 'line',
        second: true,
        digits: 1,
        values: days.map((day) => {
          const rate = rateOf(day);
          return rate === null ? null : rate * 100;
        }),
      },
    ],
    [days, t],
  );
  return <DaysPanel title={t(($) => $.panel.handlingDays)} days={days} series={series} second={percents} />;
};

const ProjectRanking = ({ projects, linkOf }: { projects: Statistics['projects']; linkOf: ListLink }) => {
  const { t } = useTranslation('alarmStatistics');
  const { count } = useFigures();
  const handled = useHandledColumns();
  return (
    <FigureTable
      title={t(($) => $.panel.projects)}
      rows={projects}
      keyOf={({ project_id }) => project_id ?? 0}
      columns={[
        {
          title: t(($) => $.column.project),
          render: ({ project_id, project_name }) =>
            project_id === null ? (
              t(($) => $.noProject)
            ) : (
              <PathLink to={paths.project('policestatistics', project_id)}>{project_name}</PathLink>
            ),
        },
        {
          title: t(($) => $.column.raised),
          number: true,
          render: ({ project_id, raised }) =>
            project_id === null ? (
              count(raised)
            ) : (
              <PathLink to={linkOf({ project_id })}>{count(raised)}</PathLink>
            ),
        },
        ...handled,
      ]}
    />
  );
};

const DeviceRanking = ({ devices, linkOf }: { devices: Statistics['devices']; linkOf: ListLink }) => {
  const { t, i18n } = useTranslation('alarmStatistics');
  const { count, rate } = useFigures();
  return (
    <FigureTable
      title={t(($) => $.panel.devices)}
      rows={devices}
      keyOf={({ device_id }) => device_id}
      columns={[
        {
          title: t(($) => $.column.device),
          render: ({ device_id, device_number, device_name }) => (
            <PathLink to={paths.device(device_id, { tab: 'alarms' })}>
              {device_name || device_number}
            </PathLink>
          ),
        },
        {
          title: t(($) => $.column.project),
          render: ({ project_name }) => project_name || t(($) => $.noProject),
        },
        {
          title: t(($) => $.column.raised),
          number: true,
          render: ({ device_id, raised }) => <PathLink to={linkOf({ device_id })}>{count(raised)}</PathLink>,
        },
        { title: t(($) => $.column.share), number: true, render: ({ share }) => rate(share) },
        {
          title: t(($) => $.column.mostly),
          render: ({ typeNumber }) => alarmTypeName(typeNumber, i18n.language),
        },
      ]}
    />
  );
};
