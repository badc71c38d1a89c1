import { useQuery } from '@tanstack/react-query';
import type { ReplyOf } from '#contract/endpoint.ts';
import { tagEndpoints } from '#contract/tags.ts';
import { endpointQuery } from '#web/api/query.ts';

export type TimerTag = Pick<
  ReplyOf<typeof tagEndpoints.list>['list'][number],
  'tag_id' | 'on' | 'line_id' | 'device_id' | 'project_id' | 'reason' | 'owner'
>;
interface Place {
  line_id: number;
  device_id: number;
  project_id: number | null;
}
const most = 200;

/** The tags on a line: its own, its device's and its project's. */
export const tagsOn = (tags: readonly TimerTag[], place: Place): readonly TimerTag[] =>
  tags.filter(
    (tag) =>
      (tag.on === 'line' && tag.line_id === place.line_id) ||
      (tag.on === 'device' && tag.device_id === place.device_id) ||
      (tag.on === 'project' && tag.project_id === place.project_id),
  );

/** Which active lock-out tags cover the line of a timer. */
export const useTimerTags = (): ((timer: Place) => readonly TimerTag[]) => {
  const query = useQuery(endpointQuery(tagEndpoints.list, { standing: true, limit: most }));
  const tags = query.data?.list ?? [];
  return (timer) => tagsOn(tags, timer);
};
