import { useQuery } from '@tanstack/react-query';
import { Segmented, Select } from 'antd';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import type { InputOf } from '#contract/endpoint.ts';
import { lineEndpoints } from '#contract/lines.ts';
import { endpointQuery } from '#web/api/query.ts';
import { useLiveRefresh } from '#web/api/use-live-refresh.ts';
import { useFormats } from '#web/i18n/format.ts';
import { TimeChart } from '#web/parts/chart/TimeChart.tsx';
import { type ChartRange, useChartRange } from '#web/parts/chart/use-chart-range.ts';
import { DataState } from '#web/parts/DataState.tsx';
import { ExportButton } from '#web/parts/ExportButton.tsx';
import { useUrlState } from '#web/parts/url-state.ts';
import { useNow } from '#web/values/use-now.ts';
import { useUnit } from '#web/values/use-unit.ts';
import { linesQuery } from './lines.query.ts';
import {
  channelsOf,
  type Quantity,
  quantities,
  type RangeHours,
  ranges,
  readingSearch,
  units,
} from './reading-search.ts';
import { type Series, seriesModel } from './series-model.ts';

/** Readings of one line over time: quantity, range and line are in the address. */
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
              onChange={(hours) => setSearch({ hours, zoom: undefined })}
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
const hourMs = 3_600_000;
/** How far back a range may be moved: as long as days are stored. */
const longestMs = 3 * 366 * 24 * hourMs;
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
  // The range moves in steps, so that the query's key is constant in between.
  const stepMs = hours <= 1 ? 60_000 : 600_000;
  const to = (Math.floor(useNow() / stepMs) + 1) * stepMs;
  const chartRange = useChartRange(
    useMemo(() => ({ from: to - hours * hourMs, to }), [to, hours]),
    'zoom',
    useMemo(() => ({ from: to - longestMs, to }), [to]),
  );
  const { range, zoomed } = chartRange;
  const asked = {
    line_id: lineId,
    from: new Date(range.from).toISOString(),
    to: new Date(range.to).toISOString(),
    channels: channelsOf(deviceType, quantity),
  };
  const query = useQuery({
    ...endpointQuery(lineEndpoints.series, asked),
    // While another range is loaded, the readings of the same line and quantity stay.
    placeholderData: (before: Series | undefined, query) => {
      const former = query?.queryKey[1];
      const isSame = former?.line_id === lineId && String(former.channels) === String(asked.channels);
      return isSame ? before : undefined;
    },
  });
  useLiveRefresh(
    ['reading'],
    [lineEndpoints.series],
    refreshMs,
    (data) => hours <= 6 && !zoomed && 'device_id' in data && data.device_id === deviceId,
  );
  return (
    <DataState query={query} height={420} rows={10}>
      {(series) => <SeriesChart series={series} quantity={quantity} chartRange={chartRange} asked={asked} />}
    </DataState>
  );
};

const SeriesChart = ({
  series,
  quantity,
  chartRange,
  asked,
}: {
  series: Series;
  quantity: Quantity;
  chartRange: ChartRange;
  asked: InputOf<typeof lineEndpoints.exportSeries>;
}) => {
  const { t } = useTranslation('lines');
  const unit = useUnit()(units[quantity]);
  const formats = useFormats();
  const model = useMemo(
    () =>
      seriesModel(
        series,
        quantity,
        unit,
        Object.fromEntries(
          series.channels.map((channel) => [
            channel,
            channel.includes('_') ? t(($) => $.rollup[channel as 'power_avg']) : channel,
          ]),
        ),
      ),
    [series, quantity, unit, t],
  );
  return (
    <TimeChart
      title={`${t(($) => $.quantity[quantity])}, ${unit}`}
      model={model}
      chartRange={chartRange}
      height={420}
      extra={
        <>
          <span className="soft">
            {series.kept_from === null
              ? t(($) => $.resolution[series.resolution])
              : t(($) => $.keptFrom, { day: formats.day(series.kept_from.slice(0, 10)) })}
          </span>{' '}
          <ExportButton
            endpoint={lineEndpoints.exportSeries}
            body={asked}
            fileName={t(($) => $.quantity[quantity])}
          />
        </>
      }
    />
  );
};
