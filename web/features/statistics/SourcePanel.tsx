import { useQuery } from '@tanstack/react-query';
import { App, Button, Select } from 'antd';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { ReplyOf } from '#contract/endpoint.ts';
import { measuredKWh } from '#contract/measured.ts';
import { statisticsEndpoints } from '#contract/statistics.ts';
import { attempt } from '#web/api/attempt.ts';
import { call } from '#web/api/call.ts';
import { filled } from '#web/api/filled.ts';
import { keptQuery } from '#web/api/query.ts';
import { useCan } from '#web/api/session.ts';
import { useFormats } from '#web/i18n/format.ts';
import { DataState } from '#web/parts/DataState.tsx';
import { lateDialog, useDialogsAhead } from '#web/parts/late-dialog.tsx';
import { useConfirm } from '#web/parts/use-confirm.ts';
import { useUnit } from '#web/values/use-unit.ts';
import type { Correctable } from './CorrectDrawer.tsx';
import { type EnergyColumn, EnergyTable } from './EnergyTable.tsx';
import { isGuessed, useMarks } from './marks.ts';
import { useReloadFigures } from './stale.ts';
import type { EnergyUnit } from './use-energy-unit.ts';
import type { StatisticsPlace } from './use-target.ts';
import { fullLabelOf, useZoned } from './zoned.ts';

const CorrectDrawer = lateDialog(async () => (await import('./CorrectDrawer.tsx')).CorrectDrawer);

type Source = ReplyOf<typeof statisticsEndpoints.source>;
type Row = Source['rows'][number];

/**
 * How the energy of a line was calculated: the registers at the ends of each row, and the events in between.
 */
export const SourcePanel = ({
  lineId,
  asked: { period, ...rest },
  unit,
}: {
  lineId: number;
  asked: StatisticsPlace['asked'];
  unit: EnergyUnit;
}) => {
  const { t } = useTranslation('statistics');
  useDialogsAhead(CorrectDrawer);
  const { date, first_day, last_day } = rest as Partial<Record<'date' | 'first_day' | 'last_day', string>>;
  const query = useQuery(
    keptQuery(statisticsEndpoints.source, {
      line_id: lineId,
      period,
      ...filled({ date, first_day, last_day }),
    }),
  );
  return (
    <section className="panel">
      <h2>{t(($) => $.source.title)}</h2>
      <DataState query={query} rows={8}>
        {(source) => <SourceView source={source} lineId={lineId} unit={unit} />}
      </DataState>
    </section>
  );
};

const SourceView = ({ source, lineId, unit }: { source: Source; lineId: number; unit: EnergyUnit }) => {
  const { t } = useTranslation('statistics');
  const formats = useFormats();
  const unitOf = useUnit();
  const zoned = useZoned(source.head.time_zone);
  const marksOf = useMarks();
  const mayCorrect = useCan('energy.correct');
  const [chosen, setChosen] = useState<Correctable | null>(null);
  const register = (kwh: number | null, at: string | null) =>
    kwh === null || at === null ? (
      '—'
    ) : (
      <>
        {formats.number(kwh, 2)} <small className="soft">{zoned.exact(at)}</small>
      </>
    );
  const kW = (value: number) => `${formats.number(value, 1)}\u00a0${unitOf('kW')}`;
  const now = Date.parse(source.head.to);
  const columns: EnergyColumn<Row>[] = [
    {
      key: 'time',
      title: t(($) => $.time),
      render: ({ at }) => fullLabelOf(zoned, source.head.by, at),
      total: t(($) => $.sum),
    },
    {
      key: 'first',
      title: t(($) => $.source.first),
      number: true,
      render: (row) => register(row.first_kwh, row.first_at),
    },
    {
      key: 'last',
      title: t(($) => $.source.last),
      number: true,
      render: (row) => register(row.last_kwh, row.last_at),
    },
    {
      key: 'registered',
      title: t(($) => $.source.registered),
      number: true,
      render: ({ registered_kwh }) => (registered_kwh === null ? '—' : formats.number(registered_kwh, 2)),
    },
    {
      key: 'edges',
      title: t(($) => $.source.edges),
      number: true,
      render: ({ registered_kwh, kwh }) =>
        registered_kwh === null ? '—' : formats.number(kwh - registered_kwh, 2),
    },
    {
      key: 'kwh',
      title: unit.name,
      number: true,
      render: (row) => unit.text(measuredKWh(row)),
      total: unit.text(measuredKWh(source.total)),
    },
    {
      key: 'coverage',
      title: t(($) => $.coverage),
      number: true,
      render: ({ coverage }) => (coverage === null ? '—' : formats.percent(coverage)),
      total: source.total.coverage === null ? '—' : formats.percent(source.total.coverage),
    },
    {
      key: 'notes',
      title: t(($) => $.notes),
      render: ({ marks, resets }) => `${marksOf(marks)}${resets > 1 ? ` × ${resets}` : ''}`,
    },
    ...(mayCorrect
      ? [
          {
            key: 'act',
            title: '',
            render: (row: Row) =>
              row.coverage !== null &&
              Date.parse(row.to) <= now &&
              !(source.head.running && row === source.rows.findLast(({ coverage }) => coverage !== null)) && (
                <Button
                  className="energy-act"
                  size="small"
                  onClick={() => setChosen({ line_id: lineId, from: row.at, to: row.to, kwh: row.kwh })}
                >
                  {t(($) => $.correct.open)}
                </Button>
              ),
          },
        ]
      : []),
  ];
  return (
    <>
      <p className="soft">
        {t(($) => $.source.facts, {
          interval: formats.interval(source.upload_seconds),
          rated: kW(source.rated_kw),
        })}{' '}
        {source.proven_kw !== null && t(($) => $.source.proven, { proven: kW(source.proven_kw) })}{' '}
        {t(($) => $.source.text)}
      </p>
      {mayCorrect && <Meters lineId={lineId} supplies={source.supplies} />}
      <EnergyTable
        label={t(($) => $.source.title)}
        columns={columns}
        rows={source.rows}
        rowKey={({ at }) => at}
        guessed={isGuessed}
      />
      {chosen && (
        <CorrectDrawer what={chosen} timeZone={source.head.time_zone} onClose={() => setChosen(null)} />
      )}
    </>
  );
};

/** What the line meters; a change first shows its consequence. */
const Meters = ({ lineId, supplies }: { lineId: number; supplies: Source['supplies'] }) => {
  const { t } = useTranslation('statistics');
  const { message } = App.useApp();
  const confirm = useConfirm();
  const reload = useReloadFigures();
  const choose = async (next: Source['supplies']) => {
    const sure = await confirm({
      title: t(($) => $.source.metersAsk),
      content: `${t(($) => $.source[next])}. ${t(($) => $.source.metersText)}`,
      okText: t(($) => $.source.metersAct),
    });
    if (!sure) return;
    await attempt(async () => {
      await call(statisticsEndpoints.incoming, { line_id: lineId, supplies: next });
      void message.success(t(($) => $.source[next]));
      await reload();
    });
  };
  return (
    <p className="energy-act">
      {t(($) => $.source.meters)}{' '}
      <Select
        aria-label={t(($) => $.source.meters)}
        value={supplies}
        popupMatchSelectWidth={false}
        onChange={(next) => void choose(next)}
        options={(['none', 'device', 'project'] as const).map((value) => ({
          value,
          label: t(($) => $.source[value]),
        }))}
      />
    </p>
  );
};
