import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { dashboardEndpoints } from '#contract/dashboard.ts';
import type { LiveEvent } from '#contract/live.ts';
import { endpointQuery } from '#web/api/query.ts';
import { useLiveRefresh } from '#web/api/use-live-refresh.ts';

/** Changes that do not affect the number of unprocessed alarms. */
const sameCount: readonly LiveEvent['alarm']['kind'][] = ['repeated', 'followed', 'urged'];

/** The number of unprocessed alarms, kept up to date. */
export const useUnprocessed = (): number => {
  const { data } = useQuery(endpointQuery(dashboardEndpoints.census, {}));
  useLiveRefresh(
    ['alarm', 'alarm_update'],
    [dashboardEndpoints.census],
    1000,
    (event) => !('kind' in event && sameCount.some((kind) => kind === event.kind)),
  );
  const count = data?.unprocessed ?? 0;
  // The badge on the icon of an installed console.
  useEffect(() => {
    navigator.setAppBadge?.(count).catch(() => undefined);
  }, [count]);
  return count;
};
