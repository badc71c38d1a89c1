import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { dashboardEndpoints } from '#contract/dashboard.ts';
import type { LiveEvent } from '#contract/live.ts';
import { endpointQuery } from '../../api/query.ts';
import { useLiveRefresh } from '../../api/use-live-refresh.ts';

/** Changes of an alarm that stays as unprocessed as it was. */
const sameCount: readonly LiveEvent['alarm']['kind'][] = ['repeated', 'followed', 'urged'];

/** How many alarms are unprocessed, kept up to date. */
export const useUnprocessed = (): number => {
  const { data } = useQuery(endpointQuery(dashboardEndpoints.census, {}));
  useLiveRefresh(
    ['alarm', 'alarm_update'],
    [dashboardEndpoints.census],
    1000,
    (event) => !('kind' in event && sameCount.some((kind) => kind === event.kind)),
  );
  const count = data?.unprocessed ?? 0;
  // On the icon of an installed console.
  useEffect(() => {
    navigator.setAppBadge?.(count).catch(() => undefined);
  }, [count]);
  return count;
};
