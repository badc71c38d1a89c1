import { useQuery } from '@tanstack/react-query';
import { Segmented } from 'antd';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import type { ReplyOf } from '#contract/endpoint.ts';
import { statisticsEndpoints } from '#contract/statistics.ts';
import { keptQuery } from '#web/api/query.ts';
import { useFormats } from '#web/i18n/format.ts';
import { CategoryChart } from '#web/parts/chart/CategoryChart.tsx';
import type { CategoryModel } from '#web/parts/chart/model.ts';
import { ExportButton } from '#web/parts/ExportButton.tsx';
import { useUnit } from '#web/values/use-unit.ts';
import { curvePlaces } from './curve-places.ts';
import { EnergyTable } from './EnergyTable.tsx';
import { Figures, type ShownFigure } from './Figures.tsx';
import { StatisticsScreen } from './StatisticsScreen.tsx';
import { type OfProject, type StatisticsPlace, useTarget } from './use-target.ts';
import { useZoned } from './zoned.ts';

type Load = ReplyOf<typeof statisticsEndpoints.load>;
type Figured = Load['figures'];
type Compare = 'none' | 'previous' | 'year';
const kilo = 1000;
const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
/** Below this coverage no load figure is shown. Source: domain reference §5.2. */
const leastCoverage = 0.5;
const phaseNames = { a: 'L1', b: 'L2', c: 'L3' } as const;

/**
 * Load from averages of 15 minutes: extremes, factors, curve compared with another period, duration, phases.
 */
export const LoadPage = ({ project }: OfProject) => {
  const { t } = useTranslation('statistics');
  const place = useTarget(project);
  const { search, asked, ready, setSearch } = place;
  const query = useQuery({
    ...keptQuery(statisticsEndpoints.load, { ...asked, compare: search.compare }),
    enabled: ready,
  });
  return (
    <StatisticsScreen
      place={place}
      name={t(($) => $.title.load)}
      query={query}
      totalOf={({ figures }) => figures}
      exportButton={(fileName) => (
        <ExportButton
          disabled={!ready}
          endpoint={statisticsEndpoints.loadExport}
          body={asked}
          fileName={fileName}
        />
      )}
      range={
        <span className="energy-compare">
          <span aria-hidden>{t(($) => $.load.compare)}</span>
          <Segmented<Compare>
            aria-label={t(($) => $.load.compare)}
            value={search.compare}
            onChange={(compare) => setSearch({ compare })}
            options={(['none', 'previous', 'year'] as const).map((value) => ({
              value,
              label: t(($) => $.load[value]),
            }))}
          />
        </span>
      }
      {...(project ? { project } : {})}
    >
      {(load) => (
        <>
          {load.figures.coverage !== null && load.figures.coverage < leastCoverage && (
            <p className="soft">{t(($) => $.load.tooLittle)}</p>
          )}
          <LoadView load={load} place={place} />
        </>
      )}
    </StatisticsScreen>
  );
};

const LoadView = ({ load, place }: { load: Load; place: StatisticsPlace }) => {
  const { t } = useTranslation('statistics');
  const { head, figures, compared, phases } = load;
  const curve = useCurve(load, place.search.compare);
  const duration = useDuration(figures, compared, place.search.compare);
  return (
    <>
      <LoadFigures load={load} compare={place.search.compare} />
      <div className="energy-panels">
        <section className="panel">
          <CategoryChart
            title={t(($) => $.load.curve)}
            heading={<h2>{t(($) => $.load.curve)}</h2>}
            extra={<span className="soft">{t(($) => $.load.step[head.by as 'hour'])}</span>}
            model={curve}
            height={320}
            printed
          />
        </section>
        <section className="panel">
          <CategoryChart
            title={t(($) => $.load.duration)}
            heading={<h2>{t(($) => $.load.duration)}</h2>}
            extra={<span className="soft">{t(($) => $.load.durationText)}</span>}
            model={duration}
            height={240}
          />
        </section>
        {phases && <Phases phases={phases} timeZone={head.time_zone} />}
      </div>
    </>
  );
};

const LoadFigures = ({
  load: { head, figures, compared, phases },
  compare,
}: {
  load: Load;
  compare: Compare;
}) => {
  const { t } = useTranslation('statistics');
  const formats = useFormats();
  const unitOf = useUnit();
  const zoned = useZoned(head.time_zone);
  const hidden = figures.coverage === null || figures.coverage < leastCoverage;
  const kW = (watts: number | null) =>
    watts === null || hidden ? '—' : `${formats.number(watts / kilo, 2)}\u00a0${unitOf('kW')}`;
  const share = (value: number | null) => (value === null || hidden ? '—' : formats.percent(value));
  const other = (pick: (of: Figured) => number | null, text: (value: number) => string) => {
    const value = compared ? pick(compared) : null;
    return value === null ? null : `${t(($) => $.load[compare])}${formats.colon}${text(value)}`;
  };
  const otherKW = (pick: (of: Figured) => number | null) =>
    other(pick, (watts) => `${formats.number(watts / kilo, 2)}\u00a0${unitOf('kW')}`);
  const otherShare = (pick: (of: Figured) => number | null) => other(pick, formats.percent);
  const at = (time: string | null) =>
    time === null || hidden ? null : t(($) => $.load.at, { time: zoned.moment(time) });
  const both = (...notes: (string | null)[]) => notes.filter((note) => note !== null).join(' · ') || null;
  const shown: ShownFigure[] = [
    {
      name: t(($) => $.load.max),
      value: kW(figures.max_w),
      note: both(
        at(figures.max_at),
        otherKW(({ max_w }) => max_w),
      ),
    },
    { name: t(($) => $.load.avg), value: kW(figures.avg_w), note: otherKW(({ avg_w }) => avg_w) },
    {
      name: t(($) => $.load.min),
      value: kW(figures.min_w),
      note: both(
        at(figures.min_at),
        otherKW(({ min_w }) => min_w),
      ),
    },
    {
      name: t(($) => $.load.factor),
      value: share(figures.load_factor),
      note: otherShare(({ load_factor }) => load_factor),
    },
    {
      name: t(($) => $.load.difference),
      value: kW(figures.difference_w),
      note: otherKW(({ difference_w }) => difference_w),
    },
    {
      name: t(($) => $.load.rate),
      value: share(figures.difference_rate),
      note: otherShare(({ difference_rate }) => difference_rate),
    },
    { name: t(($) => $.load.utilisation), value: share(figures.utilisation) },
    ...(phases ? [{ name: t(($) => $.load.current), value: share(phases.utilisation) }] : []),
    {
      name: t(($) => $.coverage),
      value: figures.coverage === null ? '—' : formats.percent(figures.coverage),
    },
  ];
  return <Figures figures={shown} />;
};

/** The curve of the range and of the compared one, aligned by local time. */
const useCurve = ({ head, figures, compared }: Load, compare: Compare): CategoryModel => {
  const { t } = useTranslation('statistics');
  const unitOf = useUnit();
  const zoned = useZoned(head.time_zone);
  return useMemo(() => {
    const short = (at: string) => (head.by === 'quarter' ? zoned.clock(at) : zoned.dayMonth(at));
    const places = curvePlaces(head.by === 'month' ? 'day' : head.by, figures, compared, zoned);
    const { times } = places;
    const spread = (
      { curve }: Figured,
      at: readonly (number | null)[],
      pick: (point: Figured['curve'][number]) => number | null,
    ) => {
      const values: (number | null)[] = times.map(() => null);
      for (const [index, point] of curve.entries()) {
        const place = at[index] ?? null;
        const value = pick(point);
        if (place !== null && value !== null) values[place] = value / kilo;
      }
      return values;
    };
    const guessed = new Set(
      places.own.filter((_, index) => {
        const { coverage } = figures.curve[index]!;
        return coverage !== null && coverage < 0.9;
      }),
    );
    const isFine = head.by === 'quarter';
    const shortestMs = isFine ? hourMs : dayMs;
    return {
      heading: t(($) => $.time),
      unit: unitOf('kW'),
      labels: times.map(short),
      // Labels are at full hours, or at the beginning of each day.
      labelled: times.flatMap((at, index) =>
        head.by === 'day' || zoned.wallClock(at) % shortestMs === 0 ? [index] : [],
      ),
      fullLabels: times.map((at) => (head.by === 'day' ? zoned.day(at) : zoned.moment(at))),
      series: [
        {
          key: 'avg',
          name: t(($) => $.load.avg),
          shape: 'line',
          values: spread(figures, places.own, ({ avg_w }) => avg_w),
          estimated: times.map((_, index) => guessed.has(index)),
          digits: 2,
        },
        ...(isFine
          ? []
          : [
              {
                key: 'max',
                name: t(($) => $.load.max),
                shape: 'line' as const,
                dash: 'dashed' as const,
                values: spread(figures, places.own, ({ max_w }) => max_w),
                digits: 2,
              },
              {
                key: 'min',
                name: t(($) => $.load.min),
                shape: 'line' as const,
                dash: 'dotted' as const,
                values: spread(figures, places.own, ({ min_w }) => min_w),
                digits: 2,
              },
            ]),
        ...(compared && compare !== 'none'
          ? [
              {
                key: 'compared',
                name: t(($) => $.load[compare]),
                shape: 'line' as const,
                tone: 'faint' as const,
                values: spread(compared, places.compared, ({ avg_w }) => avg_w),
                digits: 2,
              },
            ]
          : []),
      ],
    };
  }, [head.by, figures, compared, compare, t, unitOf, zoned]);
};

const useDuration = (figures: Figured, compared: Figured | null, compare: Compare): CategoryModel => {
  const { t } = useTranslation('statistics');
  const formats = useFormats();
  const unitOf = useUnit();
  return useMemo(
    () => ({
      heading: t(($) => $.load.ofTime),
      unit: unitOf('kW'),
      labels: figures.duration.map((_, index) => formats.percent(index / 100)),
      series: [
        {
          key: 'duration',
          name: t(($) => $.load.duration),
          shape: 'line',
          values: figures.duration.map((watts) => watts / kilo),
          digits: 2,
        },
        ...(compared && compare !== 'none' && compared.duration.length > 0
          ? [
              {
                key: 'compared',
                name: t(($) => $.load[compare]),
                shape: 'line' as const,
                tone: 'faint' as const,
                values: compared.duration.map((watts) => watts / kilo),
                digits: 2,
              },
            ]
          : []),
      ],
    }),
    [figures, compared, compare, t, formats, unitOf],
  );
};

const Phases = ({ phases, timeZone }: { phases: NonNullable<Load['phases']>; timeZone: string }) => {
  const { t } = useTranslation('statistics');
  const formats = useFormats();
  const unitOf = useUnit();
  const zoned = useZoned(timeZone);
  const amperes = (value: number | null) =>
    value === null ? '—' : `${formats.number(value, 2)}\u00a0${unitOf('A')}`;
  const share = (value: number | null) => (value === null ? '—' : formats.percent(value));
  return (
    <section className="panel">
      <h2>{t(($) => $.load.phases)}</h2>
      <EnergyTable
        label={t(($) => $.load.phases)}
        rows={phases.list}
        rowKey={({ phase }) => phase}
        columns={[
          { key: 'phase', title: t(($) => $.load.phase), render: ({ phase }) => phaseNames[phase] },
          { key: 'avg', title: t(($) => $.load.mean), number: true, render: ({ avg_a }) => amperes(avg_a) },
          {
            key: 'max',
            title: t(($) => $.load.highest),
            number: true,
            render: ({ max_a }) => amperes(max_a),
          },
          {
            key: 'use',
            title: t(($) => $.load.current),
            number: true,
            render: ({ max_a }) => share(max_a === null || !phases.rated_a ? null : max_a / phases.rated_a),
          },
        ]}
      />
      {phases.list.length > 1 && (
        <p>
          {t(($) => $.load.unbalance, {
            mean: share(phases.unbalance_avg),
            highest: share(phases.unbalance_max),
          })}{' '}
          {phases.unbalance_at !== null && (
            <span className="soft">{t(($) => $.load.at, { time: zoned.moment(phases.unbalance_at) })}</span>
          )}
        </p>
      )}
    </section>
  );
};
