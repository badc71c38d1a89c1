import { sql } from 'kysely';
import type { Language } from '#contract/languages.ts';
import { builtInRoles, isBuiltIn, type Letter, letters, lettersOf } from '#contract/permissions.ts';
import { roleDescription, roleName } from '#contract/role-names.ts';
import { mostRoles, type RoleRow } from '#contract/roles.ts';
import type { Db } from '#database/connect.ts';
import {
  type Authority,
  isRoleOfTenant,
  managed,
  type RoleNode,
  roleVisible,
  scopeWithin,
} from '#server/core/authority.ts';
import { displayNameOf } from '#server/core/display-name.ts';
import { fault } from '#server/core/fault.ts';
import { notDeleted } from '#server/core/not-deleted.ts';
import { moveDeletedUsers } from '#server/users/users.store.ts';

interface Stored {
  id: number;
  description: string;
  built_in: boolean;
  two_step: boolean;
  revision: number;
  ours: boolean;
}
const firstOwnCode = 101;
const namedUsers = 5;

/** Facts about the roles that the caller sees, by id. */
const readRows = async (db: Db, authority: Authority): Promise<ReadonlyMap<number, Stored>> => {
  const { rows } = await sql<Stored>`
    select own.id, own.description, own.built_in, own.two_step, own.revision, ${isRoleOfTenant(authority)} as ours
    from roles own where ${roleVisible(authority)}`.execute(db);
  return new Map(rows.map((row) => [row.id, row]));
};

/** Number of accounts that the caller manages, by role. */
const countUsers = async (db: Db, authority: Authority): Promise<ReadonlyMap<number, number>> => {
  const { rows } = await sql<{ role_id: number; users: number }>`
    select u.role_id, count(*) as users
    from users u ${authority.scope.all ? sql`` : sql`join roles r on r.id = u.role_id`}
    where ${managed(authority)} group by u.role_id`.execute(db);
  return new Map(rows.map((row) => [row.role_id, row.users]));
};

/** Whether an account has the role whose scope is not within the caller's. */
const isUsedBeyond = async (db: Db, authority: Authority, roleId: number): Promise<boolean> => {
  const { rows } = await sql`
    select from users u join roles r on r.id = u.role_id
    where u.role_id = ${roleId} and ${notDeleted('u')} and not ${scopeWithin(authority)} limit 1`.execute(db);
  return rows.length > 0;
};

/**
 * Whether the caller may change the role: it is below theirs, grants nothing they lack, and was created by
 * the installation only if they manage everything.
 */
const isEditable = (authority: Authority, role: RoleNode, row: Stored): boolean =>
  role.code !== builtInRoles.admin &&
  role.id !== authority.role.id &&
  authority.roleIds.includes(role.id) &&
  (authority.scope.all || row.ours);

export const roleStore = (db: Db) => ({
  /** Roles that the caller sees, each parent before its children. */
  async list(authority: Authority, language: Language): Promise<RoleRow[]> {
    const [rows, users] = await Promise.all([readRows(db, authority), countUsers(db, authority)]);
    const { tree } = authority;
    const children = Map.groupBy(tree.values(), (role) => role.parentId);
    const nameOf = (role: RoleNode | undefined) => (role ? roleName(role.code, role.name, language) : '');
    const found: RoleRow[] = [];
    const visit = (role: RoleNode): void => {
      const row = rows.get(role.id);
      if (row)
        found.push({
          role_id: role.id,
          role: role.code,
          name: nameOf(role),
          description: roleDescription(role.code, row.description, language),
          parent_id: role.id === authority.role.id ? null : role.parentId,
          parent_name: role.id === authority.role.id ? '' : nameOf(tree.get(role.parentId ?? 0)),
          letters: [...lettersOf(role.code, role.letters)],
          status: role.enabled ? 'enabled' : 'disabled',
          built_in: row.built_in || isBuiltIn(role.code),
          two_step: row.two_step,
          users: users.get(role.id) ?? 0,
          own: role.id === authority.role.id,
          editable: isEditable(authority, role, row),
          revision: row.revision,
        });
      for (const child of [...(children.get(role.id) ?? [])].sort((a, b) => a.code - b.code)) visit(child);
    };
    visit(authority.role);
    // Roles of older installations beside the top role, without a parent.
    if (authority.scope.all)
      for (const role of tree.values())
        if (role.parentId === null && role.id !== authority.role.id) visit(role);
    return found;
  },

  /**
   * A role that the caller may change, locked until the transaction ends. Throws the reason if they may not.
   */
  async hold(
    authority: Authority,
    roleId: number,
  ): Promise<{ role: RoleNode; builtIn: boolean; revision: number }> {
    const role = authority.tree.get(roleId);
    const row = (await readRows(db, authority)).get(roleId);
    if (!role || !row) return fault('role.missing');
    if (role.id === authority.role.id) fault('role.own');
    if (!authority.roleIds.includes(roleId)) fault('user.beyond');
    if (!authority.scope.all && !row.ours) fault('role.shared');
    if (!authority.scope.all && (await isUsedBeyond(db, authority, roleId))) fault('role.shared');
    await db.selectFrom('roles').select('id').where('id', '=', roleId).forNoKeyUpdate().execute();
    return { role, builtIn: row.built_in || isBuiltIn(role.code), revision: row.revision };
  },

  /** Refuses a parent that the caller does not see, or that is below the role itself. */
  async needsParent(authority: Authority, parentId: number, below: ReadonlySet<number>): Promise<void> {
    const rows = await readRows(db, authority);
    const mayHold =
      rows.has(parentId) && (parentId === authority.role.id || authority.roleIds.includes(parentId));
    if (!mayHold) fault('request.invalid', { fields: { parent_id: 'role.parent' } });
    if (below.has(parentId)) fault('request.invalid', { fields: { parent_id: 'role.loop' } });
  },

  /** Names of other tenants do not count, because the caller must not learn them. */
  async needsName(authority: Authority, parentId: number | null, name: string, besides = 0): Promise<void> {
    const visible = await readRows(db, authority);
    const taken = [...visible.keys()]
      .map((id) => authority.tree.get(id)!)
      .some((role) => role.name === name && role.parentId === parentId && role.id !== besides);
    if (taken) fault('role.taken', { fields: { name: 'role.taken' } });
  },

  async add(given: {
    name: string;
    description: string;
    parentId: number;
    letters: readonly Letter[];
    enabled: boolean;
    ownerId: number | null;
  }): Promise<number> {
    const { count, code } = await db
      .selectFrom('roles')
      .select((eb) => [eb.fn.countAll<number>().as('count'), eb.fn.max('code').as('code')])
      .executeTakeFirstOrThrow();
    if (count >= mostRoles) fault('role.many', { with: { limit: mostRoles } });
    const { id } = await db
      .insertInto('roles')
      .values({
        code: Math.max(firstOwnCode, code + 1),
        name: given.name,
        description: given.description,
        parent_id: given.parentId,
        letters: inOrder(given.letters),
        enabled: given.enabled,
        owner_id: given.ownerId,
      })
      .returning('id')
      .executeTakeFirstOrThrow();
    return id;
  },

  async edit(
    roleId: number,
    changes: {
      name?: string | undefined;
      description?: string | undefined;
      parentId?: number | undefined;
      letters?: readonly Letter[] | undefined;
      enabled?: boolean | undefined;
    },
  ): Promise<void> {
    const { name, description, parentId, letters: chosen, enabled } = changes;
    await db
      .updateTable('roles')
      .set((row) => ({
        ...(name === undefined ? {} : { name }),
        ...(description === undefined ? {} : { description }),
        ...(parentId === undefined ? {} : { parent_id: parentId }),
        ...(chosen === undefined ? {} : { letters: inOrder(chosen) }),
        ...(enabled === undefined ? {} : { enabled }),
        revision: row('revision', '+', 1),
      }))
      .where('id', '=', roleId)
      .execute();
  },

  async setTwoStep(roleId: number, required: boolean): Promise<void> {
    await db
      .updateTable('roles')
      .set((row) => ({ two_step: required, revision: row('revision', '+', 1) }))
      .where('id', '=', roleId)
      .execute();
  },

  /** The users who prevent the deletion of a role, by name if the caller manages them; empty: none. */
  async usedBy(authority: Authority, roleId: number): Promise<{ names: string[]; more: number }> {
    const known = sql<{ name: string }>`
      select ${displayNameOf('u')} as name from users u join roles r on r.id = u.role_id
      where u.role_id = ${roleId} and ${managed(authority)} order by 1 limit ${namedUsers}`;
    const all = sql<{ count: number }>`
      select count(*) as count from users u where u.role_id = ${roleId} and ${notDeleted('u')}`;
    const [{ rows: users }, { rows: counted }] = await Promise.all([known.execute(db), all.execute(db)]);
    const children = [...authority.tree.values()].filter(({ parentId }) => parentId === roleId);
    const visible = await readRows(db, authority);
    const named = children.filter(({ id }) => visible.has(id)).map(({ name }) => name);
    return {
      names: [...users.map(({ name }) => name), ...named.slice(0, namedUsers)],
      more: (counted[0]?.count ?? 0) - users.length + children.length - Math.min(named.length, namedUsers),
    };
  },

  /** Deleted accounts with the role get its parent role. */
  async remove({ id, parentId }: RoleNode): Promise<void> {
    if (parentId !== null) await moveDeletedUsers(db, id, parentId);
    await db.deleteFrom('roles').where('id', '=', id).execute();
  },
});

const inOrder = (chosen: readonly Letter[]): string =>
  letters.filter((letter) => chosen.includes(letter)).join('');
