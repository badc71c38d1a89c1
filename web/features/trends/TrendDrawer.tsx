import { useQuery } from '@tanstack/react-query';
import { Drawer } from 'antd';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { trendDays, trendEndpoints } from '#contract/trends.ts';
import { endpointQuery } from '#web/api/query.ts';
import { useFormats } from '#web/i18n/format.ts';
import { CategoryChart } from '#web/parts/chart/CategoryChart.tsx';
import type { CategoryModel, TimeModel } from '#web/parts/chart/model.ts';
import { TimeChart } from '#web/parts/chart/TimeChart.tsx';
import { useChartRange } from '#web/parts/chart/use-chart-range.ts';
import { DataState } from '#web/parts/DataState.tsx';
import { useFocusBack } from '#web/parts/use-focus-back.ts';
import type { TrendDetail as Detail } from './trends.ts';
import { useTrendWords } from './use-trend-words.ts';

const dayMs = 86_400_000;
const hourMs = 3_600_000;
const arcDays = 7;

/** The trends of one line with their formulas and data. */
export const TrendDrawer = ({ lineId, onClose }: { lineId: number; onClose: () => void }) => {
  const { t } = useTranslation('trends');
  useFocusBack();
  const query = useQuery(endpointQuery(trendEndpoints.detail, { line_id: lineId }));
  const line = query.data;
  return (
    <Drawer
      open
      onClose={onClose}
      size={720}
      title={line ? `${line.device_name} · ${line.line_n} · ${line.line_name}` : t(($) => $.title)}
    >
      <DataState query={query} rows={10}>
        {(detail) => (
          <>
            <Leakage detail={detail} />
            <Joint detail={detail} />
            {detail.arc_hours.length > 0 && <Arcs detail={detail} />}
          </>
        )}
      </DataState>
    </Drawer>
  );
};

const Leakage = ({ detail: { leakage, leakage_days } }: { detail: Detail }) => {
  const { t } = useTranslation('trends');
  const { leakageText } = useTrendWords();
  const title = t(($) => $.detail.leakage);
  const last = leakage_days.at(-1)?.at ?? 0;
  const chartRange = useChartRange(
    useMemo(() => ({ from: last - (trendDays - 1) * dayMs, to: last + dayMs }), [last]),
    'leakage_zoom',
  );
  const model = useMemo<TimeModel>(
    () => ({
      panels: [
        {
          unit: 'mA',
          fromZero: true,
          series: [
            {
              key: 'measured',
              name: t(($) => $.detail.measured),
              at: leakage_days.map(({ at }) => at),
              values: leakage_days.map(({ value }) => value),
              stepMs: dayMs,
            },
            {
              key: 'fitted',
              name: t(($) => $.detail.fitted),
              dash: 'dashed',
              at: leakage_days.map(({ at }) => at),
              values: leakage_days.map(({ fitted }) => fitted),
            },
          ],
          limits: leakage ? [{ name: t(($) => $.detail.limit), value: leakage.limit, tone: 'alarm' }] : [],
        },
      ],
    }),
    [leakage, leakage_days, t],
  );
  return (
    <section className="panel">
      <TimeChart
        title={title}
        model={model}
        chartRange={chartRange}
        height={220}
        heading={<h2>{title}</h2>}
      />
      <p>{leakageText(leakage)}</p>
      <p className="soft">{t(($) => $.detail.leakageFormula)}</p>
    </section>
  );
};

const Joint = ({ detail: { joint, joint_weeks, rated_current } }: { detail: Detail }) => {
  const { t } = useTranslation('trends');
  const formats = useFormats();
  const { jointText, amount } = useTrendWords();
  const title = t(($) => $.detail.joint);
  const model = useMemo<CategoryModel>(
    () => ({
      heading: t(($) => $.detail.week),
      labels: joint_weeks.map(({ at }) => formats.date(at)),
      unit: 'K',
      series: [
        {
          key: 'rise',
          name: t(($) => $.detail.rise),
          values: joint_weeks.map(({ rise }) => rise),
          digits: 1,
        },
      ],
    }),
    [joint_weeks, formats, t],
  );
  const known = joint_weeks.some(({ rise }) => rise !== null);
  return (
    <section className="panel">
      {known ? (
        <CategoryChart title={title} model={model} height={200} heading={<h2>{title}</h2>} />
      ) : (
        <h2>{title}</h2>
      )}
      <p>{known ? jointText(joint) : t(($) => $.detail.jointNone)}</p>
      <p className="soft">{t(($) => $.detail.jointFormula, { rated: amount(rated_current, 'A', 0) })}</p>
    </section>
  );
};

const Arcs = ({ detail: { arc_hours: hours, arcs } }: { detail: Detail }) => {
  const { t } = useTranslation('trends');
  const { arcText } = useTrendWords();
  const title = t(($) => $.detail.arcs);
  const last = hours.at(-1)?.at ?? 0;
  const chartRange = useChartRange(
    useMemo(() => ({ from: last - arcDays * dayMs, to: last + hourMs }), [last]),
    'arc_zoom',
  );
  const model = useMemo<TimeModel>(
    () => ({
      panels: [
        {
          unit: '1/h',
          fromZero: true,
          series: [
            {
              key: 'arcs',
              name: t(($) => $.detail.arcCount),
              shape: 'bar',
              at: hours.map(({ at }) => at),
              values: hours.map(({ arcs }) => arcs),
              stepMs: hourMs,
            },
          ],
        },
      ],
    }),
    [hours, t],
  );
  return (
    <section className="panel">
      <TimeChart
        title={title}
        model={model}
        chartRange={chartRange}
        height={180}
        heading={<h2>{title}</h2>}
      />
      {arcs && <p>{arcText(arcs)}</p>}
      <p className="soft">{t(($) => $.detail.arcFormula)}</p>
    </section>
  );
};
