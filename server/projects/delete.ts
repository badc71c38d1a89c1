import { sql } from 'kysely';
import type * as z from 'zod';
import { type FaultCode, sentence } from '#contract/faults/codes.ts';
import type { Language } from '#contract/languages.ts';
import type { projectDependents } from '#contract/projects.ts';
import type { Db } from '#database/connect.ts';
import { fault } from '#server/core/fault.ts';
import { notDeleted } from '#server/core/not-deleted.ts';
import { holds, type Scope } from '#server/core/scope.ts';
import { deviceBulk } from '#server/devices/bulk.ts';
import { leaveProjects } from '#server/users/users.store.ts';

type Dependents = z.output<typeof projectDependents>;
/** Number of devices that one statement unbinds. */
const unboundAtOnce = 1000;

/** What depends on the projects that the caller manages completely, by name. */
export const dependentsOf = async (
  db: Db,
  scope: Scope,
  projectIds: readonly number[],
): Promise<Dependents[]> => {
  const mine = [...new Set(projectIds)].filter((id) => holds(scope, id, null));
  const { rows } = await sql<Dependents>`
    select projects.id as project_id, projects.name, held.devices, held.timers, held.lines_closed,
      (select count(*) from counted_alarms() where project_id = projects.id and handled_at is null) as unprocessed,
      (select count(*) from user_projects own join users on users.id = own.user_id
        where own.project_id = projects.id and ${notDeleted('users')}) as users,
      (select count(*) from user_projects own join users on users.id = own.user_id
        where own.project_id = projects.id and ${notDeleted('users')} and not exists (
          select from user_projects other where other.user_id = own.user_id and other.project_id <> all(${mine}::int[])
        )) as users_left_without,
      (select count(distinct tag_id) from active_tags where active_tags.project_id = projects.id) as tags
    from projects cross join lateral (
      select count(*) as devices,
        coalesce(sum((select count(*) from timers where device_id = devices.id and enabled and done_at is null)), 0)
          as timers,
        coalesce(sum((select count(*) from lines join line_latest latest on latest.line_id = lines.id
          where lines.device_id = devices.id and latest.position = 1)), 0) as lines_closed
      from devices where devices.project_id = projects.id and ${notDeleted('devices')}) held
    where projects.id = any(${mine}::int[]) and ${notDeleted('projects')}
    order by projects.name, projects.id`.execute(db);
  return rows.map((row) => ({
    ...row,
    timers: Number(row.timers),
    lines_closed: Number(row.lines_closed),
  }));
};

/**
 * Locks projects with the rows that refer to them, in the same order as calls that change an account, move a
 * device or set a tag: these lock their own rows first, and the project last, by referring to it.
 */
const holdProjects = async (trx: Db, ids: readonly number[]): Promise<void> => {
  await trx
    .selectFrom('user_projects')
    .select('user_id')
    .where('project_id', 'in', ids)
    .orderBy('user_id')
    .orderBy('project_id')
    .forUpdate()
    .execute();
  await trx
    .selectFrom('devices')
    .select('id')
    .where('project_id', 'in', ids)
    .orderBy('id')
    .forNoKeyUpdate()
    .execute();
  await trx.selectFrom('projects').select('id').where('id', 'in', ids).orderBy('id').forUpdate().execute();
};

interface Asked {
  project_ids: readonly number[];
  devices?: number | undefined;
}
/**
 * Deletes projects and unbinds their devices. A project under a lock-out tag stays; if the number of devices
 * differs from the confirmed one, the whole call is refused.
 */
export const deleteProjects = async (
  trx: Db,
  scope: Scope,
  { project_ids, devices }: Asked,
  at: Date,
  language: Language,
) => {
  const asked = [...new Set(project_ids)];
  await holdProjects(trx, asked);
  const known = new Map((await dependentsOf(trx, scope, asked)).map((row) => [row.project_id, row]));
  const free = [...known.values()].filter(({ tags }) => tags === 0);
  const count = [...known.values()].reduce((sum, row) => sum + row.devices, 0);
  if (count !== (devices ?? 0)) fault('project.devices', { with: { count }, data: { count } });
  const deletedIds = free.map(({ project_id }) => project_id);
  const unbound = await unbindAll(trx, scope, deletedIds, at);
  const deleted =
    deletedIds.length === 0
      ? []
      : await trx
          .updateTable('projects')
          .set((row) => ({ deleted_at: at, revision: row('revision', '+', 1) }))
          .where('id', 'in', deletedIds)
          .returning(['id', 'time_zone'])
          .execute();
  if (deletedIds.length > 0) await leaveProjects(trx, deletedIds);
  const refusalOf = (id: number, result: 'denied' | 'skipped', reason: FaultCode) => ({
    id,
    result,
    reason,
    message: sentence(reason, language),
  });
  const results = asked.map((id) => {
    const row = known.get(id);
    if (!row) return refusalOf(id, 'denied', 'project.missing');
    return row.tags > 0 ? refusalOf(id, 'skipped', 'project.tagged') : { id, result: 'done' as const };
  });
  return { results, deleted, unbound, names: free.map(({ name }) => name) };
};

const unbindAll = async (
  trx: Db,
  scope: Scope,
  projectIds: readonly number[],
  at: Date,
): Promise<number[]> => {
  if (projectIds.length === 0) return [];
  const rows = await trx
    .selectFrom('devices')
    .select('id')
    .where('project_id', 'in', projectIds)
    .where(notDeleted('devices'))
    .orderBy('id')
    .execute();
  const ids = rows.map(({ id }) => id);
  for (let from = 0; from < ids.length; from += unboundAtOnce)
    await deviceBulk(trx).unbind(scope, ids.slice(from, from + unboundAtOnce), at);
  return ids;
};
