import type { Db } from '#database/connect.ts';
import { holds, type Scope, scopeOf } from '#server/core/scope.ts';

export interface Person {
  readonly id: number;
  readonly name: string;
  readonly mobile: string;
  readonly role: number;
  readonly wechat: boolean;
  scope(): Promise<Scope>;
}
export interface People {
  byId(id: number): Person | undefined;
  /** The account that has this phone number. */
  byPhone(phone: string): Person | undefined;
  ofRole(role: number): readonly Person[];
}

/** Everybody who may sign in; scopes are looked up when they are first asked for. */
export const peopleOf = async (db: Db): Promise<People> => {
  const rows = await db
    .selectFrom('users')
    .innerJoin('roles', 'roles.id', 'users.role_id')
    .leftJoin('wechat_followers', 'wechat_followers.user_id', 'users.id')
    .select([
      'users.id',
      'users.username',
      'users.nickname',
      'users.mobile',
      'users.region_id',
      'roles.code',
      'wechat_followers.openid',
    ])
    .where('users.enabled', '=', true)
    .where('roles.enabled', '=', true)
    .where('users.deleted_at', 'is', null)
    .orderBy('users.id')
    .execute();
  const scopes = new Map<number, Promise<Scope>>();
  const people = rows.map((row): Person => {
    const user = { id: row.id, role: row.code, regionId: row.region_id };
    return {
      id: row.id,
      name: row.nickname || row.username,
      mobile: row.mobile,
      role: row.code,
      wechat: row.openid !== null,
      scope: () => {
        const scope = scopes.get(row.id) ?? scopeOf(db, user);
        scopes.set(row.id, scope);
        return scope;
      },
    };
  });
  const byId = new Map(people.map((person) => [person.id, person]));
  const byPhone = new Map(
    people.filter((person) => person.mobile !== '').map((person) => [person.mobile, person]),
  );
  const byRole = Map.groupBy(people, (person) => person.role);
  return {
    byId: (id) => byId.get(id),
    byPhone: (phone) => byPhone.get(phone),
    ofRole: (role) => byRole.get(role) ?? [],
  };
};

export const sees = async (
  person: Person | undefined,
  alarm: { lineId: number; projectId: number | null; partId: number | null },
): Promise<boolean> => {
  if (person === undefined) return false;
  const scope = await person.scope();
  if (holds(scope, alarm.projectId, alarm.partId)) return true;
  // An outage of the whole project is theirs as well who look after a part of it.
  return (
    alarm.lineId < 0 &&
    alarm.projectId !== null &&
    !scope.all &&
    scope.partProjectIds.includes(alarm.projectId)
  );
};
