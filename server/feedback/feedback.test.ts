import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { messageRoutes } from '#server/messages/messages.routes.ts';
import { makePart, makeProject, makeUser } from '#test/factories.ts';
import { type Client, createWorld, type World } from '#test/world.ts';
import { feedbackRoutes } from './feedback.routes.ts';
import { mostADay } from './feedback.store.ts';

let world: World;
let admin: Client;
let writer: Client;
let other: Client;
beforeAll(async () => {
  world = await createWorld((serve) => {
    feedbackRoutes(serve);
    messageRoutes(serve);
  });
  admin = await world.as((await makeUser(world.db, { role: 1, nickname: 'Admin' })).id);
  const mine = await makeProject(world.db, { name: 'Mine' });
  const foreign = await makeProject(world.db, { name: 'Foreign' });
  writer = await world.as(
    (await makeUser(world.db, { role: 3, nickname: 'Anna', projects: [{ id: mine.id }] })).id,
  );
  const desk = await makeUser(world.db, { role: 78, letters: 'M', projects: [{ id: foreign.id }] });
  other = await world.as(desk.id);
});
afterAll(() => world.close());
beforeEach(async () => {
  await world.db.deleteFrom('feedback').execute();
  await world.db.deleteFrom('messages').execute();
});

const write = (content = 'The chart is empty', by = writer) =>
  by.call('/feedback/add', { type: 'problem', contact: '13800000000', content });
const newsOf = async (of: Client) =>
  (await of.call('/system_message/index', {}, { 'accept-language': 'en-US' })).data.list.map(
    ({ title, text }: { title: string; text: string }) => [title, text],
  );

test('the quotation of a long text ends with a whole character', async () => {
  expect((await write(`${'x'.repeat(199)}🔥 smoke`)).code).toBe(200);
  expect(await newsOf(admin)).toEqual([['New feedback', `Anna: ${'x'.repeat(199)}🔥…`]]);
});

test('feedback reaches the administrator, and the answer reaches its author', async () => {
  const { id } = (await write()).data;
  expect(await newsOf(admin)).toEqual([['New feedback', 'Anna: The chart is empty']]);
  expect((await admin.call('/feedback/get_list', { answered: 'no' })).data).toMatchObject({
    total: 1,
    list: [
      { id, nickname: 'Anna', contact: '13800000000', type: 'problem', project_name: 'Mine', reply: null },
    ],
  });
  await admin.call('/feedback/reply', { id, reply: 'Reload it, please' });
  expect(await newsOf(writer)).toEqual([['Your feedback was answered', 'Reload it, please']]);
  expect((await writer.call('/feedback/mine')).data.list).toMatchObject([
    { id, reply: 'Reload it, please', replied_by: 'Admin' },
  ]);
  expect((await admin.call('/feedback/get_list', { answered: 'no' })).data.total).toBe(0);
});

test('a user of another project neither sees, answers nor deletes it', async () => {
  const { id } = (await write()).data;
  expect((await other.call('/feedback/get_list')).data.total).toBe(0);
  expect((await other.call('/feedback/reply', { id, reply: 'x' })).status).toBe(404);
  expect((await other.call('/feedback/del', { ids: [id] })).data).toEqual({ done: 0 });
  expect((await other.call('/feedback/mine')).data.list).toEqual([]);
  expect((await admin.call('/feedback/del', { ids: [id] })).data).toEqual({ done: 1 });
});

test('feedback of a project is read by who manages all of it; who manages a part has only their own', async () => {
  const project = await makeProject(world.db);
  const part = await makePart(world.db, project.id);
  const by = async (role: number, letters: string, parts: number[]) =>
    world.as((await makeUser(world.db, { role, letters, projects: [{ id: project.id, parts }] })).id);
  const whole = await by(78, 'M', []);
  const limited = await by(78, 'M', [part.id]);
  const { id } = (await write('The gate is broken', await by(3, '', []))).data;
  const own = (await write('My line has no name', limited)).data.id;
  expect((await limited.call('/feedback/get_list')).data).toMatchObject({ total: 0, list: [] });
  expect((await limited.call('/feedback/reply', { id, reply: 'x' })).status).toBe(404);
  expect((await limited.call('/feedback/del', { ids: [id] })).data).toEqual({ done: 0 });
  expect((await limited.call('/feedback/mine')).data.list).toMatchObject([{ id: own }]);
  expect((await whole.call('/feedback/get_list')).data.total).toBe(2);
});

test('feedback is found by a part of its writer’s name, newest first, page by page', async () => {
  for (const content of ['first', 'second', 'third']) await write(content);
  await write('of somebody else', other);
  const found = async (body: object) => {
    const { data } = await admin.call('/feedback/get_list', { nickname: 'NN', limit: 2, ...body });
    return [data.total, data.list.map(({ content }: { content: string }) => content)];
  };
  expect(await found({})).toEqual([3, ['third', 'second']]);
  expect(await found({ page: 2 })).toEqual([3, ['first']]);
  expect(await found({ sort: 'time' })).toEqual([3, ['first', 'second']]);
  expect(await found({ nickname: '13800000000' })).toEqual([0, []]);
});

test('one user can write a limited number of times a day', async () => {
  for (let n = 0; n < mostADay; n += 1) expect((await write(`No ${n}`)).status).toBe(200);
  expect((await write('One more')).status).toBe(429);
  await world.db
    .updateTable('feedback')
    .set({ at: new Date(world.clock.now() - 25 * 3_600_000) })
    .execute();
  expect((await write('Next day')).status).toBe(200);
});

test.each([
  ['zh-CN', '请输入反馈内容（不超过 2000 个字符）'],
  ['en-US', 'Enter your feedback in at most 2,000 characters'],
  ['ru-RU', 'Введите текст обращения (не более 2000 символов)'],
])('feedback without a text is refused at the field: %s', async (language, message) => {
  const answer = await writer.call('/feedback/add', { type: 'other' }, { 'accept-language': language });
  expect(answer).toMatchObject({ status: 422, data: { content: message } });
});
