import { request } from 'node:http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeAlarm } from '#test/alarm-factory.ts';
import { makeDevice, makeProject, makeUser } from '#test/factories.ts';
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

const listen = (token: string, since = '') => {
  const stream = { text: '', ended: false, cut: () => {} };
  const asked = request(
    { port, host: '127.0.0.1', path: `/live${since}`, headers: { authorization: token } },
    (response) => {
      response.setEncoding('utf8');
      response.on('data', (text: string) => {
        stream.text += text;
      });
      response.on('end', () => {
        stream.ended = true;
      });
      response.on('error', () => {});
    },
  );
  asked.on('error', () => {});
  asked.end();
  stream.cut = () => void asked.destroy();
  return stream;
};
/** The id by which a stream that takes the place of this one resumes. */
const lastIdOf = (stream: { text: string }): string | undefined =>
  [...stream.text.matchAll(/^id: (.+)$/gm)].at(-1)?.[1];
const alarmsOn = (stream: { text: string }): number[] =>
  [...stream.text.matchAll(/^event: alarm\ndata: \{"id":(\d+)/gm)].map(([, id]) => Number(id));
const aChange = {
  ...{ lineId: 1, deviceId: 1, projectId: null, partId: null, code: 201, level: 2 as const },
  ...{ severity: 2, kind: 'raised' as const, quiet: false },
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
  expect(disabled.text).toContain('event: session\n');
  expect(stream.ended).toBe(false);
  send(2);
  world.live.send('settings', { device_id: 3 }, { projectId: null, partId: null, userIds: [user.id] });
  await eventually(async () => stream.text.includes('"device_id":3'));
  expect(stream.text).not.toContain('"device_id":2');

  world.clock.advance(400 * 86_400_000);
  await world.live.renew();
  await eventually(async () => stream.ended);
});

test('a stream says that a session of its user was ended, before it ends', async () => {
  const user = await makeUser(world.db, { role: 1 });
  const stream = listen((await world.as(user.id)).token);
  await eventually(async () => lastIdOf(stream) !== undefined);
  world.bus.emit('session.ended', { userId: user.id });
  await eventually(async () => stream.ended);
  expect(stream.text).toMatch(/event: session\ndata: \{\}\n\n$/);
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

test('the event of a formerly suppressed alarm names its cause, the event of a new alarm does not', async () => {
  const stream = listen((await world.as((await makeUser(world.db, { role: 1 })).id)).token);
  await eventually(async () => stream.text.includes('event: hello'));
  world.bus.emit('alarms.changed', [
    { ...aChange, alarmId: 71 },
    { ...aChange, alarmId: 72, heldBackBy: 109 },
  ]);
  const lineAbout = (id: number) => stream.text.split('\n').find((line) => line.includes(`"id":${id},`));
  await eventually(async () => lineAbout(72) !== undefined);
  expect(lineAbout(72)).toContain('"held_back_by":109');
  expect(lineAbout(71)).not.toContain('held_back_by');
});

test('a stream that replaces a broken one sends the alarms that were missed in between', async () => {
  const { token } = await world.as((await makeUser(world.db, { role: 1 })).id);
  const first = listen(token);
  await eventually(async () => lastIdOf(first) !== undefined);
  world.bus.emit('alarms.changed', [{ ...aChange, alarmId: 81 }]);
  await eventually(async () => alarmsOn(first).includes(81));
  first.cut();
  world.bus.emit('alarms.changed', [{ ...aChange, alarmId: 82 }]);
  const second = listen(token, `?since=${lastIdOf(first)}`);
  await eventually(async () => alarmsOn(second).includes(82));
  expect(second.text).toContain('"resumed":true');
  expect(alarmsOn(second)).toEqual([82]);
});

test('after a restart, or on another node, missed alarms are read from the database', async () => {
  const project = await makeProject(world.db);
  const device = await makeDevice(world.db, { project_id: project.id });
  const reader = await makeUser(world.db, { role: 3, projects: [project] });
  const stranger = await makeUser(world.db, { role: 3, projects: [await makeProject(world.db)] });
  const owned = { ...device, part_id: null };
  const gone = Date.now() - 60_000;
  const before = await makeAlarm(world.pool, owned, { at: gone - 60_000, code: 201 });
  const during = await makeAlarm(world.pool, owned, { at: gone + 30_000, code: 301 });
  await makeAlarm(world.pool, owned, { at: gone + 31_000, code: 302, handled: true });
  const [younger, older] = [
    await makeAlarm(world.pool, owned, { at: gone + 32_000, code: 303, late: true }),
    await makeAlarm(world.pool, owned, { at: gone + 33_000, code: 502, late: true }),
  ];
  for (const [minutes, id] of [
    [15, younger],
    [16, older],
  ] as const)
    await world.pool.query(
      `update alarms set raised_at = received_at - $1 * interval '1 minute' where id = $2`,
      [minutes, id],
    );
  const escalated = await makeAlarm(world.pool, owned, { at: gone - 70_000, code: 103 });
  await world.pool.query(
    `insert into alarm_history (line_id, alarm_id, seq, at, kind) select line_id, id, 99, now(), 'escalated' from alarms where id = $1`,
    [escalated],
  );

  // Two days old: one rises, one appears that was a consequence.
  const day = 86_400_000;
  const old: number[] = [];
  for (const [code, kind] of [
    [401, 'escalated'],
    [402, 'released'],
  ] as const) {
    const id = await makeAlarm(world.pool, owned, { at: gone - 2 * day, code });
    await world.pool.query(
      'insert into alarm_history (line_id, alarm_id, seq, at, kind) select line_id, id, 99, now(), $2 from alarms where id = $1',
      [id, kind],
    );
    old.push(id);
  }

  const stream = listen((await world.as(reader.id)).token, `?since=otherserver-7-${gone}`);
  await eventually(async () => lastIdOf(stream) !== undefined);
  expect(stream.text).toContain('"resumed":false');
  expect(alarmsOn(stream).sort()).toEqual([during, younger, escalated, ...old].sort());
  expect(alarmsOn(stream)).not.toContain(before);
  const other = listen((await world.as(stranger.id)).token, `?since=otherserver-7-${gone}`);
  await eventually(async () => lastIdOf(other) !== undefined);
  expect(alarmsOn(other)).toEqual([]);

  // Later events come as usual, once.
  world.bus.emit('alarms.changed', [{ ...aChange, alarmId: 91, projectId: project.id }]);
  await eventually(async () => alarmsOn(stream).includes(91));
  expect(alarmsOn(stream).filter((id) => id === 91)).toEqual([91]);
});

test('an alarm of a backlog that popped up when it arrived does not do so again when live data confirms it', async () => {
  const project = await makeProject(world.db);
  const device = { ...(await makeDevice(world.db, { project_id: project.id })), part_id: null };
  const reader = await makeUser(world.db, { role: 3, projects: [project] });
  const gone = Date.now() - 60_000;
  const woken: number[] = [];
  for (const [code, minutes, data] of [
    [301, 10, '{"shown":true}'],
    [302, 20, '{}'],
  ] as const) {
    const id = await makeAlarm(world.pool, device, { at: gone - 30_000, code });
    await world.pool.query(
      `with a as (update alarms set raised_at = received_at - $1 * interval '1 minute' where id = $2 returning line_id, id)
       insert into alarm_history (line_id, alarm_id, seq, at, kind, data) select line_id, id, 99, now(), 'released', $3 from a`,
      [minutes, id, data],
    );
    woken.push(id);
  }
  const stream = listen((await world.as(reader.id)).token, `?since=otherserver-7-${gone}`);
  await eventually(async () => lastIdOf(stream) !== undefined);
  expect(alarmsOn(stream)).toEqual(woken.slice(1));
});

test('a stream that cannot read what its console missed ends without an id, so that the next one reads it', async () => {
  const project = await makeProject(world.db);
  const device = { ...(await makeDevice(world.db, { project_id: project.id })), part_id: null };
  const { token } = await world.as((await makeUser(world.db, { role: 3, projects: [project] })).id);
  const gone = Date.now() - 60_000;
  const missed = await makeAlarm(world.pool, device, { at: gone + 30_000, code: 301 });
  await world.pool.query('alter table alarm_history rename to away');
  const failed = listen(token, `?since=otherserver-7-${gone}`);
  await eventually(async () => failed.ended);
  await world.pool.query('alter table away rename to alarm_history');
  expect(lastIdOf(failed)).toBeUndefined();
  const next = listen(token, `?since=otherserver-7-${gone}`);
  await eventually(async () => lastIdOf(next) !== undefined);
  expect(alarmsOn(next)).toEqual([missed]);
});

test.each(['x', 'a-b-c', '-1', '1-2', 'é-1-1', `${'9'.repeat(20)}-9-9`])(
  'a stream with the invalid last event id %s begins as a new one',
  async (since) => {
    const stream = listen(
      (await world.as((await makeUser(world.db, { role: 1 })).id)).token,
      `?since=${encodeURIComponent(since)}`,
    );
    await eventually(async () => lastIdOf(stream) !== undefined);
    expect(stream.text).toContain('"resumed":false');
  },
);
