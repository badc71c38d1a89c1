import { type ChildProcess, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import mqtt, { type MqttClient } from 'mqtt';
import type pg from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { topicOf } from '#contract/telemetry.ts';
import { connect, connectPool } from '#database/connect.ts';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '#database/embedded.ts';
import { migrate } from '#database/migrate.ts';
import { makeAhead } from '#database/partitions.ts';
import { createBus } from '#server/core/bus.ts';
import { systemClock } from '#server/core/clock.ts';
import { makeDevice } from '#test/factories.ts';
import { answers, findMosquitto, freePort } from '#test/mosquitto.ts';
import { patienceMs } from '#test/patience.ts';
import { eventually } from '#test/wait.ts';
import { linkOn, noJudge, tele } from './link.world.ts';

type Device = Awaited<ReturnType<typeof makeDevice>>;
const limitMs = 5 * patienceMs;

/**
 * A device that keeps publishing with several messages in flight, and repeats unacknowledged ones after a
 * reconnect.
 */
class PersistentDevice {
  readonly acknowledged = new Set<number>();
  readonly #client: MqttClient;
  readonly #number: string;
  #seq = 0;
  #running = true;

  constructor(device: Device, port: number, inFlight = 20) {
    this.#number = device.number;
    this.#client = mqtt.connect(`mqtt://127.0.0.1:${port}`, {
      clientId: device.number,
      username: device.number,
      password: device.secret,
      clean: false,
      reconnectPeriod: 50,
    });
    this.#client.on('error', () => {});
    for (let index = 0; index < inFlight; index += 1) this.#next();
  }

  #next(): void {
    if (!this.#running) return;
    const seq = this.#seq++;
    this.#client.publish(
      topicOf(this.#number, 'tele'),
      JSON.stringify(tele(seq, Date.now())),
      { qos: 1 },
      (error) => {
        if (!error) this.acknowledged.add(seq);
        this.#next();
      },
    );
  }

  get sent(): number {
    return this.#seq;
  }

  /** Resolves when everything sent is acknowledged. */
  async finish(): Promise<void> {
    this.#running = false;
    await eventually(async () => this.acknowledged.size === this.#seq);
    await this.#client.endAsync();
  }
}

const storedOf = async (pool: pg.Pool, device: Device) => {
  const { rows } = await pool.query<{ seq: number }>(
    'select seq from readings where line_id = $1 order by seq',
    [device.lines[0]!.id],
  );
  return rows.map((row) => row.seq);
};
/** Exactly 0 … n-1: every acknowledged message is stored once. */
const expectWhole = async (
  pool: pg.Pool,
  devices: readonly Device[],
  senders: readonly PersistentDevice[],
) => {
  for (const [index, device] of devices.entries())
    expect(await storedOf(pool, device)).toEqual(
      Array.from({ length: senders[index]!.sent }, (_, seq) => seq),
    );
};
const acknowledgedBy = (senders: readonly PersistentDevice[]) =>
  senders.reduce((sum, sender) => sum + sender.acknowledged.size, 0);
let folder: string;
let postgres: EmbeddedPostgres;
let pool: pg.Pool;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ampwatch-faults-'));
  postgres = await startEmbeddedPostgres({ dataDir: folder });
  await migrate(postgres.url);
  pool = connectPool(postgres.url, 6);
  await makeAhead(pool, Date.now());
}, limitMs);
afterAll(async () => {
  await pool.end();
  await postgres.stop();
  await rm(folder, { recursive: true, force: true });
}, limitMs);

const makeDevices = (count: number) =>
  Promise.all(
    Array.from({ length: count }, () =>
      makeDevice(connect(pool), { number: `F${crypto.randomUUID().slice(0, 18)}` }),
    ),
  );
const startChild = async (port: number, url = ''): Promise<ChildProcess> => {
  const child = fork(new URL('./link-child.ts', import.meta.url), [postgres.url, String(port), url]);
  started.add(child);
  await once(child, 'message');
  return child;
};
/** Processes started by a test end with it, also when it fails. */
const started = new Set<ChildProcess>();
afterEach(async () => {
  for (const child of started) await kill(child);
});
const kill = async (child: ChildProcess) => {
  started.delete(child);
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
};

describe('nothing acknowledged is lost, nothing is stored twice', () => {
  it('nothing acknowledged is lost or stored twice when the server is killed under load and started again', {
    timeout: limitMs,
  }, async () => {
    const devices = await makeDevices(20);
    const port = await freePort();
    let child = await startChild(port);
    const senders = devices.map((device) => new PersistentDevice(device, port));
    for (let kills = 0; kills < 3; kills += 1) {
      const before = acknowledgedBy(senders);
      await eventually(async () => acknowledgedBy(senders) > before + 2_000);
      await kill(child);
      child = await startChild(port);
    }
    await Promise.all(senders.map((sender) => sender.finish()));
    await expectWhole(pool, devices, senders);
    await kill(child);
  });

  it('nothing acknowledged is lost or stored twice when the database is killed under load and comes back', {
    timeout: limitMs,
  }, async () => {
    const devices = await makeDevices(10);
    const link = await linkOn(
      pool,
      createBus(() => {}),
      systemClock,
      noJudge(),
    );
    const senders = devices.map((device) => new PersistentDevice(device, link.port));
    await eventually(async () => acknowledgedBy(senders) > 1_000);
    const { rows } = await pool.query<{ folder: string }>(
      `select current_setting('data_directory') as folder`,
    );
    const postmaster = Number(
      (await readFile(join(rows[0]!.folder, 'postmaster.pid'), 'utf8')).split('\n')[0],
    );
    process.kill(postmaster, 'SIGKILL');
    const before = acknowledgedBy(senders);
    await eventually(async () => acknowledgedBy(senders) > before + 2_000);
    await Promise.all(senders.map((sender) => sender.finish()));
    await expectWhole(pool, devices, senders);
    expect(link.stats().retries).toBeGreaterThan(0);
    await link.stop();
  });

  it('nothing acknowledged is lost or stored twice when the database stalls: the sockets wait, and the accepted data stays bounded', {
    timeout: limitMs,
  }, async () => {
    const [device] = await makeDevices(1);
    const link = await linkOn(
      pool,
      createBus(() => {}),
      systemClock,
      noJudge(),
    );
    const blocker = await pool.connect();
    await blocker.query('begin; lock table readings in access exclusive mode');
    const client = await mqtt.connectAsync(`mqtt://127.0.0.1:${link.port}`, {
      clientId: device!.number,
      username: device!.number,
      password: device!.secret,
    });
    const count = 6_000;
    let acknowledged = 0;
    for (let seq = 0; seq < count; seq += 1)
      client.publish(
        topicOf(device!.number, 'tele'),
        JSON.stringify(tele(seq, Date.now())),
        { qos: 1 },
        () => {
          acknowledged += 1;
        },
      );
    await eventually(async () => link.stats().waiting > 0);
    expect(acknowledged).toBe(0);
    expect(link.stats().messages).toBeLessThan(2_000);
    await blocker.query('rollback');
    blocker.release();
    await eventually(async () => acknowledged === count);
    expect(await storedOf(pool, device!)).toHaveLength(count);
    await client.endAsync();
    await link.stop();
  });
});

const binary = findMosquitto();

describe.skipIf(!binary)(
  `behind an external broker${binary ? '' : ' (skipped: mosquitto is not installed and cannot be)'}`,
  () => {
    it('nothing is lost when server and broker are killed and started again', {
      timeout: limitMs,
    }, async () => {
      const devices = await makeDevices(5);
      const port = await freePort();
      const data = await mkdtemp(join(tmpdir(), 'ampwatch-mosquitto-'));
      const config = join(data, 'mosquitto.conf');
      await writeFile(
        config,
        `listener ${port} 127.0.0.1\nallow_anonymous true\npersistence true\npersistence_location ${data}/\n` +
          `autosave_on_changes true\nautosave_interval 1\nmax_queued_messages 0\nmax_inflight_messages 0\nuser root\n`,
      );
      const startBroker = async () => {
        const broker = spawn(binary!, ['-c', config], { stdio: 'ignore' });
        started.add(broker);
        await eventually(() => answers(port));
        return broker;
      };
      let broker = await startBroker();
      let child = await startChild(0, `mqtt://127.0.0.1:${port}`);
      const watch = await mqtt.connectAsync(`mqtt://127.0.0.1:${port}`, { protocolVersion: 5 });
      const first = devices[0]!;
      await eventually(async () => {
        await watch.publishAsync(topicOf(first.number, 'presence'), '{"v":1,"on":true,"boot":1}', {
          qos: 1,
          retain: true,
        });
        const { rows } = await pool.query('select online from device_state where device_id = $1', [first.id]);
        return rows[0]?.online;
      });
      await watch.endAsync();
      const senders = devices.map((device) => new PersistentDevice(device, port, 1));
      const storedMore = async (count: number) => {
        const stored = async () =>
          Number(
            (
              await pool.query('select count(*) as n from readings where line_id = any($1)', [
                devices.map((device) => device.lines[0]!.id),
              ])
            ).rows[0].n,
          );
        const before = await stored();
        await eventually(async () => (await stored()) >= before + count, { said: () => 'more readings' });
      };
      await storedMore(500);
      await kill(child);
      child = await startChild(0, `mqtt://127.0.0.1:${port}`);
      await storedMore(500);
      const stopped = once(broker, 'exit');
      broker.kill('SIGTERM');
      await stopped;
      broker = await startBroker();
      await storedMore(500);
      await Promise.all(senders.map((sender) => sender.finish()));
      await eventually(async () => {
        const counts = await Promise.all(devices.map((device) => storedOf(pool, device)));
        return counts.every((stored, index) => stored.length >= senders[index]!.sent);
      });
      await expectWhole(pool, devices, senders);
      await kill(child);
      await kill(broker);
      await rm(data, { recursive: true, force: true });
    });
  },
);
