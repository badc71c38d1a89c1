import { readXlsx } from 'hucre/xlsx';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sentence } from '#contract/faults/codes.ts';
import { languages } from '#contract/languages.ts';
import { makeAlarm } from '#test/alarm-factory.ts';
import { bindAll } from '#test/all-features.ts';
import { makeDevice, makePart, makeProject, makeUser } from '#test/factories.ts';
import { type Client, createWorld, type World } from '#test/world.ts';

let world: World;
let admin: Client;
let mine: Client;
let theirs: Client;
let here: { id: number };
let there: { id: number };

const form = (given: Record<string, unknown> = {}) => ({
  name: '张伟',
  mobile: '13912345678',
  position: '电工',
  project_ids: [here.id],
  ...given,
});
const add = async (client: Client, given: Record<string, unknown> = {}): Promise<number> => {
  const answer = await client.call('/person/add', form(given));
  expect(answer.data).toEqual({ person_id: expect.any(Number) });
  return answer.data.person_id;
};
const listed = async (client: Client, body: object = {}) =>
  (await client.call('/person/get_list', body)).data;

beforeAll(async () => {
  world = await createWorld(bindAll);
  admin = await world.as((await makeUser(world.db, { role: 1 })).id);
  here = await makeProject(world.db, { name: 'Here' });
  there = await makeProject(world.db, { name: 'There', region_id: 310000 });
  mine = await world.as((await makeUser(world.db, { role: 170, letters: 'DG', projects: [here] })).id);
  theirs = await world.as((await makeUser(world.db, { role: 170, letters: 'DG', projects: [there] })).id);
});
afterAll(() => world.close());

describe('personnel', () => {
  it('lists people with their projects, and can be searched, filtered and exported', async () => {
    const person_id = await add(mine, { name: '李娜', mobile: '+7 (912) 345-67-89' });
    expect((await listed(mine, { search: '李娜' })).list).toMatchObject([
      { person_id, mobile: '79123456789', projects: [{ project_id: here.id, name: 'Here' }], shared: false },
    ]);
    expect((await listed(mine, { project_id: there.id })).total).toBe(0);
    const { response } = await mine.call(
      '/person/export',
      { search: '李娜' },
      { 'accept-language': 'en-US' },
    );
    const [header, row] = (await readXlsx(response.rawPayload)).sheets[0]?.rows ?? [];
    expect(header?.[0]).toBe('Name');
    expect(row?.slice(0, 2)).toEqual(['李娜', '79123456789']);
  });

  it.each([
    ['name', '', 'person.name'],
    ['name', '王', 'name.real'],
    ['mobile', '', 'user.mobile'],
    ['mobile', '123', 'phone.digits'],
    ['project_ids', [], 'person.projects'],
  ] as const)('refuses %s %j in three languages', async (field, value, code) => {
    for (const language of languages) {
      const answer = await admin.call('/person/add', form({ [field]: value }), {
        'accept-language': language,
      });
      expect([answer.status, answer.data]).toEqual([422, { [field]: sentence(code, language) }]);
    }
  });

  it('hides another tenant’s people and projects', async () => {
    const person_id = await add(theirs, { name: '赵敏', project_ids: [there.id] });
    expect(JSON.stringify(await listed(mine, { limit: 200 }))).not.toContain('赵敏');
    const foreign = await mine.call('/person/edit', { person_id, name: '钱多' });
    const unknown = await mine.call('/person/edit', { person_id: 999_999, name: '钱多' });
    expect([foreign.status, foreign.msg]).toEqual([404, unknown.msg]);
    expect((await mine.call('/person/delete', { ids: [person_id] })).data.done).toBe(0);
    for (const project of [there.id, 999_999])
      expect((await mine.call('/person/add', form({ project_ids: [here.id, project] }))).data).toEqual({
        project_ids: sentence('person.projects', 'zh-CN'),
      });
    expect((await listed(theirs)).list).toMatchObject([{ name: '赵敏' }]);
  });

  it('keeps the other projects of a person when one tenant edits or removes theirs', async () => {
    const person_id = await add(admin, { name: '孙悦', project_ids: [here.id, there.id] });
    expect((await listed(mine, { search: '孙悦' })).list).toMatchObject([
      { shared: true, projects: [{ project_id: here.id }] },
    ]);
    expect((await mine.call('/person/edit', { person_id, mobile: '13900000000' })).status).toBe(409);
    expect((await mine.call('/person/delete', { ids: [person_id] })).data.done).toBe(1);
    expect((await listed(mine, { search: '孙悦' })).total).toBe(0);
    expect((await listed(theirs, { search: '孙悦' })).list).toMatchObject([{ mobile: '13912345678' }]);
  });

  it('does not say that a person was removed whom a user of a part can only read', async () => {
    const part = await makePart(world.db, here.id);
    const user = await makeUser(world.db, {
      role: 170,
      letters: 'DG',
      projects: [{ id: here.id, parts: [part.id] }],
    });
    const limited = await world.as(user.id);
    const person_id = await add(mine, { name: '孙静' });
    expect((await limited.call('/person/delete', { ids: [person_id] })).data).toEqual({
      results: [{ id: person_id, result: 'denied', reason: sentence('person.shared', 'zh-CN') }],
      done: 0,
      denied: 1,
    });
    expect((await listed(mine, { search: '孙静' })).total).toBe(1);
  });

  it('adds two people of the project to the contacts of an alarm', async () => {
    const device = await makeDevice(world.db, { project_id: there.id });
    const alarm = await makeAlarm(world.pool, device, { code: 201, at: world.clock.now() });
    const phones = async () =>
      (await theirs.call('/device_warning/getDetatil', { id: alarm })).data.contacts.map(
        ({ phone }: { phone: string }) => phone,
      );
    const before = await phones();
    await add(theirs, { name: '周舟', mobile: '13700000001', project_ids: [there.id] });
    expect(before[0]).toBe('13800000000');
    expect((await phones()).length).toBeLessThanOrEqual(3);
    expect(await phones()).toContain('13912345678');
  });
});
