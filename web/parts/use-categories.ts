import { useQuery } from '@tanstack/react-query';
import { categoryEndpoints } from '#contract/categories.ts';
import { endpointQuery } from '../api/query.ts';

/** The categories that a device may be put into. */
export const useCategories = (): { value: number; label: string }[] =>
  useQuery(endpointQuery(categoryEndpoints.options, {})).data?.list.map(({ id, name }) => ({
    value: id,
    label: name,
  })) ?? [];
