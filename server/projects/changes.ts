import { sql } from 'kysely';
import type { BodyOf } from '#contract/endpoint.ts';
import { builtInRoles } from '#contract/permissions.ts';
import type { projectEndpoints } from '#contract/projects.ts';
import type { Db } from '#database/connect.ts';
import { fault } from '#server/core/fault.ts';
import type { ForeignNames } from '#server/core/foreign-names.ts';
import { notDeleted } from '#server/core/not-deleted.ts';
import { holds } from '#server/core/scope.ts';
import type { Caller } from '#server/core/session.ts';
import { callNewRegion } from '#server/notices/region.store.ts';
import { rebuildDays } from '#server/rollups/rebuild.ts';
import { needsFreeName, newAccountStore } from '#server/users/new-account.store.ts';

type NewProject = BodyOf<typeof projectEndpoints.add>;
type Edit = BodyOf<typeof projectEndpoints.edit>;

/**
 * A region in which the caller may create projects: any for users who see every project, else their own and
 * those below it.
 */
const regionFor = async (trx: Db, { scope, regionId }: Caller, id: number) => {
  const region = await trx
    .selectFrom('regions')
    .select(['id', 'lat', 'lng', 'path'])
    .where('id', '=', id)
    .executeTakeFirst();
  if (!region) return fault('request.invalid', { fields: { region_id: 'region.choose' } });
  const isOwn = scope.all || (regionId !== null && region.path.includes(`/${regionId}/`));
  if (!isOwn) fault('request.invalid', { fields: { region_id: 'region.outside' } });
  return region;
};

export const projectChanges = (trx: Db) => ({
  /** A new project with the account of its administrator. */
  async add(
    caller: Caller,
    { username: chosen, password, ...given }: NewProject,
    { at, names }: { at: Date; names: ForeignNames },
  ) {
    const username = chosen ?? given.contact_phone;
    const { lat, lng } = await regionFor(trx, caller, given.region_id);
    await needsFreeName(trx, names, { username, seen: caller.scope.all ? sql`true` : sql`false` });
    const made = await trx
      .insertInto('projects')
      .values({
        ...given,
        lat: given.lat ?? lat,
        lng: given.lng ?? lng,
        area_m2: given.area_m2 ?? null,
        contract_kw: given.contract_kw ?? null,
        code: crypto.randomUUID(),
        joined_at: at,
        deleted_at: null,
      })
      .returning('id')
      .executeTakeFirstOrThrow();
    const code = `P${String(made.id).padStart(6, '0')}`;
    await trx.updateTable('projects').set({ code }).where('id', '=', made.id).execute();
    const account = {
      username,
      nickname: given.contact_name,
      mobile: given.contact_phone,
      password,
      role: builtInRoles.projectAdmin,
      projectIds: [made.id],
    };
    const userId = await newAccountStore(trx).add(account, at);
    return {
      project_id: made.id,
      project_codeid: code,
      user_id: userId,
      username: account.username,
      time_zone: given.time_zone,
    };
  },

  /**
   * Writes the given fields. Returns the previous project. `mayMoveLimits` throws if the nominal voltage must
   * stay.
   */
  async edit(
    caller: Caller,
    { project_id, revision, password: _, ...given }: Edit,
    { now, mayMoveLimits }: { now: number; mayMoveLimits: () => Promise<void> },
  ) {
    const before = await trx
      .selectFrom('projects')
      .select(['id', 'revision', 'region_id', 'time_zone', 'nominal_voltage'])
      .where('id', '=', project_id)
      .where(notDeleted('projects'))
      .forNoKeyUpdate()
      .executeTakeFirst();
    if (!before || !holds(caller.scope, before.id, null)) return fault('project.missing');
    if (before.revision !== revision) fault('thing.changed', { data: { revision: before.revision } });
    if (given.region_id !== undefined && given.region_id !== before.region_id) {
      // A region decides which regional administrator manages the project.
      if (!caller.permissions.has('project.create')) fault('permission.denied');
      await regionFor(trx, caller, given.region_id);
    }
    if (given.nominal_voltage !== undefined && given.nominal_voltage !== before.nominal_voltage)
      await mayMoveLimits();
    await trx
      .updateTable('projects')
      .set({ ...given, revision: before.revision + 1 })
      .where('id', '=', project_id)
      .execute();
    if (given.region_id !== undefined && given.region_id !== before.region_id)
      await callNewRegion(trx, project_id, now);
    if (given.time_zone !== undefined && given.time_zone !== before.time_zone)
      await rebuildDays(trx, project_id);
    return before;
  },
});
