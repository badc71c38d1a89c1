import { builtInRoles } from '#contract/permissions.ts';
import type { Db } from '#database/connect.ts';
import { holds, type Scope, scopesOf } from '#server/core/scope.ts';

export interface FurnishedPlace {
  id: number;
  name: string;
  regionId: number;
  partIds: readonly number[];
  joinedAt: number;
}
export interface FurnishedUser {
  id: number;
  username: string;
  /** Nickname. */
  name: string;
  mobile: string;
  role: number;
  scope: Scope;
}
export const sees = (
  { scope }: FurnishedUser,
  at: { projectId: number | null; partId: number | null },
): boolean => holds(scope, at.projectId, at.partId);

/** Projects that a user sees, whole or in part; empty for one who sees all. */
export const projectsOf = ({ scope }: FurnishedUser): number[] =>
  scope.all ? [] : [...scope.projectIds, ...scope.partProjectIds];

const roles = [
  { code: 101, name: '值班员', description: '查看统计、控制线路、处理警报', letters: 'ABD' },
  { code: 102, name: '运维主管', description: '全部菜单，限所属项目', letters: 'ABCDEFGHIJKLMN' },
];

interface Person {
  username: string;
  nickname: string;
  mobile: string;
  role: number;
  /** First digits of the region of a regional administrator. */
  province?: string;
  /** Indexes of projects. */
  places?: readonly number[];
  /** Indexes of parts within each of these projects; absent: all parts. */
  parts?: readonly number[];
}
/** A project's contact has the phone number that its devices show. */
const people: readonly Person[] = [
  { username: 'guangdong', nickname: '黄海涛', mobile: '13900000201', role: 2, province: '44' },
  { username: 'jiangsu', nickname: '顾晓燕', mobile: '13900000202', role: 2, province: '32' },
  { username: 'office-sz', nickname: '陈志远', mobile: '13800000101', role: 3, places: [0] },
  { username: 'hospital-hz', nickname: '沈雅琴', mobile: '13800000105', role: 3, places: [4] },
  { username: 'logistics', nickname: '赵铁军', mobile: '13800000110', role: 3, places: [9, 10] },
  { username: 'dorm-1', nickname: '刘敏', mobile: '13800000103', role: 32, places: [2], parts: [0, 1] },
  { username: 'workshop-3', nickname: '吴建国', mobile: '13800000102', role: 32, places: [1], parts: [2, 3] },
  { username: 'duty', nickname: '孙立', mobile: '13900000401', role: 101, places: [0, 1, 2, 3, 4, 5] },
  {
    username: 'operations',
    nickname: '周婷',
    mobile: '13900000402',
    role: 102,
    places: [...Array(12).keys()],
  },
];

/** Contact persons of projects without an account; `places` are indexes of projects. */
const personnel = [
  { name: '马志强', mobile: '13900000501', position: '电工', places: [0] },
  { name: '胡秀兰', mobile: '13900000502', position: '物业经理', places: [0] },
  { name: '郭永刚', mobile: '13900000503', position: '值班电工', places: [1, 2] },
  { name: '高丽华', mobile: '13900000504', position: '安全员', places: [4] },
  { name: '林国栋', mobile: '13900000505', position: '维保工程师', places: [3, 5, 6] },
  { name: '何静', mobile: '13900000506', position: '仓库主管', places: [9, 10] },
];
const furnishPersonnel = async (db: Db, places: readonly FurnishedPlace[], at: Date): Promise<void> => {
  for (const { places: own, ...person } of personnel) {
    const { id } = await db
      .insertInto('persons')
      .values({ ...person, created_at: at })
      .returning('id')
      .executeTakeFirstOrThrow();
    await db
      .insertInto('person_projects')
      .values(own.map((index) => ({ person_id: id, project_id: places[index]!.id })))
      .execute();
  }
};

/** Roles in addition to the built-in ones, and users of every role; all share one password. */
export const furnishPeople = async (
  db: Db,
  places: readonly FurnishedPlace[],
  given: { at: Date; passwordHash: string },
): Promise<FurnishedUser[]> => {
  const top = await db
    .selectFrom('roles')
    .select('id')
    .where('code', '=', builtInRoles.admin)
    .executeTakeFirstOrThrow();
  await db
    .insertInto('roles')
    .values(roles.map((role) => ({ ...role, parent_id: top.id })))
    .execute();
  const roleIds = new Map(
    (await db.selectFrom('roles').select(['id', 'code']).execute()).map((role) => [role.code, role.id]),
  );
  const users: Omit<FurnishedUser, 'scope'>[] = [];
  for (const person of people) {
    const user = await db
      .insertInto('users')
      .values({
        username: person.username,
        nickname: person.nickname,
        mobile: person.mobile,
        mobile_proved_at: given.at,
        email: `${person.username}@example.org`,
        password_hash: given.passwordHash,
        password_changed_at: given.at,
        role_id: roleIds.get(person.role)!,
        region_id: person.province === undefined ? null : Number(`${person.province}0000`),
        created_at: given.at,
      })
      .returning('id')
      .executeTakeFirstOrThrow();
    const own = (person.places ?? []).map((index) => places[index]!);
    if (own.length > 0)
      await db
        .insertInto('user_projects')
        .values(
          own.map((place) => ({
            user_id: user.id,
            project_id: place.id,
            part_ids: (person.parts ?? []).map((index) => place.partIds[index]!),
          })),
        )
        .execute();
    users.push({
      id: user.id,
      username: person.username,
      name: person.nickname,
      mobile: person.mobile,
      role: person.role,
    });
  }
  await furnishPersonnel(db, places, given.at);
  const scopes = await scopesOf(db, users);
  return users.map((user) => ({ ...user, scope: scopes.get(user.id)! }));
};
