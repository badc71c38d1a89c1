import { sql } from 'kysely';
import type { BodyOf } from '#contract/endpoint.ts';
import type { Language } from '#contract/languages.ts';
import { lettersOf } from '#contract/permissions.ts';
import { roleName } from '#contract/role-names.ts';
import type { sessionEndpoints } from '#contract/session.ts';
import type { Db } from '#database/connect.ts';
import { fault } from '#server/core/fault.ts';
import { notDeleted } from '#server/core/not-deleted.ts';
import type { Caller } from '#server/core/session.ts';

type Preferences = BodyOf<typeof sessionEndpoints.preferences>;

export const sessionStore = (db: Db) => ({
  /** The reply of a sign-in about a user and the first of their projects. */
  async signedIn(userId: number) {
    const user = await db
      .selectFrom('users')
      .innerJoin('roles', 'roles.id', 'users.role_id')
      .select(['users.username', 'roles.code as role', 'roles.letters'])
      .where('users.id', '=', userId)
      .executeTakeFirstOrThrow();
    return {
      username: user.username,
      role: user.role,
      role_menu_auth: lettersOf(user.role, user.letters).join(''),
      ...(await ownProject(db, userId)),
    };
  },

  async check(caller: Caller) {
    const { preferences } = await db
      .selectFrom('users')
      .select('preferences')
      .where('id', '=', caller.userId)
      .executeTakeFirstOrThrow();
    const project = await firstProject(db, caller.userId);
    return {
      user_id: caller.userId,
      username: caller.username,
      nickname: caller.nickname,
      role: caller.role,
      role_menu_auth: caller.letters.join(''),
      letters: [...caller.letters],
      permissions: [...caller.permissions],
      preferences: preferences as Preferences,
      authenticated_at: caller.authenticatedAt.toISOString(),
      project_id: project?.id ?? null,
      projectName: project?.name ?? '',
    };
  },

  async profile(userId: number, language: Language) {
    const user = await db
      .selectFrom('users')
      .innerJoin('roles', 'roles.id', 'users.role_id')
      .select([
        'users.id as user_id',
        'users.username',
        'users.nickname',
        'users.mobile',
        'users.mobile_proved_at',
        'users.email',
        'roles.code as role',
        'roles.name as role_name',
        'roles.letters',
        'users.created_at',
      ])
      .where('users.id', '=', userId)
      .executeTakeFirstOrThrow();
    const { mobile_proved_at, letters, ...profile } = user;
    return {
      ...profile,
      role_menu_auth: lettersOf(user.role, letters).join(''),
      ...(await ownProject(db, userId)),
      mobile_confirmed: mobile_proved_at !== null,
      role_name: roleName(user.role, user.role_name, language),
      created_at: user.created_at.toISOString(),
    };
  },

  async setPreferences(userId: number, changes: Preferences): Promise<Preferences> {
    const row = await db
      .selectFrom('users')
      .select('preferences')
      .where('id', '=', userId)
      .forUpdate()
      .executeTakeFirstOrThrow();
    const preferences = { ...(row.preferences as Preferences), ...changes };
    await db
      .updateTable('users')
      .set({ preferences: JSON.stringify(preferences) })
      .where('id', '=', userId)
      .execute();
    return preferences;
  },

  /** Open sessions of a user; `tokenHash` is the reader's own. */
  async sessionsOf(userId: number, tokenHash: Buffer, now: number) {
    const rows = await db
      .selectFrom('sessions')
      .selectAll()
      .where('user_id', '=', userId)
      .where('ended_as', 'is', null)
      .where('expires_at', '>', new Date(now))
      .orderBy('seen_at', 'desc')
      .limit(50)
      .execute();
    return rows.map((row) => ({
      id: row.token_hash.toString('hex', 0, 8),
      current: row.token_hash.equals(tokenHash),
      created_at: row.created_at.toISOString(),
      seen_at: row.seen_at.toISOString(),
      address: row.address,
      agent: row.agent,
    }));
  },

  /** The hash of an open session by its id. Throws `thing.missing`. */
  async hashOf(userId: number, id: string): Promise<Buffer> {
    const rows = await db
      .selectFrom('sessions')
      .select('token_hash')
      .where('user_id', '=', userId)
      .where('ended_as', 'is', null)
      .execute();
    const session = rows.find((row) => row.token_hash.toString('hex', 0, 8) === id) ?? fault('thing.missing');
    return session.token_hash;
  },
});

const firstProject = (db: Db, userId: number) =>
  db
    .selectFrom('user_projects')
    .innerJoin('projects', 'projects.id', 'user_projects.project_id')
    .select([
      'projects.id',
      'projects.name',
      'projects.code',
      'projects.contact_name',
      'projects.contact_phone',
      'projects.joined_at',
    ])
    .where('user_projects.user_id', '=', userId)
    .where(notDeleted('projects'))
    .orderBy('projects.id')
    .executeTakeFirst();

/** The first of a user’s projects for the sign-in and the profile; empty without one. */
const ownProject = async (db: Db, userId: number) => {
  const project = await firstProject(db, userId);
  return {
    project_id: project?.id ?? null,
    projectName: project?.name ?? '',
    project_username: project?.contact_name ?? '',
    project_phone: project?.contact_phone ?? '',
    project_add_time: project?.joined_at.toISOString() ?? null,
    project_codeid: project?.code ?? '',
  };
};

/** Whether the installation still lacks something that supervision needs. */
export const isSettingUp = async (
  db: Db,
  { scope, permissions }: Pick<Caller, 'scope' | 'permissions'>,
): Promise<boolean> => {
  if (!scope.all || !permissions.has('project.create')) return false;
  const { rows } = await sql<{ missing: boolean }>`
    select not (exists (select from projects where ${notDeleted('projects')})
      and exists (select from devices where project_id is not null and ${notDeleted('devices')})
      and exists (select from notices where ${notDeleted('notices')})) as missing`.execute(db);
  return rows[0]!.missing;
};
