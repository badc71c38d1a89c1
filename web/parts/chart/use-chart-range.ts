import { useMemo } from 'react';
import * as z from 'zod';
import { useUrlState } from '../url-state.ts';
import type { Range } from './sample.ts';

const second = 1000;
const writtenRange = z
  .string()
  .regex(/^\d{9,11}-\d{9,11}$/)
  .transform((text): Range => {
    const [from, to] = text.split('-').map((part) => Number(part) * second);
    return { from: from!, to: to! };
  })
  .refine(({ from, to }) => from < to)
  .optional()
  .catch(undefined);
/** In whole seconds, as in the address. */
const writeRange = ({ from, to }: Range): string => `${Math.floor(from / second)}-${Math.ceil(to / second)}`;

export interface ChartRange {
  range: Range;
  bounds: Range;
  zoomed: boolean;
  /** Null: the whole range again. */
  onRange: (range: Range | null) => void;
}
/**
 * The part of `whole` that a chart shows, kept in the address as `name`. Each choice is a history step, so
 * that the browser's back button undoes it. `bounds`: how far a range may go beyond the whole. Charts of one
 * screen with different ranges have different names.
 */
export const useChartRange = (whole: Range, name = 'zoom', bounds: Range = whole): ChartRange => {
  const search = useMemo(() => z.object({ [name]: writtenRange }), [name]);
  const [state, setSearch] = useUrlState(search);
  const zoom = state[name];
  return useMemo(
    () => ({
      range: zoom ?? whole,
      bounds: { from: Math.min(bounds.from, whole.from), to: Math.max(bounds.to, whole.to) },
      zoomed: zoom !== undefined,
      onRange: (range) =>
        setSearch({ [name]: range === null ? undefined : writeRange(range) }, { push: true }),
    }),
    [zoom, whole, bounds, name, setSearch],
  );
};
