import type * as z from 'zod';
import { isFresh } from '#contract/freshness.ts';
import type { lineAges, lineState } from '#contract/lines.ts';
import { useIsCut } from '#web/api/link-state.ts';
import { useNow } from './use-now.ts';

type LineAges = { [Key in keyof typeof lineAges]: z.output<(typeof lineAges)[Key]> };
type Position = z.output<typeof lineState>;

type LineStale = Pick<LineAges, 'stale' | 'values_stale'>;

/** Whether the position and the values of a line are stale at a time; without contact to the server nothing is fresh. */
export const staleAt = (
  now: number,
  isCut: boolean,
  { observed_at, stale, values_at, values_stale }: LineAges,
  intervalSeconds: number,
): LineStale => {
  const isOld = (at: string | null) => !isFresh(at === null ? null : Date.parse(at), now, intervalSeconds);
  return {
    stale: isCut || stale || isOld(observed_at),
    values_stale: isCut || values_stale || isOld(values_at),
  };
};

/** Returns `staleAt` for now: what was fresh when it was loaded ages on the screen. */
export const useAges = (): ((line: LineAges, intervalSeconds: number) => LineStale) => {
  const now = useNow();
  const isCut = useIsCut();
  return (line, intervalSeconds) => staleAt(now, isCut, line, intervalSeconds);
};

export const isBefore = (at: string, known: string | null): boolean =>
  known !== null && Date.parse(at) < Date.parse(known);

/**
 * What a report changes about the shown position. Null: it is older than the shown one, or it carries no
 * position while one is known, which becomes stale.
 */
export const newPosition = (
  known: { state: Position; observed_at: string | null },
  state: Position,
  at: string,
): { state: Position; observed_at: string; stale: false } | null =>
  isBefore(at, known.observed_at) || (state === 'unknown' && known.state !== 'unknown')
    ? null
    : { state, observed_at: at, stale: false };
