import { hash } from '@node-rs/argon2';
import { type RawBuilder, sql } from 'kysely';
import type { BodyOf } from '#contract/endpoint.ts';
import type { Language } from '#contract/languages.ts';
import { builtInRoles, isBuiltIn } from '#contract/permissions.ts';
import { type NamedRegion, regionPathText } from '#contract/region-names.ts';
import { roleName } from '#contract/role-names.ts';
import { mostNamedProjects, type UserRow, type userEndpoints } from '#contract/users.ts';
import type { Db } from '#database/connect.ts';
import { provedUnlessChanged } from '#server/core/account.ts';
import { accountContains } from '#server/core/account-search.ts';
import { type Authority, managed } from '#server/core/authority.ts';
import { fault } from '#server/core/fault.ts';
import { notDeleted } from '#server/core/not-deleted.ts';
import { regionPath } from '#server/regions/regions.store.ts';
import { forgetBrowsers } from '#server/session/known-browsers.ts';
import { forgetLinks } from '#server/session/links.ts';
import type { Place } from './place.ts';

type Filters = BodyOf<typeof userEndpoints.export>;
interface Stored {
  user_id: number;
  username: string;
  nickname: string;
  email: string;
  mobile: string;
  mobile_proved_at: Date | null;
  password_changed_at: Date;
  created_at: Date;
  enabled: boolean;
  auto_sign_in: boolean;
  two_step: boolean;
  region_id: number | null;
  area: readonly NamedRegion[];
  revision: number;
  role_id: number;
  role: number;
  role_name: string;
  role_enabled: boolean;
  projects: UserRow['projects'] | null;
  project_count: number;
  sessions: number;
  seen_at: Date | null;
}
/** A user whose row is locked until the transaction ends. */
interface HeldUser {
  id: number;
  username: string;
  mobile: string;
  enabled: boolean;
  autoSignIn: boolean;
  roleId: number;
  role: number;
  revision: number;
}

const exportBatch = 500;
const orders = {
  // Unique among accounts that are not deleted.
  username: sql`lower(u.username)`,
  '-username': sql`lower(u.username) desc`,
  nickname: sql`lower(u.nickname), u.id`,
  '-nickname': sql`lower(u.nickname) desc, u.id desc`,
  created_at: sql`u.created_at, u.id`,
  '-created_at': sql`u.created_at desc, u.id desc`,
};

/** The accounts that the caller manages, and their own; the ids are found once, not for each row. */
const visible = (authority: Authority): RawBuilder<unknown> =>
  authority.scope.all
    ? sql`true`
    : sql`u.id = any(array(select ${authority.userId}::int union all
        select u.id from users u join roles r on r.id = u.role_id where ${managed(authority)}))`;

/** The same accounts, limited by the filters: a condition on `users u` alone. */
const condition = (authority: Authority, { search, role_id, status, project_id, region_id }: Filters) =>
  sql.join(
    [
      notDeleted('u'),
      visible(authority),
      ...(search === undefined ? [] : [accountContains('u', search)]),
      ...(role_id === undefined ? [] : [sql`u.role_id = ${role_id}`]),
      ...(status === undefined ? [] : [sql`u.enabled = ${status === 'enabled'}`]),
      ...(project_id === undefined
        ? []
        : [sql`u.id in (select user_id from user_projects where project_id = ${project_id})`]),
      ...(region_id === undefined ? [] : [sql`u.id in (${usersBelow(region_id)})`]),
    ],
    sql` and `,
  );

/** Users of a region, or of a project in it; the projects of the region are looked up first. */
const usersBelow = (regionId: number) => {
  const below = sql`array(select below.id from regions asked join regions below on below.path like asked.path || '%'
    where asked.id = ${regionId})`;
  return sql`select id from users where region_id = any(${below})
    union all select given.user_id from user_projects given join projects p on p.id = given.project_id
    where p.region_id = any(${below})`;
};

const columns = (now: number, most: number) => sql`
  u.id as user_id, u.username, u.nickname, u.email, u.mobile, u.mobile_proved_at, u.password_changed_at, u.created_at,
  u.enabled, u.auto_sign_in, u.region_id, u.revision, r.id as role_id, r.code as role, r.name as role_name,
  r.enabled as role_enabled, ${regionPath('area.path')} as area, named.projects, given.project_count, open.sessions, open.seen_at,
  exists (select from two_step second where second.user_id = u.id and second.confirmed_at is not null) as two_step
  from users u join roles r on r.id = u.role_id
    left join regions region on region.id = u.region_id
    cross join lateral (
      select count(*)::int as project_count, min(place.path) as path
      from user_projects up join projects p on p.id = up.project_id and ${notDeleted('p')}
        join regions place on place.id = p.region_id
      where up.user_id = u.id) given
    cross join lateral (
      select jsonb_agg(jsonb_build_object('project_id', first.id, 'name', first.name, 'parts', coalesce((
          select jsonb_agg(jsonb_build_object('part_id', part.id, 'name', part.name) order by part.name)
          from project_parts part where part.id = any(first.part_ids)), '[]')) order by first.name, first.id) as projects
      from (
        select p.id, p.name, up.part_ids from user_projects up
          join projects p on p.id = up.project_id and ${notDeleted('p')}
        where up.user_id = u.id order by p.name, p.id limit ${most}) first) named
    cross join lateral (select coalesce(region.path, given.path) as path) area
    cross join lateral (
      select count(*) as sessions, max(s.seen_at) as seen_at from sessions s
      where s.user_id = u.id and s.ended_as is null and s.expires_at > ${new Date(now)}) open`;

const labelOf = (role: number): UserRow['label'] =>
  role === builtInRoles.admin ? 'superadmin' : isBuiltIn(role) ? 'admin' : null;

const shown = (row: Stored, callerId: number, language: Language): UserRow => {
  const { mobile_proved_at, password_changed_at, created_at, enabled, role_enabled, seen_at, ...rest } = row;
  return {
    ...rest,
    role_name: roleName(row.role, row.role_name, language),
    label: labelOf(row.role),
    mobile_confirmed: row.mobile !== '' && mobile_proved_at !== null,
    area: regionPathText(row.area, language),
    projects: row.projects ?? [],
    password_changed_at: password_changed_at.toISOString(),
    created_at: created_at.toISOString(),
    status: enabled ? 'enabled' : 'disabled',
    role_disabled: !role_enabled,
    seen_at: seen_at?.toISOString() ?? null,
    own: row.user_id === callerId,
  };
};

export interface Reader {
  authority: Authority;
  language: Language;
  now: number;
}

export const userStore = (db: Db) => ({
  async list({ authority, language, now }: Reader, body: BodyOf<typeof userEndpoints.list>) {
    const { page, limit, sort, cursor: _cursor, ...filters } = body;
    const order = orders[(sort ?? '-created_at') as keyof typeof orders];
    const { ids, total } = await pageOf(db, authority, filters, { order, limit, offset: (page - 1) * limit });
    return {
      list: await rowsOf(db, { authority, language, now }, ids, mostNamedProjects.row),
      total,
      page,
      limit,
    };
  },

  /** The newest accounts that the search finds. */
  async find(authority: Authority, search: string, most: number) {
    const { rows } = await sql<Pick<UserRow, 'user_id' | 'username' | 'nickname' | 'mobile'>>`
      select u.id as user_id, u.username, u.nickname, u.mobile from users u
      where ${condition(authority, { search })} order by ${orders['-created_at']} limit ${most}`.execute(db);
    return rows;
  },

  async *every(reader: Reader, filters: Filters): AsyncGenerator<UserRow> {
    const where = condition(reader.authority, filters);
    for (let last = 0; ; ) {
      const { rows } = await sql<{ id: number }>`
        select u.id from users u
        where ${where} and u.id > ${last} order by u.id limit ${exportBatch}`.execute(db);
      yield* await rowsOf(
        db,
        reader,
        rows.map(({ id }) => id),
        mostNamedProjects.cell,
      );
      if (rows.length < exportBatch) return;
      last = rows.at(-1)!.id;
    }
  },

  /** A user that the caller manages, or their own account. Throws `user.missing`. */
  async one(reader: Reader, userId: number): Promise<UserRow> {
    const { rows } = await sql<{ id: number }>`
      select u.id from users u where u.id = ${userId} and ${condition(reader.authority, {})}`.execute(db);
    const [row] = await rowsOf(
      db,
      reader,
      rows.map(({ id }) => id),
      mostNamedProjects.detail,
    );
    return row ?? fault('user.missing');
  },

  /**
   * What stops without an account: enabled timers that use its permissions, and tags that only their owner
   * removes.
   */
  async depends(userId: number): Promise<{ timers: number; tags: number }> {
    const { rows } = await sql<{ timers: number; tags: number }>`
      select (select count(*) from timers where author_id = ${userId} and enabled and run_by = 'server') as timers,
        (select count(*) from lockout_tags where owner_id = ${userId} and removed_at is null) as tags`.execute(
      db,
    );
    return rows[0] ?? { timers: 0, tags: 0 };
  },

  /** Locks a user that the caller manages. Throws `user.missing`. */
  async hold(authority: Authority, userId: number): Promise<HeldUser> {
    const { rows } = await sql<HeldUser>`
      select u.id, u.username, u.mobile, u.enabled, u.auto_sign_in as "autoSignIn", u.role_id as "roleId",
        r.code as role, u.revision
      from users u join roles r on r.id = u.role_id
      where u.id = ${userId} and ${managed(authority)} for no key update of u`.execute(db);
    return rows[0] ?? fault('user.missing');
  },

  async edit(
    userId: number,
    changes: {
      username?: string | undefined;
      nickname?: string | undefined;
      email?: string | undefined;
      mobile?: string | undefined;
      autoSignIn?: boolean | undefined;
    },
  ): Promise<void> {
    const { autoSignIn, mobile, ...texts } = changes;
    const given = Object.fromEntries(Object.entries(texts).filter(([, text]) => text !== undefined));
    await db
      .updateTable('users')
      .set((row) => ({
        ...given,
        ...(mobile === undefined ? {} : { mobile }),
        ...(autoSignIn === undefined ? {} : { auto_sign_in: autoSignIn }),
        mobile_proved_at: provedUnlessChanged(mobile),
        revision: row('revision', '+', 1),
      }))
      .where('id', '=', userId)
      .execute();
  },

  async setRole(userId: number, roleId: number, place: Place): Promise<void> {
    await db
      .updateTable('users')
      .set({ role_id: roleId, region_id: place.regionId })
      .where('id', '=', userId)
      .execute();
    await db.deleteFrom('user_projects').where('user_id', '=', userId).execute();
    await writeProject(db, userId, place);
  },

  async setStatus(userId: number, enabled: boolean): Promise<void> {
    await db
      .updateTable('users')
      .set((row) => ({ enabled, revision: row('revision', '+', 1) }))
      .where('id', '=', userId)
      .execute();
  },

  async setPassword(userId: number, password: string, now: number): Promise<void> {
    await db
      .updateTable('users')
      .set({ password_hash: await hash(password), password_changed_at: new Date(now) })
      .where('id', '=', userId)
      .execute();
  },

  /** The row stays, because logs, timers and tags refer to it. */
  async remove(userId: number, now: number): Promise<void> {
    await db
      .updateTable('users')
      .set((row) => ({
        enabled: false,
        auto_sign_in: false,
        deleted_at: new Date(now),
        revision: row('revision', '+', 1),
      }))
      .where('id', '=', userId)
      .execute();
    await db.deleteFrom('user_projects').where('user_id', '=', userId).execute();
    await forgetBrowsers(db, userId);
    await forgetLinks(db, userId);
  },

  /** Throws `user.lastAdmin` if no other user who manages the whole installation could sign in. */
  async needsOtherAdmin({ id, role }: Pick<HeldUser, 'id' | 'role'>): Promise<void> {
    if (role !== builtInRoles.admin) return;
    const other = await db
      .selectFrom('users')
      .innerJoin('roles', 'roles.id', 'users.role_id')
      .select('users.id')
      .where('roles.code', '=', builtInRoles.admin)
      .where('roles.enabled', '=', true)
      .where('users.enabled', '=', true)
      .where(notDeleted('users'))
      .where('users.id', '<>', id)
      .limit(1)
      .executeTakeFirst();
    if (!other) fault('user.lastAdmin');
  },
});

/** Removes the users of deleted projects from these. */
export const leaveProjects = (db: Db, projectIds: readonly number[]) =>
  db.deleteFrom('user_projects').where('project_id', 'in', projectIds).execute();

/** Deleted accounts still refer to their role: those of a deleted role get another one. */
export const moveDeletedUsers = (db: Db, from: number, to: number) =>
  db
    .updateTable('users')
    .set({ role_id: to })
    .where('role_id', '=', from)
    .where('deleted_at', 'is not', null)
    .execute();

/**
 * Ids of a page, and the total number. For users who see everything both have an index; for others the visible
 * accounts are found once for both.
 */
const pageOf = async (
  db: Db,
  authority: Authority,
  filters: Filters,
  { order, limit, offset }: { order: RawBuilder<unknown>; limit: number; offset: number },
): Promise<{ total: number; ids: number[] }> => {
  const where = condition(authority, filters);
  const page = sql`order by ${order} limit ${limit} offset ${offset}`;
  if (!authority.scope.all) {
    const { rows } = await sql<{ total: number; ids: number[] }>`
      with found as materialized (select u.id, u.username, u.nickname, u.created_at from users u where ${where})
      select (select count(*) from found) as total, array(select u.id from found u ${page}) as ids`.execute(
      db,
    );
    return rows[0]!;
  }
  const [counted, found] = await Promise.all([
    sql<{ total: number }>`select count(*) as total from users u where ${where}`.execute(db),
    sql<{ id: number }>`select u.id from users u where ${where} ${page}`.execute(db),
  ]);
  return { total: counted.rows[0]!.total, ids: found.rows.map(({ id }) => id) };
};

const rowsOf = async (
  db: Db,
  reader: Reader,
  ids: readonly number[],
  mostProjects: number,
): Promise<UserRow[]> => {
  if (ids.length === 0) return [];
  const { rows } =
    await sql<Stored>`select ${columns(reader.now, mostProjects)} where u.id = any(${ids}::int[])`.execute(
      db,
    );
  const found = new Map(rows.map((row) => [row.user_id, row]));
  return ids.flatMap((id) => {
    const row = found.get(id);
    return row ? [shown(row, reader.authority.userId, reader.language)] : [];
  });
};

const writeProject = async (db: Db, userId: number, { projectId, partIds }: Place): Promise<void> => {
  if (projectId === null) return;
  await db
    .insertInto('user_projects')
    .values({ user_id: userId, project_id: projectId, part_ids: [...partIds] })
    .execute();
};
