import { builtInRoles } from '#contract/permissions.ts';
import type { PlaceKind } from '#contract/users.ts';
import type { Db } from '#database/connect.ts';
import type { Authority } from '#server/core/authority.ts';
import { Fault, fault } from '#server/core/fault.ts';
import { notDeleted } from '#server/core/not-deleted.ts';

/** Where a user works: everywhere (all null), below a region, or in a project or some of its parts. */
export interface Place {
  readonly regionId: number | null;
  readonly projectId: number | null;
  readonly partIds: readonly number[];
}
export interface GivenPlace {
  region_id?: number | null | undefined;
  project_id?: number | null | undefined;
  part_ids?: readonly number[] | undefined;
}

export const placeKindOf = (role: number): PlaceKind => {
  switch (role) {
    case builtInRoles.admin:
      return 'none';
    case builtInRoles.regionalAdmin:
      return 'region';
    case builtInRoles.projectAdmin:
      return 'project';
    case builtInRoles.projectRegionalAdmin:
      return 'parts';
    default:
      return 'regionOrProject';
  }
};

/** The place that a role requires, from the form. Throws the fault of the invalid field. */
export const placeFor = (role: number, given: GivenPlace): Place => {
  const [regionId, projectId] = [given.region_id ?? null, given.project_id ?? null];
  const partIds = [...new Set(given.part_ids)].sort((a, b) => a - b);
  const wrong = (field: string, code: 'user.noScope' | 'user.oneScope' | 'user.project' | 'user.region') => {
    throw new Fault('request.invalid', { fields: { [field]: code } });
  };
  const kind = placeKindOf(role);
  if (kind === 'none' && (regionId !== null || projectId !== null))
    wrong(regionId !== null ? 'region_id' : 'project_id', 'user.noScope');
  if (kind === 'region' && regionId === null) wrong('region_id', 'user.region');
  if (kind === 'region' && projectId !== null) wrong('project_id', 'user.oneScope');
  if ((kind === 'project' || kind === 'parts') && projectId === null) wrong('project_id', 'user.project');
  if ((kind === 'project' || kind === 'parts') && regionId !== null) wrong('region_id', 'user.oneScope');
  if (kind === 'regionOrProject' && regionId === null && projectId === null)
    wrong('project_id', 'user.project');
  if (kind === 'regionOrProject' && regionId !== null && projectId !== null)
    wrong('region_id', 'user.oneScope');
  if (kind === 'parts' && partIds.length === 0)
    fault('request.invalid', { fields: { part_ids: 'user.parts' } });
  const takesParts = projectId !== null && kind !== 'project';
  if (partIds.length > 0 && !takesParts) fault('request.invalid', { fields: { part_ids: 'user.parts' } });
  return { regionId, projectId, partIds };
};

/**
 * Refuses a place that does not exist or lies outside the caller's own with the same fault: a user cannot
 * give a scope beyond their own, and cannot learn the ids of others.
 */
export const needsPlaceWithin = async (db: Db, authority: Authority, place: Place): Promise<void> => {
  const { scope, regionPath } = authority;
  if (place.regionId !== null) {
    const region = await db
      .selectFrom('regions')
      .select('path')
      .where('id', '=', place.regionId)
      .executeTakeFirst();
    const isWithin = scope.all || (regionPath !== null && region?.path.startsWith(regionPath));
    if (!region || !isWithin) fault('request.invalid', { fields: { region_id: 'user.region' } });
  }
  if (place.projectId === null) return;
  const project = await db
    .selectFrom('projects')
    .select('id')
    .where('id', '=', place.projectId)
    .where(notDeleted('projects'))
    .executeTakeFirst();
  const holdsWhole = scope.all || scope.projectIds.includes(place.projectId);
  const holdsParts =
    holdsWhole || (place.partIds.length > 0 && place.partIds.every((id) => scope.partIds.includes(id)));
  if (!project || !holdsParts) fault('request.invalid', { fields: { project_id: 'user.project' } });
  if (place.partIds.length === 0) return;
  const parts = await db
    .selectFrom('project_parts')
    .select('id')
    .where('project_id', '=', place.projectId)
    .where('id', 'in', place.partIds)
    .execute();
  if (parts.length < place.partIds.length) fault('request.invalid', { fields: { part_ids: 'user.parts' } });
};
