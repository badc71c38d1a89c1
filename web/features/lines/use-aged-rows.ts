import { useMemo, useState } from 'react';
import type { LineTableRow } from '#contract/line-table.ts';
import { useIsCut } from '#web/api/link-state.ts';
import { staleAt } from '#web/values/line-ages.ts';
import { useNow } from '#web/values/use-now.ts';

/**
 * The rows with the age of their reports, computed once for all cells and again every few seconds. A row stays
 * the same object while nothing about it changes, so that it is not drawn again.
 */
export const useAgedRows = (
  rows: readonly LineTableRow[] | undefined,
): readonly LineTableRow[] | undefined => {
  const now = useNow();
  const isCut = useIsCut();
  const [aged] = useState(() => new WeakMap<LineTableRow, LineTableRow>());
  return useMemo(
    () =>
      rows?.map((row) => {
        const { stale, values_stale } = staleAt(now, isCut, row, row.interval_seconds);
        const before = aged.get(row) ?? row;
        if (before.stale === stale && before.values_stale === values_stale) return before;
        const after = { ...row, stale, values_stale };
        aged.set(row, after);
        return after;
      }),
    [rows, now, isCut, aged],
  );
};
