import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { endpoints } from '#contract/endpoints.ts';
import { type FaultCode, sentence } from '#contract/faults/codes.ts';
import { languages } from '#contract/languages.ts';
import { bindAll } from './all-features.ts';
import { makeUser } from './factories.ts';
import { sampleBody } from './sample-body.ts';
import { type Client, createWorld, testPassword, type World } from './world.ts';

let world: World;
let admin: Client;
let known: Record<string, unknown>;
beforeAll(async () => {
  world = await createWorld(bindAll);
  const user = await makeUser(world.db, { role: 1 });
  admin = await world.as(user.id);
  known = {
    ...{ role_id: user.role_id, nickname: 'Li Wei', mobile: '13800000001', email: 'li@example.org' },
    ...{ username: 'liwei', own_password: testPassword },
  };
});
afterAll(() => world.close());

const tooShort = ['abc12', 'abcdefgh', '12345678', 'a1'.repeat(10).concat('b')];
/** Section 5 of the specification, as far as people, records and versions go: a call, a field, what it refuses. */
const rules: readonly [path: string, field: string, given: unknown, fault: FaultCode][] = [
  ['/user/add', 'username', '', 'user.username'],
  ['/user/add', 'username', undefined, 'user.username'],
  ['/user/add', 'nickname', ' ', 'user.nickname'],
  ['/user/add', 'nickname', '王', 'name.real'],
  ['/user/add', 'nickname', '一二三四五六七八', 'name.real'],
  ['/user/add', 'email', '', 'user.email'],
  ['/user/add', 'email', 'nobody', 'email.form'],
  ['/user/add', 'mobile', '', 'user.mobile'],
  ['/user/add', 'mobile', '1380000000', 'phone.digits'],
  ['/user/add', 'mobile', '138000000000', 'phone.digits'],
  ['/user/add', 'password', '', 'user.password'],
  ...tooShort.map((password): (typeof rules)[number] => [
    '/user/add',
    'password',
    password,
    'password.addLength',
  ]),
  ['/user/add', 'role_id', '', 'user.role'],
  ['/user/add', 'role_id', undefined, 'user.role'],
  ['/person/add', 'name', '', 'person.name'],
  ['/person/add', 'mobile', '', 'user.mobile'],
  ['/role/add', 'name', ' ', 'role.name'],
  ['/role/add', 'description', '', 'role.description'],
  ['/role/add', 'letters', [], 'role.letters'],
  ['/content/add', 'title', ' ', 'content.title'],
  ['/content/add', 'content', '', 'content.text'],
  ['/category/add', 'name', '', 'category.name'],
  ['/category/add', 'icon_id', '', 'category.icon'],
  ['/category/add', 'icon_id', undefined, 'category.icon'],
  ['/feedback/add', 'content', ' ', 'feedback.content'],
  ['/maintenance/add_record', 'content', '', 'maintenance.content'],
  ['/maintenance/add_record', 'handler_phone', '138', 'phone.digits'],
  ['/Project/add_project', 'name', '', 'project.name'],
  ['/Project/delete_project', 'project_ids', [], 'project.choose'],
  ['/Project/add_project', 'lat', 22.5, 'map.choose'],
];
describe.each(languages)('in %s', (language) => {
  test.each(rules)('%s refuses a %s of %j', async (path, field, given, fault) => {
    const endpoint = endpoints.find((each) => each.path === path)!;
    const body = { ...sampleBody(endpoint.body, known), [field]: given };
    const { status, data } = await admin.call(path, body, { 'accept-language': language });
    expect([status, data[field]]).toEqual([422, sentence(fault, language)]);
  });
});

test.each(['mac_type', 'mac_name', 'appVersion', 'platformVersion'])(
  'a version without %s is refused in three languages',
  (field) => {
    const { body } = endpoints.find(({ path }) => path === '/version/add_version')!;
    const given = { mac_type: 3, mac_name: 'Switch', appVersion: '1.0', platformVersion: '1.0' };
    const { error } = body.safeParse({ ...given, [field]: '' });
    expect(error?.issues.map(({ path }) => path[0])).toContain(field);
  },
);
