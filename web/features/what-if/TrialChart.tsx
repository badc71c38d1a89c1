import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { whatIfEndpoints } from '#contract/what-if.ts';
import { endpointQuery } from '#web/api/query.ts';
import type { Limit, TimeModel } from '#web/parts/chart/model.ts';
import { TimeChart } from '#web/parts/chart/TimeChart.tsx';
import { useChartRange } from '#web/parts/chart/use-chart-range.ts';
import { DataState } from '#web/parts/DataState.tsx';
import { useUnit } from '#web/values/use-unit.ts';
import type { Episode, Judged, Trial } from './trial.ts';

const dayMs = 86_400_000;
const chartHeight = 300;
const mostMarks = 12;

/** The judged value, with the present and the tested limits. */
export const TrialChart = ({ trial, judged, unit }: { trial: Trial; judged: Judged; unit: string }) => {
  const { t } = useTranslation('whatIf');
  const { key, typeNumber, value, days } = trial;
  const query = useQuery({
    ...endpointQuery(whatIfEndpoints.replay, {
      ...{ line_ids: [judged.line_id], typeNumber, key, value, days },
      chart: true,
    }),
    staleTime: Number.POSITIVE_INFINITY,
    refetchInterval: false,
  });
  return (
    <DataState
      query={query}
      height={chartHeight}
      rows={7}
      isEmpty={({ lines }) => (lines[0]?.chart?.at.length ?? 0) === 0}
      empty={t(($) => $.chart.none)}
    >
      {({ until, lines }) => <Drawn judged={lines[0]!} until={Date.parse(until)} days={days} unit={unit} />}
    </DataState>
  );
};

const Drawn = ({
  judged,
  until,
  days,
  unit,
}: {
  judged: Judged;
  until: number;
  days: number;
  unit: string;
}) => {
  const { t } = useTranslation('whatIf');
  const shownUnit = useUnit()(unit);
  const chartRange = useChartRange(useMemo(() => ({ from: until - days * dayMs, to: until }), [until, days]));
  const model = useMemo<TimeModel>(() => {
    const { chart, limits } = judged;
    const { at, low, high, step_s } = chart!;
    const limitsOf = (when: 'before' | 'after', kinds: readonly ('early' | 'alarm' | 'end')[]): Limit[] =>
      kinds.flatMap((kind) => {
        const value = limits[when][kind];
        // An unchanged limit gets one line.
        if (value === null || (when === 'before' && value === limits.after[kind])) return [];
        const changed = value !== limits.before[kind] || when === 'before';
        const name = changed
          ? t(($) => $.limit[when], { limit: t(($) => $.limit[kind]) })
          : t(($) => $.limit[kind]);
        return [{ name, value, tone: when === 'before' ? 'faint' : kind === 'end' ? 'faint' : kind }];
      });
    const moves =
      limits.before.end !== limits.after.end &&
      limits.before.early === limits.after.early &&
      limits.before.alarm === limits.after.alarm;
    const kinds = moves ? (['early', 'alarm', 'end'] as const) : (['early', 'alarm'] as const);
    const mark = ({ at: begins, level }: Episode) => ({
      at: Date.parse(begins),
      name: t(($) => $.chart.missed),
      tone: level >= 2 ? ('alarm' as const) : ('early' as const),
    });
    return {
      panels: [
        {
          unit: shownUnit,
          series: [
            {
              key: 'high',
              name: t(($) => $.chart.value),
              at,
              values: high,
              stepMs: step_s * 1000,
              band: { low, high },
            },
          ],
          limits: [...limitsOf('before', kinds), ...limitsOf('after', kinds)],
          reachesLimits: true,
        },
      ],
      marks: judged.missed.episodes.slice(0, mostMarks).map(mark),
    };
  }, [judged, shownUnit, t]);
  return (
    <TimeChart title={t(($) => $.chart.title)} model={model} chartRange={chartRange} height={chartHeight} />
  );
};
