import { request } from 'node:http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeProject, makeUser } from '#test/factories.ts';
import { eventually } from '#test/wait.ts';
import { createWorld, type World } from '#test/world.ts';
import { liveListen, liveRoutes } from './listen.ts';

let world: World;
let port: number;
beforeAll(async () => {
  world = await createWorld((serve, parts) => {
    liveRoutes(serve, parts.live, parts.clock);
    liveListen(parts);
  });
  port = Number(new URL(await world.app.listen({ port: 0, host: '127.0.0.1' })).port);
});
afterAll(() => world.close());

const listen = (token: string) => {
  const stream = { text: '', ended: false };
  request({ port, host: '127.0.0.1', path: '/live', headers: { authorization: token } }, (response) => {
    response.setEncoding('utf8');
    response.on('data', (text: string) => {
      stream.text += text;
    });
    response.on('end', () => {
      stream.ended = true;
    });
  }).end();
  return stream;
};

test('a stream carries what its reader may see, and ends when the session expires', async () => {
  const project = (await makeProject(world.db)).id;
  const user = await makeUser(world.db, { role: 3, projects: [{ id: project }] });
  const other = await makeUser(world.db, { role: 3, projects: [{ id: project }] });
  const stream = listen((await world.as(user.id)).token);
  const disabled = listen((await world.as(other.id)).token);
  await eventually(async () => world.live.size() === 2);
  const send = (deviceId: number) =>
    world.live.send('settings', { device_id: deviceId }, { projectId: project, partId: null });
  send(1);
  await eventually(
    async () => stream.text.includes('"device_id":1') && disabled.text.includes('"device_id":1'),
  );

  await world.db.deleteFrom('user_projects').where('user_id', '=', user.id).execute();
  await world.db.updateTable('users').set({ enabled: false }).where('id', '=', other.id).execute();
  await world.live.renew();
  await eventually(async () => disabled.ended);
  expect(stream.ended).toBe(false);
  send(2);
  world.live.send('settings', { device_id: 3 }, { projectId: null, partId: null, userIds: [user.id] });
  await eventually(async () => stream.text.includes('"device_id":3'));
  expect(stream.text).not.toContain('"device_id":2');

  world.clock.advance(400 * 86_400_000);
  await world.live.renew();
  await eventually(async () => stream.ended);
});

test('a user has a bounded number of streams; the limit of one user does not affect others', async () => {
  const client = await world.as((await makeUser(world.db, { role: 1 })).id);
  const other = await world.as((await makeUser(world.db, { role: 1 })).id);
  const before = world.live.size();
  for (let n = 0; n < 100; n += 1) listen(client.token);
  await eventually(async () => world.live.size() === before + 100);
  const refused = await world.app.inject({ url: '/live', headers: { authorization: client.token } });
  expect([refused.statusCode, refused.headers['retry-after']]).toEqual([429, '60']);
  listen(other.token);
  await eventually(async () => world.live.size() === before + 101);
});

test('an alarm that its cause suppressed until now names that cause, and a new one names none', async () => {
  const stream = listen((await world.as((await makeUser(world.db, { role: 1 })).id)).token);
  await eventually(async () => stream.text.includes('event: hello'));
  const change = {
    lineId: 1,
    deviceId: 1,
    projectId: null,
    partId: null,
    code: 201,
    level: 2 as const,
    severity: 2,
    kind: 'raised' as const,
    quiet: false,
  };
  world.bus.emit('alarms.changed', [
    { ...change, alarmId: 71 },
    { ...change, alarmId: 72, heldBackBy: 109 },
  ]);
  const lineAbout = (id: number) => stream.text.split('\n').find((line) => line.includes(`"id":${id},`));
  await eventually(async () => lineAbout(72) !== undefined);
  expect(lineAbout(72)).toContain('"held_back_by":109');
  expect(lineAbout(71)).not.toContain('held_back_by');
});
