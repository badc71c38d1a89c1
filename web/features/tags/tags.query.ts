import { useQuery } from '@tanstack/react-query';
import { controlEndpoints } from '#contract/control.ts';
import type { ReplyOf } from '#contract/endpoint.ts';
import { lineEndpoints } from '#contract/lines.ts';
import { tagEndpoints } from '#contract/tags.ts';
import { endpointQuery, useReload } from '#web/api/query.ts';
import { useLiveRefresh } from '#web/api/use-live-refresh.ts';

export type Tag = ReplyOf<typeof tagEndpoints.list>['list'][number];
/** The fields of a line that the tag dialog needs; `stale` and `values_stale` hold now. */
export type StatedLine = Pick<
  ReplyOf<typeof lineEndpoints.list>['list'][number],
  | 'line_id'
  | 'device_id'
  | 'n'
  | 'name'
  | 'state'
  | 'stale'
  | 'observed_at'
  | 'power'
  | 'current'
  | 'values_at'
  | 'values_stale'
  | 'critical'
  | 'switchable'
  | 'pending'
>;
/** Only a fresh report proves that a line is open. */
export const isUnproven = ({ state, stale }: Pick<StatedLine, 'state' | 'stale'>): boolean =>
  state !== 'open' || stale;
export type TagTarget = { line_id: number } | { device_id: number } | { project_id: number };

export type Covered = ReplyOf<typeof tagEndpoints.preview>;
/** The lines that the tag would cover, with the server's proof: a position alone proves nothing if current flows. */
export const useCovered = (target: TagTarget) => {
  useLiveRefresh(['line_state', 'reading'], [tagEndpoints.preview], 2000);
  return useQuery({ ...endpointQuery(tagEndpoints.preview, target), refetchInterval: 10_000 });
};

const most = 100;
export const deviceTagsQuery = (deviceId: number, standing: boolean) =>
  endpointQuery(tagEndpoints.list, { device_id: deviceId, standing, limit: most });
export const projectTagsQuery = (projectId: number, standing: boolean) =>
  endpointQuery(tagEndpoints.list, { project_id: projectId, standing, limit: most });

const shown = [tagEndpoints.list, lineEndpoints.list, controlEndpoints.possible];
export const useLiveTags = (): void => {
  useLiveRefresh(['tag'], shown, 500);
  useLiveRefresh(['settings'], [tagEndpoints.list], 1000);
};
export const useTagsChanged = (): (() => Promise<void>) => useReload(...shown);
