import { useQuery } from '@tanstack/react-query';
import { Button, Segmented } from 'antd';
import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { ReplyOf } from '#contract/endpoint.ts';
import type { Language } from '#contract/languages.ts';
import { measuredKWh } from '#contract/measured.ts';
import { statisticsEndpoints } from '#contract/statistics.ts';
import { tariffBandWords } from '#contract/statistics-columns.ts';
import { keptQuery } from '#web/api/query.ts';
import { useFormats } from '#web/i18n/format.ts';
import { CategoryChart } from '#web/parts/chart/CategoryChart.tsx';
import type { CategoryModel } from '#web/parts/chart/model.ts';
import { ExportButton } from '#web/parts/ExportButton.tsx';
import { lateDialog, useDialogsAhead } from '#web/parts/late-dialog.tsx';
import { useUnit } from '#web/values/use-unit.ts';
import { type EnergyColumn, EnergyTable } from './EnergyTable.tsx';
import { Figures, type ShownFigure } from './Figures.tsx';
import { isGuessed } from './marks.ts';
import { StatisticsScreen } from './StatisticsScreen.tsx';
import { type EnergyUnit, useEnergyUnit } from './use-energy-unit.ts';
import { usePlaceColumns } from './use-place-columns.tsx';
import { type OfProject, type StatisticsPlace, useTarget } from './use-target.ts';
import { fullLabelOf, labelOf, useZoned } from './zoned.ts';

const TariffDrawer = lateDialog(async () => (await import('./TariffDrawer.tsx')).TariffDrawer);

type Electricity = ReplyOf<typeof statisticsEndpoints.electricity>;
const ranked = 20;
const splits = ['part', 'device', 'line'] as const;

/** Energy with its cost and CO₂, by tariff band, compared with earlier periods, and ranked. */
export const ElectricityPage = ({ project }: OfProject) => {
  const { t } = useTranslation('statistics');
  useDialogsAhead(TariffDrawer);
  const place = useTarget(project);
  const { search, asked, ready } = place;
  const [tariff, setTariff] = useState(false);
  const query = useQuery({
    ...keptQuery(statisticsEndpoints.electricity, { ...asked, ranking: search.ranking, limit: ranked }),
    enabled: ready,
  });
  const head = query.data?.head;
  return (
    <>
      <StatisticsScreen
        place={place}
        name={t(($) => $.title.electricity)}
        query={query}
        totalOf={({ total }) => total}
        tools={<Button onClick={() => setTariff(true)}>{t(($) => $.tariff.open)}</Button>}
        exportButton={(fileName) => (
          <ExportButton
            disabled={!ready}
            endpoint={statisticsEndpoints.electricityExport}
            body={asked}
            fileName={fileName}
          />
        )}
        withUnit
        {...(project ? { project } : {})}
      >
        {(found) => <ElectricityView found={found} place={place} />}
      </StatisticsScreen>
      {tariff && (
        <TariffDrawer
          projectId={head?.project_id ?? null}
          projectName={head?.path[0]?.name ?? head?.name ?? ''}
          onClose={() => setTariff(false)}
        />
      )}
    </>
  );
};

const ElectricityView = ({ found, place }: { found: Electricity; place: StatisticsPlace }) => {
  const { t } = useTranslation('statistics');
  const { head, total, bands, buckets } = found;
  const unit = useEnergyUnit(place.search.unit, total.kwh);
  const zoned = useZoned(head.time_zone);
  const figures = useElectricityFigures(found, unit);
  const labels = useMemo(
    () => ({
      heading: t(($) => $.time),
      unit: unit.name,
      labels: buckets.map(({ at }) => labelOf(zoned, head.by, at)),
      fullLabels: buckets.map(({ at }) => fullLabelOf(zoned, head.by, at)),
    }),
    [buckets, zoned, head.by, unit.name, t],
  );
  const comparison: CategoryModel = {
    ...labels,
    series: [
      {
        key: 'kwh',
        name: t(($) => $.total),
        values: buckets.map((bucket) => unit.scaled(measuredKWh(bucket))),
        estimated: buckets.map(isGuessed),
        digits: 2,
      },
      {
        key: 'previous',
        name: t(($) => $.electricity.previous),
        shape: 'line',
        values: buckets.map(({ previous_kwh }) => unit.scaled(previous_kwh)),
        digits: 2,
      },
      {
        key: 'year',
        name: t(($) => $.electricity.yearBefore),
        shape: 'line',
        values: buckets.map(({ year_before_kwh }) => unit.scaled(year_before_kwh)),
        digits: 2,
      },
    ],
  };
  return (
    <>
      <Figures figures={figures} />
      <div className="energy-panels">
        <section className="panel">
          <CategoryChart
            title={t(($) => $.electricity.compared)}
            heading={<h2>{t(($) => $.electricity.compared)}</h2>}
            model={comparison}
            height={300}
            printed
          />
        </section>
        {bands.length > 0 && <Bands found={found} unit={unit} labels={labels} />}
        {head.kind !== 'line' && <Ranking found={found} unit={unit} place={place} />}
      </div>
    </>
  );
};

/** '12.30 CNY · 4.10 EUR', or a dash without costs. */
const useMoney = () => {
  const formats = useFormats();
  return (amounts: Electricity['costs']) =>
    amounts.map(({ currency, amount }) => `${formats.number(amount, 2)} ${currency}`).join(' · ') || '—';
};

const useElectricityFigures = (found: Electricity, unit: EnergyUnit): ShownFigure[] => {
  const { t } = useTranslation('statistics');
  const formats = useFormats();
  const { head, total, previous, year_before, tariff, costs, co2_kg } = found;
  const zoned = useZoned(head.time_zone);
  const growth = useGrowth();
  const unitOf = useUnit();
  const money = useMoney();
  const compared = (before: Electricity['previous']) =>
    before.coverage === null
      ? t(($) => $.electricity.nothing)
      : before.begins === null
        ? unit.full(measuredKWh(before))
        : t(($) => $.electricity.partly, { energy: unit.full(before.kwh), day: zoned.day(before.begins) });
  return [
    { name: t(($) => $.total), value: unit.full(measuredKWh(total)) },
    {
      name: t(($) => $.electricity.previous),
      value: growth(previous.growth),
      note: compared(previous),
    },
    {
      name: t(($) => $.electricity.yearBefore),
      value: growth(year_before.growth),
      note: compared(year_before),
    },
    {
      name: t(($) => $.electricity.cost),
      value: money(measuredKWh(total) === null ? [] : costs),
      note: tariff
        ? t(($) => $.electricity.tariffSince, {
            day: formats.day(tariff.valid_from),
            place: t(($) => (tariff.of_project ? $.electricity.ofProject : $.electricity.ofAll)),
          })
        : t(($) => $.electricity.noTariff),
    },
    ...(co2_kg === null
      ? []
      : [{ name: t(($) => $.electricity.co2), value: `${formats.number(co2_kg, 1)}\u00a0${unitOf('kg')}` }]),
  ];
};

/** Energy and cost by tariff band. */
const Bands = ({
  found: { bands, buckets, total, costs, untariffed_kwh },
  unit,
  labels,
}: {
  found: Electricity;
  unit: EnergyUnit;
  labels: Pick<CategoryModel, 'heading' | 'unit' | 'labels' | 'fullLabels'>;
}) => {
  const { t, i18n } = useTranslation('statistics');
  const formats = useFormats();
  const money = useMoney();
  const isKnown = measuredKWh(total) !== null;
  const bandName = (band: Electricity['bands'][number]['band']) =>
    tariffBandWords[band][i18n.language as Language];
  const banded: CategoryModel = {
    ...labels,
    series: bands.map(({ band }) => ({
      key: band,
      name: bandName(band),
      stack: 'bands',
      values: buckets.map((bucket) => unit.scaled(bucket.bands[band] ?? null)),
      digits: 2,
    })),
  };
  return (
    <section className="panel">
      <CategoryChart
        title={t(($) => $.electricity.bands)}
        heading={<h2>{t(($) => $.electricity.bands)}</h2>}
        model={banded}
        height={260}
      />
      <EnergyTable
        label={t(($) => $.electricity.bands)}
        rows={bands}
        rowKey={({ band }) => band}
        columns={[
          {
            key: 'band',
            title: t(($) => $.tariff.band),
            render: ({ band }) => bandName(band),
            total: t(($) => $.sum),
          },
          {
            key: 'kwh',
            title: unit.name,
            number: true,
            render: ({ kwh }) => unit.text(isKnown ? kwh : null),
            total: unit.text(isKnown ? total.kwh - untariffed_kwh : null),
          },
          {
            key: 'share',
            title: t(($) => $.share),
            number: true,
            render: ({ kwh }) => (total.kwh > 0 ? formats.percent(kwh / total.kwh) : '—'),
            total: '',
          },
          {
            key: 'cost',
            title: t(($) => $.electricity.cost),
            number: true,
            render: (row) => money(isKnown ? row.costs : []),
            total: money(isKnown ? costs : []),
          },
        ]}
      />
      {untariffed_kwh > 0.005 && (
        <p className="soft">
          {t(($) => $.electricity.untariffed)}
          {formats.colon}
          {unit.full(untariffed_kwh)}
        </p>
      )}
    </section>
  );
};

/** '+4.2 %', or a dash if there is nothing to compare with. */
const useGrowth = () => {
  const formats = useFormats();
  return (growth: number | null) =>
    growth === null ? '—' : `${growth > 0 ? '+' : ''}${formats.percent(growth)}`;
};

const Ranking = ({
  found: { head, ranking, ranking_total },
  unit,
  place: { search, setSearch },
}: {
  found: Electricity;
  unit: EnergyUnit;
  place: StatisticsPlace;
}) => {
  const { t } = useTranslation('statistics');
  const growth = useGrowth();
  type Row = Electricity['ranking'][number];
  const columns: EnergyColumn<Row>[] = [
    { key: 'place', title: '№', number: true, render: (row) => ranking.indexOf(row) + 1 },
    ...usePlaceColumns<Row>(head.project_id, unit, setSearch),
    {
      key: 'previous',
      title: t(($) => $.electricity.previous),
      number: true,
      render: ({ previous_kwh }) => unit.text(previous_kwh),
    },
    {
      key: 'growth',
      title: t(($) => $.electricity.growth),
      number: true,
      render: (row) => growth(row.growth),
    },
  ];
  return (
    <section className="panel">
      <div className="energy-head">
        <h2>{t(($) => $.electricity.ranking)}</h2>
        <Segmented<(typeof splits)[number]>
          className="no-print"
          aria-label={t(($) => $.members.label)}
          value={search.ranking}
          onChange={(next) => setSearch({ ranking: next })}
          options={splits.map((value) => ({ value, label: t(($) => $.members[value]) }))}
        />
        {ranking_total > ranking.length && (
          <span className="soft">
            {ranking.length} / {ranking_total}
          </span>
        )}
      </div>
      <EnergyTable
        label={t(($) => $.electricity.ranking)}
        columns={columns}
        rows={ranking}
        rowKey={({ kind, id }) => `${kind}${id}`}
      />
    </section>
  );
};
