import type { QueryClient } from '@tanstack/react-query';
import { statisticsEndpoints } from '#contract/statistics.ts';
import { keyOf } from '#web/api/query.ts';

/** Loads every figure again after a correction, or after a change of which lines count. */
export const staleAfterCorrection = (client: QueryClient): Promise<unknown> =>
  Promise.all(
    [
      statisticsEndpoints.energy,
      statisticsEndpoints.source,
      statisticsEndpoints.corrections,
      statisticsEndpoints.electricity,
      statisticsEndpoints.load,
    ].map((endpoint) => client.invalidateQueries({ queryKey: keyOf(endpoint) })),
  );
