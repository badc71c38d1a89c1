import type { TagBadge } from '#contract/tags.ts';
import type { Db } from '#database/connect.ts';
import { displayNameOf } from '#server/core/display-name.ts';
import type { Scope } from '#server/core/scope.ts';
import { tags, visibleTags } from './tags.store.ts';

/** What a row of a list is about; null: it has none. */
interface TaggedPlace {
  lineId: number | null;
  deviceId: number | null;
  projectId: number | null;
}
const idsOf = (of: readonly (number | null)[]): number[] => [...new Set(of.filter((id) => id !== null))];

/**
 * The active tags on places, newest first: on the line itself, its device and its project. However many there
 * are: a row without its tag would look safe to close.
 */
export const tagBadges = async (
  db: Db,
  scope: Scope,
  places: readonly TaggedPlace[],
): Promise<(place: TaggedPlace) => TagBadge[]> => {
  if (places.length === 0) return () => [];
  const [lines, devices, projects] = [
    idsOf(places.map(({ lineId }) => lineId)),
    idsOf(places.map(({ deviceId }) => deviceId)),
    idsOf(places.map(({ projectId }) => projectId)),
  ];
  const rows = await tags(db)
    .select(['tag.id', 'tag.line_id', 'tag.device_id', 'tag.project_id', 'tag.reason'])
    .select(displayNameOf('owner').as('owner'))
    .where(visibleTags(scope))
    .where('tag.removed_at', 'is', null)
    .where((row) =>
      row.or([
        row('tag.line_id', '=', row.fn.any(row.val(lines))),
        row('tag.device_id', '=', row.fn.any(row.val(devices))),
        row('tag.project_id', '=', row.fn.any(row.val(projects))),
      ]),
    )
    .orderBy('tag.set_at', 'desc')
    .orderBy('tag.id', 'desc')
    .execute();
  return (place) =>
    rows
      .filter(
        (tag) =>
          (tag.line_id !== null && tag.line_id === place.lineId) ||
          (tag.device_id !== null && tag.device_id === place.deviceId) ||
          (tag.project_id !== null && tag.project_id === place.projectId),
      )
      .map(({ id, reason, owner }) => ({ tag_id: id, reason, owner }));
};
