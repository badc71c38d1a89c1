import { statisticsEndpoints } from '#contract/statistics.ts';
import { useReload } from '#web/api/query.ts';

/** Loads every figure again after a correction, or after a change of which lines count. */
export const useReloadFigures = (): (() => Promise<void>) =>
  useReload(
    statisticsEndpoints.energy,
    statisticsEndpoints.source,
    statisticsEndpoints.corrections,
    statisticsEndpoints.electricity,
    statisticsEndpoints.load,
  );
