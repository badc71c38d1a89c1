import { useEffect } from 'react';
import type { SetUrl } from '../url-state.ts';
import type { ListData, ListState } from './types.ts';

/**
 * Leads from a page beyond the end to the last one: the rows of the last page were handled or deleted meanwhile,
 * or an address is old. An empty page would say that there are no rows at all.
 */
export const useLastPage = (
  data: ListData<unknown> | undefined,
  { page, limit }: ListState,
  onState: SetUrl,
): boolean => {
  const last = data && Math.max(1, Math.ceil(data.total / limit));
  const isBeyond = data !== undefined && data.list.length === 0 && last !== undefined && page > last;
  useEffect(() => {
    if (isBeyond) onState({ page: last === 1 ? undefined : last });
  }, [isBeyond, last, onState]);
  return isBeyond;
};
