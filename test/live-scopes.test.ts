import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { endpoints } from '#contract/endpoints.ts';
import { jobLive } from '#server/device-jobs/live.ts';
import { rolloutLive } from '#server/firmware/live.ts';
import { liveListen } from '#server/live/listen.ts';
import { tagLive } from '#server/tags/live.ts';
import { timerLive } from '#server/timers/live.ts';
import { makeAlarm } from './alarm-factory.ts';
import { bindAll } from './all-features.ts';
import { type EventStream, listenTo } from './event-stream.ts';
import { makeDevice, makePart, makeProject, makeUser } from './factories.ts';
import { sampleBody } from './sample-body.ts';
import { makeTenant, makeTenantDays, type Tenant } from './tenants.ts';
import { eventually } from './wait.ts';
import { type Client, createWorld, testPassword, type World } from './world.ts';

let world: World;
let base: string;
let admin: Client;
const open: EventStream[] = [];

beforeAll(async () => {
  world = await createWorld((serve, parts) => {
    bindAll(serve, parts);
    liveListen(parts);
    timerLive(parts);
    tagLive(parts);
    jobLive(parts);
    rolloutLive(parts);
  });
  base = await world.app.listen({ port: 0, host: '127.0.0.1' });
  admin = await world.as((await makeUser(world.db, { role: 1 })).id);
});
afterAll(async () => {
  for (const stream of open) stream.close();
  await world.close();
});

const listen = async (client: Client, query = ''): Promise<EventStream> => {
  const stream = await listenTo(`${base}/live${query}`, client.token);
  open.push(stream);
  return stream;
};
const told = ({ events }: EventStream) =>
  events.filter(({ name }) => name !== 'hello' && name !== 'heartbeat');

describe('another tenant', () => {
  const left = /^\/(live|database)|logout|end_session|change_password|two_step/;
  const writing = endpoints.filter(
    ({ path, permission, log, upload }) =>
      permission !== 'public' && log !== undefined && !upload && !left.test(path),
  );
  const period = { from: '2026-11-19T00:00:00Z', to: '2026-11-20T12:00:00Z' };
  const proof = { password: testPassword, own_password: testPassword, revision: 1 };
  let own: Tenant;
  let other: Tenant;
  let readers: Client[];

  beforeAll(async () => {
    await makeTenantDays(world);
    own = await makeTenant(world, { mark: 'OWN', n: 1, region_id: 440305, start: 100_000 });
    other = await makeTenant(world, { mark: 'OTHER', n: 2, region_id: 310000, start: 500_000 });
    const part = { id: own.projectId, parts: [own.partId] };
    const accounts = [
      await makeUser(world.db, { role: 2, region_id: 440000 }),
      await makeUser(world.db, { role: 3, projects: [{ id: own.projectId }] }),
      await makeUser(world.db, { role: 32, projects: [part] }),
    ];
    readers = [own.keeper, ...(await Promise.all(accounts.map(({ id }) => world.as(id))))];
  });

  const devicesOf = ({ idsFor }: Tenant) => idsFor('')['device_ids'] as [number, number];
  /** What devices, timers and jobs of a tenant report, for its whole project and for its part. */
  const happen = (tenant: Tenant) => {
    const { bus, clock } = world;
    const at = clock.now();
    const ids = tenant.idsFor('') as Record<'line_id' | 'timer_id' | 'tag_id', number> &
      Record<'command_id' | 'batch_id' | 'job_id', string>;
    const { projectId, keeper, partId } = tenant;
    const [first, inPart] = devicesOf(tenant);
    for (const [deviceId, part] of [
      [first, null],
      [inPart, partId],
    ] as const) {
      const on = { deviceId, lineId: ids.line_id };
      const report = { ...on, at, boot: 1, seq: 1, position: 1 as const };
      const facts = { trip: null, lock: null, energy: 1, channels: [220], latest: true, n: 1 };
      bus.emit('readings.stored', [{ ...report, ...facts, receivedAt: at }]);
      bus.emit('position.changed', [{ ...report, cause: 'manual', code: null, commandId: null }]);
      const alarm = { projectId, code: 101, level: 2 as const, severity: 1, quiet: false };
      bus.emit('alarms.changed', [
        { ...on, ...alarm, alarmId: 1, partId: part, kind: 'raised' },
        { ...alarm, lineId: -projectId, deviceId: 0, alarmId: 2, partId: null, kind: 'cleared' },
      ]);
      bus.emit('device.online', { deviceId, online: true, at, why: 'test' });
      bus.emit('settings.progressed', { deviceId });
      const command = { commandId: ids.command_id, batchId: ids.batch_id };
      bus.emit('command.changed', { ...on, ...command, state: 'verified', verb: 'open' });
      const run = { action: 'open', outcome: 'fired', reason: null, dueAt: at } as const;
      const timer = { timerId: ids.timer_id, authorId: keeper.userId, projectId, partId: part };
      bus.emit('timer.ran', { ...on, ...run, ...timer });
      const tag = { tagId: ids.tag_id, on: { deviceId }, projectId, partId: part, ownerId: keeper.userId };
      bus.emit('tag.changed', { ...tag, kind: 'review' });
      bus.emit('tag.changed', { ...tag, kind: 'set' });
    }
    bus.emit('job.changed', { jobId: ids.job_id });
    bus.emit('message.posted', { userIds: [keeper.userId] });
  };

  it('sends nothing to the streams of a tenant, whatever happens there and whatever they ask for', async () => {
    const query = `?device=${[...devicesOf(own), ...devicesOf(other)].join(',')}`;
    const streams = await Promise.all(readers.map((client) => listen(client, query)));
    const theirs = await listen(other.keeper, query);
    happen(other);
    for (const { path, body } of writing)
      await other.keeper.call(path, sampleBody(body, { ...other.idsFor(path), ...period, ...proof }));
    const names = 'reading alarm alarm_update line_state device_state settings command timer_run tag message';
    for (const name of names.split(' ')) await theirs.hears((event) => event.name === name);
    expect(streams.map(told)).toEqual(readers.map(() => []));
    // The streams work: each of them reports what happens to its own tenant.
    happen(own);
    for (const stream of streams)
      for (const name of ['alarm', 'tag']) await stream.hears((e) => e.name === name);
  });
});

describe('a right that is taken away', () => {
  /** A project with a device in a part, its administrator, and a stream of that administrator. */
  const watched = async () => {
    const project = await makeProject(world.db, { region_id: 440305 });
    const part = await makePart(world.db, project.id);
    const device = await makeDevice(world.db, { project_id: project.id, part_id: part.id });
    const role = Math.floor(Math.random() * 1e6) + 1000;
    const user = await makeUser(world.db, { role, letters: 'ABCD', projects: [{ id: project.id }] });
    const client = await world.as(user.id);
    return { project, part, device, user, client, stream: await listen(client) };
  };
  type Watched = Awaited<ReturnType<typeof watched>>;
  const report = ({ device, project, part }: Watched, alarmId: number) => {
    const place = {
      deviceId: device.id,
      lineId: device.lines[0]!.id,
      projectId: project.id,
      partId: part.id,
    };
    const alarm = { code: 101, level: 2 as const, severity: 1, kind: 'raised' as const, quiet: false };
    world.bus.emit('alarms.changed', [{ ...place, ...alarm, alarmId }]);
  };
  const done = async (path: string, body: object) => {
    const { status, response } = await admin.call(path, body);
    expect([path, status, response.payload]).toEqual([path, 200, expect.anything()]);
  };
  const losses: Record<string, (of: Watched) => Promise<void>> = {
    'the account is disabled': ({ user }) => done('/user/set_status', { user_id: user.id, enabled: false }),
    'the role is disabled': ({ user }) => done('/role/set_status', { role_id: user.role_id, enabled: false }),
    'the role requires two-step sign-in': ({ user }) =>
      done('/role/set_two_step', { role_id: user.role_id, required: true }),
    'the account gets another project': async ({ user }) =>
      done('/user/edit', {
        user_id: user.id,
        project_id: (await makeProject(world.db)).id,
        own_password: testPassword,
      }),
    'the session is ended by an administrator': ({ user }) => done('/user/end_session', { user_id: user.id }),
    'the project is deleted': ({ project }) =>
      done('/Project/delete_project', { project_ids: [project.id], devices: 1 }),
  };

  it.each(Object.entries(losses))('closes the stream or narrows it: %s', async (_name, lose) => {
    const of = await watched();
    report(of, 1);
    await of.stream.hears(({ data }) => data.id === 1);
    await lose(of);
    const { userId } = of.client;
    let alarmId = 1;
    /** Whether the stream is over, or no longer reports alarms of the project. */
    const isLost = async () => {
      report(of, ++alarmId);
      const sign = { unread: alarmId };
      world.live.send('message', sign, { projectId: null, partId: null, userIds: [userId] });
      const heard = of.stream.hears(({ name, data }) => name === 'message' && data.unread === alarmId);
      const isOver = await Promise.race([of.stream.ended.then(() => true), heard.then(() => false)]);
      return isOver || !of.stream.events.some(({ name, data }) => name === 'alarm' && data.id === alarmId);
    };
    // Long before all streams are loaded again in any case.
    await eventually(isLost, { withinMs: 20_000 });
  });

  it('sends nothing of the past to a reader who loses the right while it is read', async () => {
    const of = await watched();
    const alarm = await makeAlarm(world.pool, of.device, { at: Date.now(), code: 101 });
    const lock = await world.pool.connect();
    await lock.query('begin; lock table alarm_history in access exclusive mode');
    // The id of another server: what this reader missed is read from the database.
    const late = await listen(of.client, '?since=other-1-1');
    const waits = async () => {
      const { rows } = await world.pool.query(
        "select from pg_locks where relation = 'alarm_history'::regclass and not granted",
      );
      return rows.length > 0;
    };
    await eventually(waits);
    await done('/user/edit', {
      user_id: of.user.id,
      project_id: (await makeProject(world.db)).id,
      own_password: testPassword,
    });
    await lock.query('rollback');
    lock.release();
    await late.ended;
    expect(late.events.filter(({ data }) => data.id === alarm)).toEqual([]);
  });
});
