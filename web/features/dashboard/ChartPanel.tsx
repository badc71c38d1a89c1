import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useMemo } from 'react';
import type * as z from 'zod';
import type { Endpoint, InputOf, ReplyOf } from '#contract/endpoint.ts';
import { endpointQuery } from '#web/api/query.ts';
import type { CategoryModel } from '#web/parts/chart/model.ts';
import { DataState } from '#web/parts/DataState.tsx';
import { late } from '#web/parts/late.tsx';
import { useGo } from '#web/parts/PathLink.tsx';

const CategoryChart = late(async () => (await import('#web/parts/chart/CategoryChart.tsx')).CategoryChart);

/** A panel of the overview: one call, one chart. `modelOf` must be the same function in every render. */
export const ChartPanel = <Body extends z.ZodType, Reply extends z.ZodType, E extends Endpoint<Body, Reply>>({
  title,
  endpoint,
  body,
  modelOf,
  extra,
  placeOf,
}: {
  title: string;
  endpoint: E & Endpoint<Body, Reply>;
  body: InputOf<E>;
  modelOf: (data: ReplyOf<E>) => CategoryModel;
  extra?: (data: ReplyOf<E>) => ReactNode;
  /** The address of the list that a category counts. */
  placeOf?: (data: ReplyOf<E>, index: number) => string | undefined;
}) => {
  const heading = <h2>{title}</h2>;
  const go = useGo();
  const query = useQuery(endpointQuery<Body, Reply, E>(endpoint, body));
  return (
    <section className="panel datascreen-chart" aria-label={title}>
      {query.data === undefined && heading}
      <DataState query={query} height="14rem" rows={6}>
        {(data) => (
          <DrawnChart
            title={title}
            data={data}
            modelOf={modelOf}
            heading={heading}
            extra={extra?.(data)}
            {...(placeOf
              ? {
                  onPick: (index: number) => {
                    const place = placeOf(data, index);
                    if (place !== undefined) go(place);
                  },
                }
              : {})}
          />
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
  onPick,
}: {
  title: string;
  data: Data;
  modelOf: (data: Data) => CategoryModel;
  heading: ReactNode;
  extra: ReactNode;
  onPick?: (index: number) => void;
}) => {
  const model = useMemo(() => modelOf(data), [modelOf, data]);
  return (
    <CategoryChart
      title={title}
      model={model}
      heading={heading}
      extra={extra}
      height="100%"
      {...(onPick ? { onPick } : {})}
    />
  );
};
