import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import pino from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeAhead } from '#database/partitions.ts';
import { createAlarmRecorder } from '#server/alarms/engine/engine.ts';
import { systemClock } from '#server/core/clock.ts';
import { demoRoutes } from '#server/demo/demo.routes.ts';
import { type Link, startLink } from '#server/link/link.ts';
import { makeDevice, makeProject, makeUser } from '#test/factories.ts';
import { eventually } from '#test/wait.ts';
import { type Client, createWorld, type World } from '#test/world.ts';
import { type DemoProcess, startDemo } from './process.ts';

const log = pino({ level: 'silent' });
let world: World;
let link: Link;
let demo: DemoProcess | null = null;
let folder: string;
let admin: Client;
let device: Awaited<ReturnType<typeof makeDevice>>;
let stranger: Awaited<ReturnType<typeof makeDevice>>;
const register = 4321.5;

const latest = async () =>
  (
    await world.pool.query<{ energy: number; received_at: Date }>(
      'select energy, received_at from line_latest where line_id = $1',
      [device.lines[0]!.id],
    )
  ).rows[0]!;
const start = () =>
  startDemo({
    db: world.db,
    brokerUrl: `mqtt://127.0.0.1:${link.port}`,
    secretOf: () => device.secret,
    flash: path.join(folder, 'devices.json'),
    log,
  });
const isOnline = async () =>
  (await world.pool.query('select from device_state where device_id = $1 and online', [device.id]))
    .rowCount === 1;

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'ampwatch-demo-'));
  world = await createWorld((serve) => demoRoutes(serve, () => demo));
  await makeAhead(world.pool, systemClock.now());
  const project = await makeProject(world.db);
  device = await makeDevice(world.db, { type: 3, project_id: project.id });
  stranger = await makeDevice(world.db, { type: 3, project_id: project.id });
  admin = await world.as((await makeUser(world.db, { role: 1 })).id);
  await world.pool.query(
    `insert into line_latest (line_id, at, received_at, boot, seq, position, energy, channels)
     values ($1, now() - interval '1 minute', now() - interval '1 minute', 1, 1, 1, $2, '{}')`,
    [device.lines[0]!.id, register],
  );
  await world.db
    .insertInto('settings')
    .values({
      key: 'demo.fleet',
      value: JSON.stringify({
        [device.number]: {
          signal: -70,
          lines: [{ n: 1, load: 2.5, profile: 'mixed', powerFactor: 0.94 }],
        },
      }),
      updated_at: new Date(),
    })
    .execute();
  const recorder = createAlarmRecorder();
  await recorder.load(world.pool);
  link = await startLink({
    pool: world.pool,
    bus: world.bus,
    clock: systemClock,
    judge: recorder,
    log,
    config: { mqttHost: '127.0.0.1', mqttPort: 0 },
  });
});
afterAll(async () => {
  await demo?.stopAll();
  await link.stop();
  await world.close();
  await rm(folder, { recursive: true, force: true });
});

describe('the demo simulation', () => {
  it('the demo simulation is reported as off while no simulation runs', async () => {
    expect(await admin.call('/demo/scenes')).toMatchObject({ status: 503 });
    expect(await admin.call('/demo/play', { device_id: device.id, scene: 'overvoltage' })).toMatchObject({
      status: 503,
    });
  });

  it('the demo simulation continues through the broker from the last register value of the history', async () => {
    demo = await start();
    await eventually(isOnline);
    const row = await eventually(async () => {
      const now = await latest();
      return now.received_at.getTime() > Date.now() - 30_000 && now;
    });
    expect(row.energy).toBeGreaterThanOrEqual(register);
    expect(row.energy).toBeLessThan(register + 0.1);
  });

  it('names the scenes that fit a device', async () => {
    const all = await admin.call('/demo/scenes');
    const own = await admin.call('/demo/scenes', { device_id: device.id });
    const names = own.data.list.map(({ scene }: { scene: string }) => scene);
    expect(names).toContain('leakStep');
    expect(names).not.toContain('phaseLoss');
    expect(all.data.list.length).toBeGreaterThan(names.length);
    expect(own.data.playing).toEqual([]);
    const none = await admin.call('/demo/scenes', { device_id: stranger.id });
    expect(none).toMatchObject({ status: 200, data: { list: [], playing: [] } });
  });

  it('plays a scene whose alarm the server records, and stops it', async () => {
    const played = await admin.call('/demo/play', {
      device_id: device.id,
      scene: 'shortCircuit',
      line_id: device.lines[0]!.id,
    });
    expect(played.status).toBe(200);
    const { data } = await admin.call('/demo/scenes');
    expect(data.playing).toEqual([{ device_id: device.id, number: device.number, scene: 'shortCircuit' }]);
    await eventually(
      async () =>
        (await world.pool.query('select from alarms where device_id = $1 and code = 205', [device.id]))
          .rowCount,
    );
    expect((await admin.call('/demo/stop', { device_id: device.id })).status).toBe(200);
    expect((await admin.call('/demo/scenes')).data.playing).toEqual([]);
  });

  it.each([
    ['a scene of another device type', () => ({ device_id: device.id, scene: 'phaseLoss' }), 422],
    ['an unknown scene', () => ({ device_id: device.id, scene: 'nonsense' }), 422],
    ['a device that is not simulated', () => ({ device_id: stranger.id, scene: 'leakStep' }), 422],
    ['an unknown device', () => ({ device_id: 999_999, scene: 'leakStep' }), 404],
    [
      'a line of another device',
      () => ({ device_id: device.id, scene: 'leakStep', line_id: stranger.lines[0]!.id }),
      404,
    ],
  ] as const)('refuses %s', async (_what, body, status) => {
    expect((await admin.call('/demo/play', body())).status).toBe(status);
  });

  it('only an administrator can use the demo simulation', async () => {
    const operator = await world.as((await makeUser(world.db, { role: 101, letters: 'ABD' })).id);
    expect((await operator.call('/demo/scenes')).status).toBe(403);
  });

  it('the demo simulation restarts when its process dies, but not after it was stopped', async () => {
    const before = demo!.pid();
    process.kill(before!, 'SIGKILL');
    const after = await eventually(async () => {
      const now = demo!.pid();
      return now !== null && now !== before && now;
    });
    await eventually(isOnline);
    await demo!.stopAll();
    expect(() => process.kill(after, 0)).toThrow();
    expect((await admin.call('/demo/scenes')).status).toBe(503);
  });

  it('keeps over a restart the data that real devices keep over a power failure', async () => {
    const stateAfter = (at: number, fits: (row: { trip: number; energy: number }) => boolean) =>
      eventually(async () => {
        const { rows } = await world.pool.query<{ trip: number; energy: number; received_at: Date }>(
          'select trip, energy, received_at from line_latest where line_id = $1',
          [device.lines[0]!.id],
        );
        const [row] = rows;
        return row && row.received_at.getTime() > at && fits(row) && row;
      });
    const startedAt = Date.now();
    demo = await start();
    await eventually(isOnline);
    await admin.call('/demo/play', {
      device_id: device.id,
      scene: 'shortCircuit',
      line_id: device.lines[0]!.id,
    });
    const before = await stateAfter(startedAt, ({ trip }) => trip === 205);
    await demo.stopAll();
    const restartedAt = Date.now();
    demo = await start();
    const after = await stateAfter(restartedAt, () => true);
    expect(after.trip).toBe(205);
    expect(after.energy).toBeGreaterThanOrEqual(before.energy);
    await demo.stopAll();
  });

  it('the demo simulation does not outlive a server that was killed', async () => {
    const program = new URL('./simulation.ts', import.meta.url).pathname;
    const parent = spawn(
      process.execPath,
      [
        '-e',
        `const child = require('node:child_process').fork(${JSON.stringify(program)}, { execArgv: [] });
         child.send({ kind: 'start', brokerUrl: 'mqtt://127.0.0.1:1', seed: '1', devices: [] }, () => console.log(child.pid));`,
      ],
      { stdio: ['ignore', 'pipe', 'inherit'] },
    );
    const [said] = (await once(parent.stdout, 'data')) as [Buffer];
    const child = Number(said.toString());
    process.kill(child, 0);
    parent.kill('SIGKILL');
    await eventually(async () => {
      try {
        process.kill(child, 0);
        return false;
      } catch {
        return true;
      }
    });
  });
});
