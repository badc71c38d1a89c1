import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import type { ReplyOf } from '#contract/endpoint.ts';
import { projectEndpoints } from '#contract/projects.ts';
import { keyOf } from '#web/api/query.ts';

export type ProjectRow = ReplyOf<typeof projectEndpoints.list>['list'][number];
export type ProjectDetail = ReplyOf<typeof projectEndpoints.form>;
export type FoundDevice = ReplyOf<typeof projectEndpoints.findDevices>['list'][number];

const shown = [
  projectEndpoints.list,
  projectEndpoints.options,
  projectEndpoints.form,
  projectEndpoints.parts,
];
/** Invalidates everything that shows projects, after one was changed. */
const refreshProjects = async (client: QueryClient): Promise<void> => {
  await Promise.all(shown.map((endpoint) => client.invalidateQueries({ queryKey: keyOf(endpoint) })));
};
export const useRefreshProjects = (): (() => Promise<void>) => {
  const client = useQueryClient();
  return () => refreshProjects(client);
};
