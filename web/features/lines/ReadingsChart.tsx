import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Segmented, Select } from 'antd';
import { useCallback, useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import type { ReplyOf } from '#contract/endpoint.ts';
import { lineEndpoints } from '#contract/lines.ts';
import { endpointQuery } from '../../api/query.ts';
import { useLiveRefresh } from '../../api/use-live-refresh.ts';
import { useFormats } from '../../i18n/format.ts';
import { Chart } from '../../parts/chart/Chart.tsx';
import { frameOf, type Look } from '../../parts/chart/look.ts';
import { DataState } from '../../parts/DataState.tsx';
import { useUrlState } from '../../parts/url-state.ts';
import { useNow } from '../../values/use-now.ts';
import { useUnit } from '../../values/use-unit.ts';
import { linesQuery } from './lines.query.ts';
import {
  channelsOf,
  type Quantity,
  quantities,
  type RangeHours,
  ranges,
  readingSearch,
  units,
  withGaps,
} from './reading-search.ts';

type Series = ReplyOf<typeof lineEndpoints.series>;

/** Readings of one line over time: quantity, range and line stand in the address. */
export const ReadingsChart = ({ deviceId, deviceType }: { deviceId: number; deviceType: number }) => {
  const { t } = useTranslation('lines');
  const [search, setSearch] = useUrlState(readingSearch);
  const lines = useQuery(linesQuery(deviceId));
  const line = lines.data?.list.find(({ line_id }) => line_id === search.line) ?? lines.data?.list[0];
  return (
    <DataState query={lines} rows={8} isEmpty={({ list }) => list.length === 0} empty={t(($) => $.empty)}>
      {({ list }) => (
        <section className="panel">
          <div className="readings-tools">
            <Select
              aria-label={t(($) => $.ask.line)}
              value={line?.line_id ?? null}
              onChange={(value) => setSearch({ line: value })}
              options={list.map(({ line_id, n, name }) => ({ value: line_id, label: `${n} · ${name}` }))}
            />
            <Segmented<Quantity>
              aria-label={t(($) => $.shown.quantity)}
              value={search.q}
              onChange={(q) => setSearch({ q })}
              options={quantities
                .filter((quantity) => channelsOf(deviceType, quantity).length > 0)
                .map((value) => ({ value, label: t(($) => $.quantity[value]) }))}
            />
            <Segmented<RangeHours>
              aria-label={t(($) => $.shown.range)}
              value={search.hours}
              onChange={(hours) => setSearch({ hours })}
              options={ranges.map((value) => ({ value, label: t(($) => $.range[value]) }))}
            />
          </div>
          {line && (
            <LineSeries
              lineId={line.line_id}
              deviceId={deviceId}
              deviceType={deviceType}
              quantity={search.q}
              hours={Number(search.hours)}
            />
          )}
        </section>
      )}
    </DataState>
  );
};

const refreshMs = 5_000;
const LineSeries = ({
  lineId,
  deviceId,
  deviceType,
  quantity,
  hours,
}: {
  lineId: number;
  deviceId: number;
  deviceType: number;
  quantity: Quantity;
  hours: number;
}) => {
  // The range moves on in steps, so that the query's key stays the same between them.
  const stepMs = hours <= 1 ? 60_000 : 600_000;
  const to = (Math.floor(useNow() / stepMs) + 1) * stepMs;
  const query = useQuery({
    ...endpointQuery(lineEndpoints.series, {
      line_id: lineId,
      from: new Date(to - hours * 3_600_000).toISOString(),
      to: new Date(to).toISOString(),
      channels: channelsOf(deviceType, quantity),
    }),
    placeholderData: keepPreviousData,
  });
  useLiveRefresh(
    ['reading'],
    [lineEndpoints.series],
    refreshMs,
    (data) => hours <= 6 && 'device_id' in data && data.device_id === deviceId,
  );
  return (
    <DataState query={query} height={420} rows={10}>
      {(series) => <SeriesChart series={series} quantity={quantity} />}
    </DataState>
  );
};

const SeriesChart = ({ series, quantity }: { series: Series; quantity: Quantity }) => {
  const { t } = useTranslation('lines');
  const { t: tc } = useTranslation('common');
  const formats = useFormats();
  const unitOf = useUnit();
  const unit = unitOf(units[quantity]);
  const drawn = useMemo(
    () =>
      series.channels.map((channel) => ({
        name: channel,
        data: withGaps(series.at, series.values[channel] ?? [], series.step_s),
      })),
    [series],
  );
  const names = useMemo(
    () =>
      Object.fromEntries(
        series.channels.map((channel) => [
          channel,
          channel.includes('_') ? t(($) => $.rollup[channel as 'power_avg']) : channel,
        ]),
      ),
    [series, t],
  );
  const option = useCallback(
    (look: Look) => {
      const { base, axis } = frameOf(look);
      return {
        ...base,
        grid: { ...base.grid, bottom: 56 },
        xAxis: { type: 'time', ...axis },
        yAxis: {
          type: 'value',
          name: unit,
          scale: quantity !== 'P' && quantity !== 'E',
          ...axis,
          axisLabel: { ...axis.axisLabel, formatter: (value: number) => formats.short(value) },
        },
        dataZoom: [
          { type: 'inside', zoomOnMouseWheel: 'shift' },
          { type: 'slider', bottom: 8, height: 24, borderColor: look.palette.border },
        ],
        series: drawn.map(({ name, data }) => ({
          name: names[name],
          type: quantity === 'E' && series.resolution !== 'raw' ? 'bar' : 'line',
          symbol: 'none',
          connectNulls: false,
          lineStyle: name.endsWith('_avg') || !name.includes('_') ? { width: 2 } : { width: 1, opacity: 0.7 },
          sampling: 'lttb',
          data,
        })),
      };
    },
    [drawn, names, unit, quantity, series.resolution, formats],
  );
  return (
    <Chart
      title={`${t(($) => $.quantity[quantity])}, ${unit}`}
      option={option}
      height={420}
      empty={series.at.length === 0}
      extra={<span className="soft">{t(($) => $.resolution[series.resolution])}</span>}
      numbers={{
        columns: [tc(($) => $.chart.time), ...series.channels.map((channel) => names[channel] ?? channel)],
        rows: series.at.map((at, index) => [
          formats.dateTime(at),
          ...series.channels.map((channel) => series.values[channel]?.[index] ?? null),
        ]),
      }}
    />
  );
};
