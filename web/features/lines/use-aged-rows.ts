import { useMemo, useState } from 'react';
import { isFresh } from '#contract/freshness.ts';
import type { LineTableRow } from '#contract/line-table.ts';
import { useIsCut } from '#web/api/link-state.ts';
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
        const isOld = (at: string | null, was: boolean) =>
          isCut || was || !isFresh(at === null ? null : Date.parse(at), now, row.interval_seconds);
        const stale = isOld(row.observed_at, row.stale);
        const values_stale = isOld(row.values_at, row.values_stale);
        const before = aged.get(row) ?? row;
        if (before.stale === stale && before.values_stale === values_stale) return before;
        const after = { ...row, stale, values_stale };
        aged.set(row, after);
        return after;
      }),
    [rows, now, isCut, aged],
  );
};
