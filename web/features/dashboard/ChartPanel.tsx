import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useMemo } from 'react';
import type * as z from 'zod';
import type { Endpoint, InputOf, ReplyOf } from '#contract/endpoint.ts';
import { endpointQuery } from '../../api/query.ts';
import { CategoryChart } from '../../parts/chart/CategoryChart.tsx';
import type { CategoryModel } from '../../parts/chart/model.ts';
import { DataState } from '../../parts/DataState.tsx';

/** A panel of the overview: one call, one chart. `modelOf` has to stay the same function between renders. */
export const ChartPanel = <Body extends z.ZodType, Reply extends z.ZodType, E extends Endpoint<Body, Reply>>({
  title,
  endpoint,
  body,
  modelOf,
  extra,
}: {
  title: string;
  endpoint: E & Endpoint<Body, Reply>;
  body: InputOf<E>;
  modelOf: (data: ReplyOf<E>) => CategoryModel;
  extra?: (data: ReplyOf<E>) => ReactNode;
}) => {
  const heading = <h2>{title}</h2>;
  const query = useQuery(endpointQuery<Body, Reply, E>(endpoint, body));
  return (
    <section className="panel datascreen-chart" aria-label={title}>
      {query.data === undefined && heading}
      <DataState query={query} height="14rem" rows={6}>
        {(data) => (
          <DrawnChart title={title} data={data} modelOf={modelOf} heading={heading} extra={extra?.(data)} />
        )}
      </DataState>
    </section>
  );
};

const DrawnChart = <Data,>({
  title,
  data,
  modelOf,
  heading,
  extra,
}: {
  title: string;
  data: Data;
  modelOf: (data: Data) => CategoryModel;
  heading: ReactNode;
  extra: ReactNode;
}) => {
  const model = useMemo(() => modelOf(data), [modelOf, data]);
  return <CategoryChart title={title} model={model} heading={heading} extra={extra} height="100%" />;
};
