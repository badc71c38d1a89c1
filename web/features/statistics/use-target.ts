import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { type SetUrl, useUrlState } from '#web/parts/url-state.ts';
import { projectsQuery } from '#web/parts/use-project-choice.ts';
import { askedBy, type StatisticsSearch, statisticsSearch } from './search.ts';

export interface OfProject {
  project?: { id: number; name: string };
}
export interface StatisticsPlace {
  search: StatisticsSearch;
  setSearch: SetUrl;
  asked: ReturnType<typeof askedBy>;
  /** Whether a project is known, without which no figures can be loaded. */
  ready: boolean;
  /** No project is in the reader's scope. */
  none: boolean;
  /** The projects could not be loaded, so that none is known. */
  fault: { error: Error; retry: () => void } | null;
}

/** The target and period of the figures: any project in the settings, one in the project view. */
export const useTarget = (project: OfProject['project']): StatisticsPlace => {
  const [search, setSearch] = useUrlState(statisticsSearch);
  const named =
    search.project_id ?? search.part_id ?? search.device_id ?? search.line_id ?? project?.id ?? undefined;
  const first = useQuery({
    ...projectsQuery(),
    enabled: named === undefined,
    placeholderData: keepPreviousData,
  });
  const firstId = first.data?.list[0]?.project_id;
  useEffect(() => {
    if (named === undefined && firstId !== undefined) setSearch({ project_id: firstId });
  }, [named, firstId, setSearch]);
  return {
    search,
    setSearch,
    asked: askedBy(search, project?.id),
    ready: named !== undefined,
    none: named === undefined && first.data?.list.length === 0,
    fault:
      named === undefined && first.error ? { error: first.error, retry: () => void first.refetch() } : null,
  };
};
