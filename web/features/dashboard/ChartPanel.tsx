import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useCallback } from 'react';
import type * as z from 'zod';
import type { Endpoint, InputOf, ReplyOf } from '#contract/endpoint.ts';
import { endpointQuery } from '../../api/query.ts';
import { Chart, type ChartProps } from '../../parts/chart/Chart.tsx';
import type { Look } from '../../parts/chart/look.ts';
import { DataState } from '../../parts/DataState.tsx';

type Drawing = ReturnType<ChartProps['option']>;

/** A panel of the overview: one call, one chart. */
export const ChartPanel = <Body extends z.ZodType, Reply extends z.ZodType, E extends Endpoint<Body, Reply>>({
  title,
  endpoint,
  body,
  draw,
  numbers,
  extra,
  onPick,
}: {
  title: string;
  endpoint: E & Endpoint<Body, Reply>;
  body: InputOf<E>;
  draw: (data: ReplyOf<E>, look: Look) => Drawing;
  numbers: (data: ReplyOf<E>) => ChartProps['numbers'];
  extra?: (data: ReplyOf<E>) => ReactNode;
  onPick?: ChartProps['onPick'];
}) => {
  const heading = <h2>{title}</h2>;
  const query = useQuery(endpointQuery<Body, Reply, E>(endpoint, body));
  return (
    <section className="panel datascreen-chart" aria-label={title}>
      {query.data === undefined && heading}
      <DataState query={query} height="14rem" rows={6}>
        {(data) => (
          <DrawnChart
            title={title}
            data={data}
            draw={draw}
            numbers={numbers(data)}
            heading={heading}
            extra={extra?.(data)}
            {...(onPick ? { onPick } : {})}
          />
        )}
      </DataState>
    </section>
  );
};

const DrawnChart = <Data,>({
  data,
  draw,
  ...chart
}: { data: Data; draw: (data: Data, look: Look) => Drawing } & Omit<ChartProps, 'option'>) => {
  const option = useCallback((look: Look) => draw(data, look), [data, draw]);
  return <Chart {...chart} option={option} height="100%" />;
};
