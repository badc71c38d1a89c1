import { connect as connectTo, createServer } from 'node:net';
import mqtt from 'mqtt';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { topicOf } from '#contract/telemetry.ts';
import { connect, connectPool } from '#database/connect.ts';
import { makeAhead } from '#database/partitions.ts';
import { createBus } from '#server/core/bus.ts';
import { systemClock } from '#server/core/clock.ts';
import { freshDatabase } from '#test/database.ts';
import { makeDevice } from '#test/factories.ts';
import { findMosquitto, type Mosquitto, startMosquitto } from '#test/mosquitto.ts';
import { eventually } from '#test/wait.ts';
import { linkOn, noJudge, tele } from './link.world.ts';

const binary = findMosquitto();
const limitMs = 60_000;

describe.skipIf(!binary)(
  `the lease of an external broker${binary ? '' : ' (skipped: mosquitto is not installed and cannot be)'}`,
  () => {
    let broker: Mosquitto;
    let connected = 0;
    /** In front of the broker, to count connections. */
    const door = createServer((socket) => {
      connected += 1;
      const inner = connectTo(Number(new URL(broker.url).port), '127.0.0.1');
      socket.pipe(inner).pipe(socket);
      for (const end of [socket, inner])
        end
          .on('error', () => {})
          .on('close', () => {
            socket.destroy();
            inner.destroy();
          });
    });
    let url: string;
    beforeAll(async () => {
      broker = await startMosquitto(binary!);
      await new Promise<void>((resolve) => door.listen(0, '127.0.0.1', resolve));
      const address = door.address();
      url = `mqtt://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`;
    }, limitMs);
    afterAll(async () => {
      door.close();
      await broker.stop();
    });

    it('a lease that is lost and won again during a takeover leaves one consumer', {
      timeout: limitMs,
    }, async () => {
      const database = await freshDatabase();
      const pool = connectPool(database.url, 8);
      await makeAhead(pool, Date.now());
      const device = await makeDevice(connect(pool));
      const link = await linkOn(
        pool,
        createBus(() => {}),
        systemClock,
        noJudge(),
        { mqttUrl: url },
      );
      await eventually(async () => link.stats().connections === 1);

      const blocker = await pool.connect();
      await blocker.query('begin; lock table line_latest in row exclusive mode'); // a group of another node
      const holder = async (): Promise<number | undefined> => {
        const { rows } = await blocker.query<{ pid: number }>(
          `select pid from pg_locks where locktype = 'advisory' and granted
             and database = (select oid from pg_database where datname = current_database())`,
        );
        return rows[0]?.pid;
      };
      for (let time = 0; time < 2; time += 1) {
        const before = await holder();
        await blocker.query('select pg_terminate_backend($1)', [before]);
        await eventually(async () => {
          const now = await holder();
          return now !== undefined && now !== before;
        });
      }
      expect(link.stats().connections).toBe(0);
      connected = 0;
      await blocker.query('rollback');
      blocker.release();
      await eventually(async () => link.stats().connections === 1);
      const sender = await mqtt.connectAsync(broker.url);
      await sender.publishAsync(topicOf(device.number, 'tele'), JSON.stringify(tele(1, Date.now())), {
        qos: 1,
      });
      await eventually(async () => link.stats().readings === 1);
      expect(connected).toBe(1);

      await sender.endAsync();
      await link.stop();
      await pool.end();
      await database.drop();
    });
  },
);
