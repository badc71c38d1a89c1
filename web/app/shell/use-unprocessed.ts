import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { dashboardEndpoints } from '#contract/dashboard.ts';
import { endpointQuery } from '../../api/query.ts';
import { useLiveRefresh } from '../../api/use-live-refresh.ts';

/** How many alarms are unprocessed, kept up to date. */
export const useUnprocessed = (): number => {
  const { data } = useQuery(endpointQuery(dashboardEndpoints.census, {}));
  useLiveRefresh(['alarm', 'alarm_update'], [dashboardEndpoints.census], 1000);
  const count = data?.unprocessed ?? 0;
  // On the icon of an installed console.
  useEffect(() => {
    navigator.setAppBadge?.(count).catch(() => undefined);
  }, [count]);
  return count;
};
