import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useDeferredValue, useState } from 'react';
import { projectEndpoints } from '#contract/projects.ts';
import { endpointQuery } from '#web/api/query.ts';

const shownAtOnce = 20;
/** A form or a filter offers this many projects without a search; the others are found by their names. */
export const mostOffered = 200;
/** The first projects in the reader's scope, or those with such a name. */
export const projectsQuery = (name = '', limit = shownAtOnce) =>
  endpointQuery(projectEndpoints.options, { limit, ...(name === '' ? {} : { name }) });
/** One project of the reader's scope. */
export const projectQuery = (project_id: number) =>
  endpointQuery(projectEndpoints.options, { limit: 1, project_id });

/**
 * For a picker of one project: projects found by part of the name, and the chosen one, loaded only if it is
 * not among them.
 */
export const useProjectChoice = (
  chosenId: number | undefined,
  { most = shownAtOnce, enabled = true }: { most?: number; enabled?: boolean } = {},
) => {
  const [typed, setTyped] = useState('');
  const name = useDeferredValue(typed.trim());
  const first = useQuery({ ...projectsQuery('', most), enabled });
  const found = useQuery({ ...projectsQuery(name, most), placeholderData: keepPreviousData, enabled });
  // If the typed text excludes the chosen project, it must still be shown.
  const isListed = first.data?.list.some(({ project_id }) => project_id === chosenId) === true;
  const alone = useQuery({
    ...projectQuery(chosenId ?? 0),
    enabled: enabled && chosenId !== undefined && first.data !== undefined && !isListed,
  });
  /** The query that has the chosen project, or that failed. */
  const chosen = isListed || first.isLoadingError ? first : alone;
  const here = chosen.data?.list.find(({ project_id }) => project_id === chosenId);
  const others = (found.data?.list ?? []).filter(({ project_id }) => project_id !== chosenId);
  return {
    first,
    chosen,
    here,
    select: {
      showSearch: { filterOption: false, onSearch: setTyped },
      loading: found.isFetching,
      value: here?.project_id ?? null,
      options: [...(here ? [here] : []), ...others].map((each) => ({
        value: each.project_id,
        label: each.name,
      })),
    },
  } as const;
};
