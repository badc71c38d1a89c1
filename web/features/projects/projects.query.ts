import type { ReplyOf } from '#contract/endpoint.ts';
import { projectEndpoints } from '#contract/projects.ts';
import { useReload } from '#web/api/query.ts';

export type ProjectRow = ReplyOf<typeof projectEndpoints.list>['list'][number];
export type ProjectDetail = ReplyOf<typeof projectEndpoints.form>;
export type FoundDevice = ReplyOf<typeof projectEndpoints.findDevices>['list'][number];

/** Loads everything again that shows projects, after one was changed. */
export const useRefreshProjects = (): (() => Promise<void>) =>
  useReload(projectEndpoints.list, projectEndpoints.options, projectEndpoints.form, projectEndpoints.parts);
