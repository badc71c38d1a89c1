import { useQuery } from '@tanstack/react-query';
import { Pagination, Segmented } from 'antd';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import type { ReplyOf } from '#contract/endpoint.ts';
import { measuredKWh } from '#contract/measured.ts';
import { statisticsEndpoints } from '#contract/statistics.ts';
import { keptQuery } from '#web/api/query.ts';
import { useFormats } from '#web/i18n/format.ts';
import { CategoryChart } from '#web/parts/chart/CategoryChart.tsx';
import type { CategoryModel } from '#web/parts/chart/model.ts';
import { ExportButton } from '#web/parts/ExportButton.tsx';
import type { SetUrl } from '#web/parts/url-state.ts';
import { type EnergyColumn, EnergyTable } from './EnergyTable.tsx';
import { Figures, type ShownFigure } from './Figures.tsx';
import { Ledger } from './Ledger.tsx';
import { isGuessed, useMarks } from './marks.ts';
import { SourcePanel } from './SourcePanel.tsx';
import { StatisticsScreen } from './StatisticsScreen.tsx';
import { type EnergyUnit, useEnergyUnit } from './use-energy-unit.ts';
import { usePlaceColumns } from './use-place-columns.tsx';
import { type OfProject, type StatisticsPlace, useTarget } from './use-target.ts';
import { fullLabelOf, labelOf, useZoned } from './zoned.ts';

type Energy = ReplyOf<typeof statisticsEndpoints.energy>;
const rowsAtOnce = 20;

/** Energy of a project, part, device or line over time, down to its registers. */
export const EnergyPage = ({ project }: OfProject) => {
  const { t } = useTranslation('statistics');
  const place = useTarget(project);
  const { search, asked, ready } = place;
  const split = search.split === undefined ? {} : { split: search.split };
  const query = useQuery({
    ...keptQuery(statisticsEndpoints.energy, {
      ...asked,
      ...split,
      page: search.page,
      limit: rowsAtOnce,
    }),
    enabled: ready,
  });
  return (
    <StatisticsScreen
      place={place}
      name={t(($) => $.title.energy)}
      query={query}
      totalOf={({ total }) => total}
      exportButton={(fileName) => (
        <ExportButton
          disabled={!ready}
          endpoint={statisticsEndpoints.energyExport}
          body={{ ...asked, ...split }}
          fileName={fileName}
        />
      )}
      withUnit
      {...(project ? { project } : {})}
    >
      {(energy) => <EnergyView energy={energy} place={place} />}
    </StatisticsScreen>
  );
};

const EnergyView = ({ energy, place }: { energy: Energy; place: StatisticsPlace }) => {
  const { t } = useTranslation('statistics');
  const formats = useFormats();
  const { head, total, buckets, incoming, loss_kwh } = energy;
  const unit = useEnergyUnit(place.search.unit, total.kwh);
  const zoned = useZoned(head.time_zone);
  const figures: ShownFigure[] = [
    { name: t(($) => $.total), value: unit.full(measuredKWh(total)) },
    {
      name: t(($) => $.coverage),
      value: total.coverage === null ? '—' : formats.percent(total.coverage),
    },
    ...(total.estimated_kwh > 0
      ? [{ name: t(($) => $.estimated), value: unit.full(total.estimated_kwh) }]
      : []),
    ...(total.corrected_kwh !== 0
      ? [{ name: t(($) => $.corrected), value: unit.full(total.corrected_kwh) }]
      : []),
    ...(incoming
      ? [
          {
            name: t(($) => $.difference),
            value: unit.full(incoming.difference_kwh),
            note: `${t(($) => $.incoming)} ${unit.full(incoming.incoming_kwh)} − ${t(($) => $.supplied)} ${unit.full(incoming.lines_kwh)}`,
          },
        ]
      : []),
    ...(loss_kwh === null ? [] : [{ name: t(($) => $.loss), value: unit.full(loss_kwh) }]),
  ];
  const model = useMemo(
    (): CategoryModel => ({
      heading: t(($) => $.time),
      unit: unit.name,
      labels: buckets.map(({ at }) => labelOf(zoned, head.by, at)),
      fullLabels: buckets.map(({ at }) => fullLabelOf(zoned, head.by, at)),
      series: [
        {
          key: 'kwh',
          name: t(($) => $.total),
          values: buckets.map((bucket) => unit.scaled(measuredKWh(bucket))),
          estimated: buckets.map(isGuessed),
          digits: 2,
        },
      ],
    }),
    [buckets, zoned, head.by, unit.name, unit.scaled, t],
  );
  const zoomTo = (at: string) => {
    if (head.by === 'hour') return;
    place.setSearch(
      {
        period: head.by === 'month' ? 'month' : 'day',
        date: zoned.calendar(at),
        first_day: undefined,
        last_day: undefined,
        page: undefined,
      },
      { push: true },
    );
  };
  return (
    <>
      <Figures figures={figures} />
      <div className="energy-panels">
        <section className="panel">
          <CategoryChart
            title={t(($) => $.byTime)}
            heading={<h2>{t(($) => $.byTime)}</h2>}
            model={model}
            height={300}
            onPick={(index) => {
              const bucket = buckets[index];
              if (bucket) zoomTo(bucket.at);
            }}
          />
          {head.by !== 'hour' && <p className="soft no-print">{t(($) => $.drill)}</p>}
        </section>
        {energy.split !== null && (
          <Members
            energy={energy}
            split={energy.split}
            unit={unit}
            place={place}
            onAddress={place.setSearch}
          />
        )}
        {head.kind === 'line' ? (
          <SourcePanel lineId={head.id} asked={place.asked} unit={unit} />
        ) : (
          <Buckets energy={energy} unit={unit} onOpen={head.by === 'hour' ? null : zoomTo} />
        )}
        {(head.kind === 'line' || head.kind === 'project') && (
          <Ledger
            {...(head.kind === 'line' ? { line_id: head.id } : { project_id: head.id })}
            timeZone={head.time_zone}
          />
        )}
      </div>
    </>
  );
};

const Buckets = ({
  energy: { head, buckets, total },
  unit,
  onOpen,
}: {
  energy: Energy;
  unit: EnergyUnit;
  onOpen: ((at: string) => void) | null;
}) => {
  const { t } = useTranslation('statistics');
  const formats = useFormats();
  const zoned = useZoned(head.time_zone);
  const marksOf = useMarks();
  const share = (value: number | null) => (value === null ? '—' : formats.percent(value));
  const columns: EnergyColumn<Energy['buckets'][number]>[] = [
    {
      key: 'time',
      title: t(($) => $.time),
      render: ({ at }) =>
        onOpen ? (
          <button type="button" className="link-button" onClick={() => onOpen(at)}>
            {fullLabelOf(zoned, head.by, at)}
          </button>
        ) : (
          fullLabelOf(zoned, head.by, at)
        ),
      total: t(($) => $.sum),
    },
    {
      key: 'kwh',
      title: unit.name,
      number: true,
      render: (bucket) => unit.text(measuredKWh(bucket)),
      total: unit.text(measuredKWh(total)),
    },
    {
      key: 'estimated',
      title: t(($) => $.estimated),
      number: true,
      render: ({ estimated_kwh }) => (estimated_kwh === 0 ? '' : unit.text(estimated_kwh)),
      total: total.estimated_kwh === 0 ? '' : unit.text(total.estimated_kwh),
    },
    {
      key: 'coverage',
      title: t(($) => $.coverage),
      number: true,
      render: ({ coverage }) => share(coverage),
      total: share(total.coverage),
    },
    { key: 'notes', title: t(($) => $.notes), render: ({ marks }) => marksOf(marks), total: '' },
  ];
  return (
    <section className="panel">
      <EnergyTable
        label={t(($) => $.byTime)}
        columns={columns}
        rows={buckets}
        rowKey={({ at }) => at}
        guessed={isGuessed}
      />
    </section>
  );
};

const splitsOf = {
  project: ['part', 'device', 'line'],
  part: ['device', 'line'],
  device: ['line'],
  line: [],
} as const;
const Members = ({
  energy: { head, members, members_total },
  split,
  unit,
  place,
  onAddress,
}: {
  energy: Energy;
  split: 'part' | 'device' | 'line';
  unit: EnergyUnit;
  place: StatisticsPlace;
  onAddress: SetUrl;
}) => {
  const { t } = useTranslation('statistics');
  const formats = useFormats();
  const marksOf = useMarks();
  type Member = Omit<Energy['members'][number], 'kwh'> & { kwh: number | null };
  const columns: EnergyColumn<Member>[] = [
    ...usePlaceColumns<Member>(head.project_id, unit, onAddress),
    {
      key: 'coverage',
      title: t(($) => $.coverage),
      number: true,
      render: ({ coverage }) => (coverage === null ? '—' : formats.percent(coverage)),
    },
    { key: 'notes', title: t(($) => $.notes), render: ({ marks }) => marksOf(marks) },
  ];
  const splits = splitsOf[head.kind];
  return (
    <section className="panel">
      <div className="energy-head">
        <h2>{t(($) => $.members.title)}</h2>
        {splits.length > 1 && (
          <Segmented<'part' | 'device' | 'line'>
            className="no-print"
            aria-label={t(($) => $.members.label)}
            value={split}
            onChange={(next) => onAddress({ split: next, page: undefined })}
            options={splits.map((value) => ({ value, label: t(($) => $.members[value]) }))}
          />
        )}
      </div>
      <EnergyTable
        label={t(($) => $.members.title)}
        columns={columns}
        rows={members.map((member) => ({ ...member, kwh: measuredKWh(member) }))}
        rowKey={({ kind, id }) => `${kind}${id}`}
        guessed={isGuessed}
      />
      {members_total > rowsAtOnce && (
        <Pagination
          className="no-print"
          size="small"
          align="end"
          current={place.search.page}
          pageSize={rowsAtOnce}
          total={members_total}
          showSizeChanger={false}
          onChange={(page) => onAddress({ page })}
        />
      )}
    </section>
  );
};
