import { isFresh } from '#contract/freshness.ts';
import { useIsCut } from '#web/api/link-state.ts';
import { useNow } from '#web/values/use-now.ts';
import type { Line } from './lines.query.ts';

/** Whether the position and the values of a line are stale now. */
export const useOld = (line: Line, uploadSeconds: number): { position: boolean; values: boolean } => {
  const now = useNow();
  const isCut = useIsCut();
  const isOld = (at: string | null) => !isFresh(at === null ? null : Date.parse(at), now, uploadSeconds);
  return {
    position: isCut || line.stale || isOld(line.observed_at),
    values: isCut || line.values_stale || isOld(line.values_at),
  };
};
