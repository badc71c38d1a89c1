import {
  focusManager,
  keepPreviousData,
  type Query,
  QueryCache,
  QueryClient,
  type QueryKey,
  queryOptions,
  useQueryClient,
} from '@tanstack/react-query';
import type * as z from 'zod';
import type { Endpoint, InputOf, ReplyOf } from '#contract/endpoint.ts';
import { announceLoad } from './announce.ts';
import { type CallOptions, call } from './call.ts';
import { Fault, isNetworkFault, localFault } from './fault.ts';
import { takeFromFrame } from './frame.ts';
import { useLink } from './link-state.ts';
import { useSessionEnd } from './session-end.ts';

const pollMs = 10_000;
// After the session has ended nothing is refetched at intervals, as in a window without focus.
useSessionEnd.subscribe(({ over }) => focusManager.setFocused(over ? false : undefined));

/** A refresh of shown data that has no answer for this long counts as failed until the answer comes. */
const overdueMs = 12_000;
/**
 * Marks overdue refreshes as failed, so that everything that depends on their data treats them as any other failure. A
 * repeated attempt is no answer: it neither ends the mark nor begins the wait again.
 */
const markOverdue = (client: QueryClient): QueryClient => {
  const timers = new Map<Query, number>();
  client.getQueryCache().subscribe(({ type, query }) => {
    const { fetchStatus, data, error } = query.state;
    const isWaiting =
      type !== 'removed' && fetchStatus === 'fetching' && data !== undefined && error === null;
    if (isWaiting === timers.has(query)) return;
    window.clearTimeout(timers.get(query));
    timers.delete(query);
    const mark = () => query.setState({ error: localFault('overdue'), status: 'error' });
    if (isWaiting) timers.set(query, window.setTimeout(mark, overdueMs));
  });
  return client;
};

export const makeQueryClient = (): QueryClient =>
  markOverdue(
    new QueryClient({
      queryCache: new QueryCache({
        onError: (error) => {
          if (error instanceof Fault) announceLoad(error);
        },
      }),
      defaultOptions: {
        queries: {
          staleTime: 5_000,
          // A call without a network fails with a message; if it were queued, a button would do nothing.
          networkMode: 'always',
          retry: (failures, error) => error instanceof Fault && isNetworkFault(error) && failures < 2,
          refetchInterval: () => (useLink.getState().state === 'polling' ? pollMs : false),
        },
        mutations: { retry: false, networkMode: 'always' },
      },
    }),
  );

/** Key and fetcher of one call of the contract. */
export const endpointQuery = <
  Body extends z.ZodType,
  Reply extends z.ZodType,
  E extends Endpoint<Body, Reply>,
>(
  endpoint: E & Endpoint<Body, Reply>,
  body: InputOf<E>,
  options: Pick<CallOptions, 'shownHere'> = {},
) =>
  queryOptions({
    queryKey: [endpoint.path, body] as const,
    queryFn: async ({ signal }) => {
      const known = (await takeFromFrame(endpoint.path, body)) as ReplyOf<E> | null;
      return known ?? (await call<Body, Reply, E>(endpoint, body, { ...options, signal, load: true }));
    },
  });
/** As `endpointQuery`; after a change of the body, the answer before it stays until the new one is here. */
export const keptQuery = <Body extends z.ZodType, Reply extends z.ZodType, E extends Endpoint<Body, Reply>>(
  endpoint: E & Endpoint<Body, Reply>,
  body: InputOf<E>,
) => ({
  ...endpointQuery<Body, Reply, E>(endpoint, body),
  placeholderData: keepPreviousData<ReplyOf<E> | undefined>,
});
/**
 * Changes a known answer by what a live event says about a part of it. Only an answer of the server is a refresh: one
 * that failed stays failed, and the answer keeps its time.
 */
export const patchAnswer = <Data>(
  client: QueryClient,
  queryKey: QueryKey,
  change: (known: Data) => Data,
): void => {
  const query = client.getQueryCache().find<Data>({ queryKey, exact: true });
  if (query?.state.data !== undefined) query.setState({ data: change(query.state.data) });
};
/** Loads what a screen shows first, by the fields of its address. Does not fail: the screen shows faults. */
export type FetchFirst = (client: QueryClient, search: Record<string, unknown>) => Promise<unknown>;

/** Key of all queries of an endpoint, to invalidate them together. */
export const keyOf = (endpoint: Endpoint): readonly [string] => [endpoint.path];

/** Loads what is shown of these endpoints again, after an act that may have changed it. */
export const useReload = (...endpoints: readonly Endpoint[]): (() => Promise<void>) => {
  const client = useQueryClient();
  return async () => {
    await Promise.all(endpoints.map((endpoint) => client.invalidateQueries({ queryKey: keyOf(endpoint) })));
  };
};
