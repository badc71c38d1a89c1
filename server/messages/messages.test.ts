import { afterAll, beforeAll, expect, it } from 'vitest';
import { makeDevice, makeProject, makeTag, makeUser } from '#test/factories.ts';
import { type Client, createWorld, type World } from '#test/world.ts';
import { listenForMessages } from './listen.ts';
import { messageRoutes } from './messages.routes.ts';

let world: World;
let author: Client;
let stop: () => Promise<void>;
beforeAll(async () => {
  world = await createWorld((serve) => messageRoutes(serve));
  stop = listenForMessages({ ...world, onError: () => {} });
});
afterAll(async () => {
  await stop();
  await world.close();
});

it('a missed timer notifies its author once, in the author’s language, with the reason', async () => {
  const project = await makeProject(world.db, { name: 'Harbour' });
  const device = await makeDevice(world.db, { project_id: project.id });
  author = await world.as((await makeUser(world.db, { role: 3, projects: [project] })).id);
  const run = {
    timerId: 1,
    deviceId: device.id,
    lineId: device.lines[0]!.id,
    projectId: project.id,
    partId: null,
    authorId: author.userId,
    dueAt: Date.parse('2026-11-20T00:00:00Z'),
    action: 'open' as const,
    outcome: 'missed' as const,
    reason: 'server.busy',
  };
  world.bus.emit('timer.ran', run);
  world.bus.emit('timer.ran', run);
  world.bus.emit('timer.ran', { ...run, outcome: 'fired', dueAt: run.dueAt + 1 });
  await world.hears('message.posted', ({ userIds }) => userIds.includes(author.userId));
  await stop();
  const english = await author.call(
    '/system_message/index',
    { type: 'timer' },
    { 'accept-language': 'en-US' },
  );
  expect(english.data.list).toHaveLength(1);
  expect(english.data.list[0].title).toBe('A timer did not run');
  expect(english.data.list[0].text).toMatch(
    /^Harbour \/ .+ \/ Line 1: open at 2026-11-20 08:00 did not run \(.+\)$/,
  );
  expect(english.data.list[0].text).not.toContain('server.busy');
  const russian = await author.call('/system_message/index', {}, { 'accept-language': 'ru' });
  expect(russian.data.list[0].title).toBe('Таймер не выполнен');
});

it('a call that names no messages counts the unread ones and marks none as read', async () => {
  const reader = await world.as((await makeUser(world.db, { role: 1 })).id);
  await world.db
    .insertInto('messages')
    .values(
      [1, 2, 3].map((order) => ({
        ...{ user_id: reader.userId, type: 'system', key: 'feedback.new' },
        data: JSON.stringify({ who: 'A', text: 'B' }),
        at: new Date(world.clock.now() + order),
      })),
    )
    .execute();
  const read = async (body: object) => (await reader.call('/system_message/getRed', body)).data;
  expect(await read({})).toEqual({ done: 0, unread: 3 });
  const [{ id }] = (await reader.call('/system_message/index')).data.list;
  expect(await read({ ids: [id] })).toEqual({ done: 1, unread: 2 });
  expect(await read({ all: true })).toEqual({ done: 2, unread: 0 });
});

it('a tag that is due for review notifies its owner, and an expiring service notifies the users responsible for the device', async () => {
  const project = await makeProject(world.db, { name: 'Quay' });
  const bare = await makeProject(world.db, { name: 'Mole' });
  const person = async (given: Parameters<typeof makeUser>[1]) =>
    world.as((await makeUser(world.db, given)).id);
  const keeper = await person({ role: 3, projects: [project] });
  // A user of role 32 sees parts only: a whole project set for such a user shows nothing.
  const ofParts = await person({ role: 32, projects: [project] });
  const regional = await person({ role: 2, region_id: 440300 });
  const elsewhere = await person({ role: 2, region_id: 310000 });
  const device = await makeDevice(world.db, { project_id: project.id });
  const lonely = await makeDevice(world.db, { project_id: bare.id });
  await world.db.updateTable('devices').set({ expires_on: '2026-12-10' }).execute();
  const restart = listenForMessages({ ...world, onError: () => {} });
  const change = (which: typeof device, projectId: number, level: 1 | 2, kind: 'raised' | 'escalated') => ({
    lineId: which.deviceLine.id,
    alarmId: which.id,
    deviceId: which.id,
    projectId,
    partId: null,
    code: 806,
    level,
    severity: 4,
    kind,
    quiet: false,
  });
  const raised = [change(device, project.id, 1, 'raised'), change(lonely, bare.id, 1, 'raised')];
  world.bus.emit('alarms.changed', raised);
  world.bus.emit('alarms.changed', raised);
  world.bus.emit('alarms.changed', [change(device, project.id, 2, 'escalated')]);
  const now = world.clock.now();
  const tag = await makeTag(
    world.db,
    { device_id: device.id },
    { owner: keeper.userId, at: now, reason: 'Busbar open', review_at: new Date(now) },
  );
  world.bus.emit('tag.changed', {
    tagId: tag.id,
    kind: 'review',
    on: { deviceId: device.id },
    projectId: project.id,
    partId: null,
    ownerId: keeper.userId,
  });
  await restart();
  const listOf = async (who: Client) =>
    (await who.call('/system_message/index', {}, { 'accept-language': 'en-US' })).data.list as {
      type: string;
      title: string;
      text: string;
    }[];
  const mine = await listOf(keeper);
  expect(mine.map(({ type, title, text }) => [type, title, text])).toEqual([
    ['tag', 'Lock-out tag due for review', expect.stringMatching(/^Quay \/ .+: Busbar open$/)],
    ['device', 'Service is about to expire', expect.stringMatching(/^Quay \/ .+: on 2026-12-10$/)],
    ['device', 'Service is about to expire', expect.stringMatching(/^Quay \/ .+: on 2026-12-10$/)],
  ]);
  expect((await listOf(regional)).map(({ text }) => text)).toEqual([
    expect.stringMatching(/^Mole \/ .+: on 2026-12-10$/),
  ]);
  expect(await listOf(elsewhere)).toEqual([]);
  expect(await listOf(ofParts)).toEqual([]);
});
