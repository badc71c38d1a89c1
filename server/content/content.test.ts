import { readXlsx } from 'hucre/xlsx';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { sentence } from '#contract/faults/codes.ts';
import { makeProject, makeUser } from '#test/factories.ts';
import { type Client, createWorld, type World } from '#test/world.ts';
import { contentRoutes } from './content.routes.ts';

let world: World;
let editor: Client;
let reader: Client;
beforeAll(async () => {
  world = await createWorld((serve) => contentRoutes(serve));
  editor = await world.as((await makeUser(world.db, { role: 1, nickname: 'Editor' })).id);
  const project = await makeProject(world.db);
  reader = await world.as((await makeUser(world.db, { role: 3, projects: [{ id: project.id }] })).id);
});
afterAll(() => world.close());
beforeEach(async () => {
  await world.db.deleteFrom('contents').execute();
});

const add = async (title: string, given: object = {}) =>
  (await editor.call('/content/add', { title, content: `About **${title}**`, ...given })).data.id as number;
const list = async (body: object = {}) => (await editor.call('/content/get_list', body)).data;

test('a text can be added, listed with its author, changed and deleted', async () => {
  const id = await add('Evacuation');
  expect(await list()).toMatchObject({
    total: 1,
    list: [{ id, title: 'Evacuation', content: 'About **Evacuation**', status: 'enabled', author: 'Editor' }],
  });
  const edited = await editor.call('/content/edit', { id, title: 'Evacuation plan', revision: 1 });
  expect(edited.data).toEqual({ id, revision: 2 });
  expect((await editor.call('/content/edit', { id, title: 'Other', revision: 1 })).status).toBe(409);
  expect((await list({ title: 'plan' })).total).toBe(1);
  expect((await editor.call('/content/del', { ids: [id, id + 1] })).data).toEqual({ done: 1 });
  expect((await editor.call('/content/edit', { id, title: 'Gone' })).status).toBe(404);
});

test('only enabled texts are shown, to every signed-in user', async () => {
  const shown = await add('Shown');
  const hidden = await add('Hidden', { enabled: false });
  expect((await list({ status: 'disabled' })).list.map(({ id }: { id: number }) => id)).toEqual([hidden]);
  const { data } = await reader.call('/content/published');
  expect(data.list).toEqual([expect.objectContaining({ id: shown, title: 'Shown' })]);
  await editor.call('/content/edit', { id: hidden, enabled: true });
  expect((await reader.call('/content/published')).data.list).toHaveLength(2);
  expect((await reader.call('/content/get_list')).status).toBe(403);
});

test('an account that does not manage every project changes no text', async () => {
  const id = await add('Rules');
  const project = await makeProject(world.db);
  const { id: userId } = await makeUser(world.db, { role: 77, letters: 'F', projects: [{ id: project.id }] });
  const tenant = await world.as(userId);
  for (const [path, body] of [
    ['/content/add', { title: 'Call 13800000000', content: 'x' }],
    ['/content/edit', { id, title: 'Other rules' }],
    ['/content/del', { ids: [id] }],
  ] as const) {
    const answer = await tenant.call(path, body, { 'accept-language': 'en-US' });
    expect([answer.status, answer.msg]).toEqual([403, sentence('permission.everyProject', 'en-US')]);
  }
  expect((await tenant.call('/content/get_list')).data.list).toMatchObject([{ id, title: 'Rules' }]);
});

test.each([
  ['zh-CN', '请输入标题（不超过 100 个字符）'],
  ['en-US', 'Enter a title of at most 100 characters'],
  ['ru-RU', 'Введите заголовок (не более 100 символов)'],
])('a text without a title is refused at its field: %s', async (language, message) => {
  const answer = await editor.call(
    '/content/add',
    { title: ' ', content: 'x' },
    { 'accept-language': language },
  );
  expect(answer).toMatchObject({ status: 422, data: { title: message } });
});

test('the list is exported as a spreadsheet', async () => {
  await add('Rules');
  const { response } = await editor.call('/content/export', {}, { 'accept-language': 'en-US' });
  const rows = (await readXlsx(new Uint8Array(response.rawPayload))).sheets[0]?.rows ?? [];
  expect(rows.map((row) => row.slice(0, 4))).toEqual([
    ['Title', 'Content', 'Status', 'Author'],
    ['Rules', 'About **Rules**', 'Enabled', 'Editor'],
  ]);
});
