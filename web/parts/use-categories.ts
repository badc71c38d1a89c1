import { useQuery } from '@tanstack/react-query';
import { categoryEndpoints } from '#contract/categories.ts';
import { endpointQuery } from '#web/api/query.ts';

/** The categories to which a device can be assigned. */
export const useCategories = (): { value: number; label: string }[] =>
  useQuery(endpointQuery(categoryEndpoints.options, {})).data?.list.map(({ id, name }) => ({
    value: id,
    label: name,
  })) ?? [];
