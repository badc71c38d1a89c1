import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { dashboardEndpoints } from '#contract/dashboard.ts';
import type { LiveEvent } from '#contract/live.ts';
import { endpointQuery } from '#web/api/query.ts';
import { useKnown } from '#web/api/use-known.ts';
import { useLiveRefresh } from '#web/api/use-live-refresh.ts';

/** Changes that do not affect the number of unprocessed alarms. */
const sameCount: readonly LiveEvent['alarm']['kind'][] = ['repeated', 'followed', 'urged'];

/** How soon a number that could not be loaded is asked for again. Until then only an alarm would ask for it. */
const againMs = 30_000;

/** The number of unprocessed alarms, kept up to date; undefined while it is not known. */
export const useUnprocessed = (): number | undefined => {
  const query = useQuery(endpointQuery(dashboardEndpoints.census, {}));
  const { isError, refetch } = query;
  useLiveRefresh(
    ['alarm', 'alarm_update'],
    [dashboardEndpoints.census],
    1000,
    (event) => !('kind' in event && sameCount.some((kind) => kind === event.kind)),
  );
  useEffect(() => {
    const timer = isError ? window.setInterval(() => void refetch(), againMs) : undefined;
    return () => window.clearInterval(timer);
  }, [isError, refetch]);
  const count = useKnown(query)?.unprocessed;
  const isUnknown = isError && count === undefined;
  // The badge on the icon of an installed console: a mark without a number if the number could not be loaded.
  useEffect(() => {
    if (count !== undefined) navigator.setAppBadge?.(count).catch(() => undefined);
    else if (isUnknown) navigator.setAppBadge?.().catch(() => undefined);
  }, [count, isUnknown]);
  return count;
};
