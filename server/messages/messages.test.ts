import { afterAll, beforeAll, expect, it } from 'vitest';
import { makeDevice, makeProject, makeUser } from '#test/factories.ts';
import { type Client, createWorld, type World } from '#test/world.ts';
import { listenForMessages } from './messages.listen.ts';
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

it('a missed timer is told its author once, in the author’s language, with the reason', async () => {
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
