import type { Db } from '#database/connect.ts';
import { isActiveAccount } from '#server/core/account.ts';
import { seesAlarm } from '#server/core/alarm-scope.ts';
import { displayName } from '#server/core/display-name.ts';
import { type Scope, scopeOf } from '#server/core/scope.ts';

export interface Person {
  readonly id: number;
  readonly name: string;
  readonly role: number;
  readonly wechat: boolean;
  scope(): Promise<Scope>;
}
interface Place {
  readonly lineId: number;
  readonly projectId: number | null;
  readonly partId: number | null;
}
export interface People {
  byId(id: number): Person | undefined;
  /** An account that is disabled or deleted, or whose role is disabled: it gets nothing. */
  inactive(id: number): Person | undefined;
  /** The accounts with this confirmed phone number that may see the alarm. */
  ofContact(phone: string, alarm: Place): Promise<readonly Person[]>;
  ofRole(role: number): readonly Person[];
}

/** All accounts; scopes are looked up when first needed. */
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
      'users.mobile_proved_at',
      'roles.code',
      'wechat_followers.openid',
      isActiveAccount.as('active'),
    ])
    .orderBy('users.id')
    .execute();
  const scopes = new Map<number, Promise<Scope>>();
  const personOf = (row: (typeof rows)[number]): Person => {
    const user = { id: row.id, role: row.code };
    return {
      id: row.id,
      name: displayName(row),
      role: row.code,
      wechat: row.openid !== null,
      scope: () => {
        const scope = scopes.get(row.id) ?? scopeOf(db, user);
        scopes.set(row.id, scope);
        return scope;
      },
    };
  };
  const [active, others] = [rows.filter((row) => row.active), rows.filter((row) => !row.active)];
  const people = active.map(personOf);
  const byId = new Map(people.map((person) => [person.id, person]));
  const inactive = new Map(others.map((row) => [row.id, personOf(row)]));
  const proved = active.filter((row) => row.mobile !== '' && row.mobile_proved_at !== null);
  const byPhone = Map.groupBy(proved, (row) => row.mobile);
  const byRole = Map.groupBy(people, (person) => person.role);
  return {
    byId: (id) => byId.get(id),
    inactive: (id) => inactive.get(id),
    async ofContact(phone, alarm) {
      const found: Person[] = [];
      for (const { id } of byPhone.get(phone) ?? [])
        if (await sees(byId.get(id), alarm)) found.push(byId.get(id)!);
      return found;
    },
    ofRole: (role) => byRole.get(role) ?? [],
  };
};

export const sees = async (person: Person | undefined, alarm: Place): Promise<boolean> =>
  person !== undefined && seesAlarm(await person.scope(), alarm);
