import { randomUUID } from 'node:crypto';
import pg from 'pg';
import pino from 'pino';
import { permissions } from '#contract/permissions.ts';
import { type AckMessage, lineChannels } from '#contract/telemetry.ts';
import { connect, connectPool } from '#database/connect.ts';
import { startEmbeddedPostgres } from '#database/embedded.ts';
import { migrate } from '#database/migrate.ts';
import { createControl } from '#server/control/commands.ts';
import { createBus } from '#server/core/bus.ts';
import { systemClock } from '#server/core/clock.ts';
import { createBatches } from '#server/one-key/batches.ts';
import { batchStore } from '#server/one-key/one-key.store.ts';
import { planOneKey, planReply } from '#server/one-key/plan.ts';
import { fakeLink } from '#test/switches.ts';
import type { Figure } from './figure.ts';

/**
 * One-key over 200 single-line devices: the preview (plan and reply, without HTTP), and the time from the
 * confirmation to the last verified result. The devices answer 20 ms after the message and report 30 ms
 * later.
 */
const size = 200;
const previews = 40;
const answerMs = 20;
const reportMs = 30;
const patienceMs = 180_000;

const furnish = async (
  url: string,
): Promise<{ userId: number; lines: { device: number; line: number }[] }> => {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(`
    insert into regions values (1, null, 'r', 'r', '1', 'r', 0, 0, false, 1, 'r', 'r', '1', 'r', '', '/1/');
    insert into roles (code, name) values (1, 'admin');
    insert into projects (code, name, region_id, lat, lng, time_zone, joined_at)
      values ('B1', 'Bench', 1, 0, 0, 'UTC', now());
    insert into users (username, password_hash, password_changed_at, role_id, created_at)
      select 'bench', '', now(), id, now() from roles;
    insert into devices (number, type, secret_hash, registered_at, project_id, upload_seconds)
      select 'BENCH' || i, 3, '', now(), projects.id, 3600 from generate_series(1, ${size}) i, projects;
    insert into device_state (device_id, online, last_seen) select id, true, now() from devices;
    insert into lines (device_id, n, name, switchable, created_at)
      select id, n, 'Line', n > 0, now() from devices, generate_series(0, 1) n;
    insert into line_latest (line_id, at, received_at, boot, seq, position, position_at, position_boot, position_seq,
        trip, trip_at, lock, lock_at, channels)
      select id, now(), now(), 1, 1, 1, now(), 1, 1, 0, now(), 0, now(), '{230,2,460,1,0,5,30,30,30,50}'
      from lines where n > 0;`);
  await client.query('vacuum analyze');
  const users = await client.query<{ id: number }>('select id from users');
  const lines = await client.query<{ device: number; line: number }>(
    'select device_id as device, id as line from lines where n > 0 order by id',
  );
  await client.end();
  return { userId: users.rows[0]!.id, lines: lines.rows };
};

export const run = async (): Promise<Figure[]> => {
  const postgres = await startEmbeddedPostgres({ dataDir: `/tmp/ampwatch-bench-one-key-${process.pid}` });
  let end = async (): Promise<void> => {};
  try {
    await migrate(postgres.url);
    const { userId, lines } = await furnish(postgres.url);
    const db = connect(connectPool(postgres.url, 10));
    const log = pino({ level: 'warn' });
    const bus = createBus((error) => log.error(error));
    const lineOf = new Map(lines.map(({ device, line }) => [`BENCH${device}`, { device, line }]));
    const numbers = await db.selectFrom('devices').select(['id', 'number']).execute();
    for (const { id, number } of numbers)
      lineOf.set(number, { device: id, line: lines.find(({ device }) => device === id)!.line });
    const channelsFor = (position: 0 | 1) =>
      lineChannels[3].map((name) =>
        name === 'U.a' ? 230 : name === 'I.a' ? 2 * position : name === 'P.t' ? 460 * position : 5,
      );
    let seq = 10;
    const devicePlays = async (number: string, id: string, position: 0 | 1): Promise<void> => {
      const { device, line } = lineOf.get(number)!;
      const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
      await wait(answerMs);
      const acked = ++seq;
      const receivedAt = Date.now();
      const ack: AckMessage = { v: 1, id, st: 'done', boot: 1, seq: acked, t: receivedAt, sw: position };
      await db
        .insertInto('command_answers')
        .values({
          command_id: id,
          device_id: device,
          received_at: new Date(receivedAt),
          ack: JSON.stringify(ack),
        })
        .execute();
      bus.emit('device.ack', { deviceId: device, receivedAt, ack });
      await wait(reportMs);
      const at = new Date();
      const channels = channelsFor(position);
      const reported = ++seq;
      await db
        .updateTable('line_latest')
        .set({
          ...{ at, received_at: at, seq: reported, channels },
          ...{ position, position_at: at, position_seq: reported, trip_at: at, lock_at: at },
        })
        .where('line_id', '=', line)
        .execute();
      bus.emit('readings.stored', [
        {
          lineId: line,
          deviceId: device,
          n: 1,
          at: at.getTime(),
          receivedAt: at.getTime(),
          boot: 1,
          seq: reported,
          position,
          trip: 0,
          lock: 0,
          energy: null,
          channels,
          latest: true,
        },
      ]);
    };
    const link = fakeLink();
    // Messages that the link accepted by the end of this turn have reached the devices.
    link.trouble = async () => {
      setImmediate(() => {
        for (const { deviceNumber, command } of link.published.splice(0))
          void devicePlays(deviceNumber, command.id, command.cmd === 'close' ? 1 : 0);
      });
    };
    const control = createControl({
      db,
      bus,
      clock: systemClock,
      log,
      raiseFinding: async () => {},
      link,
    });
    const batches = createBatches({ db, bus, clock: systemClock, log, control });
    end = async () => {
      await batches.stop();
      await control.stop();
      await db.destroy();
    };
    await control.start();
    await batches.start();
    const by = {
      permissions: new Set(permissions),
      role: 1,
      scope: { all: true } as const,
    };
    const deviceIds = lines.map(({ device }) => device);
    const preview = async (action: 'open' | 'close') => {
      const begun = performance.now();
      const plan = await planOneKey(db, by, { deviceIds, lineIds: undefined, action }, Date.now());
      planReply(plan, action, 'en-US');
      return { plan, ms: performance.now() - begun };
    };
    const first = (await preview('open')).ms;
    const times: number[] = [];
    for (let index = 0; index < previews; index += 1) times.push((await preview('open')).ms);
    times.sort((a, b) => a - b);

    const wholeRun = async (action: 'open' | 'close', paceMs: number): Promise<number> => {
      const { plan } = await preview(action);
      const going = plan.filter((line) => line.reason === null).length;
      if (going !== size) throw new Error(`${going} of ${size} lines would switch`);
      let verified = 0;
      const over = new Promise<void>((resolve, reject) => {
        const late = setTimeout(() => reject(new Error(`${verified} of ${size} verified`)), patienceMs);
        const leave = bus.on('command.changed', ({ state }) => {
          if (!['created', 'sent', 'acknowledged', 'verified'].includes(state)) reject(new Error(state));
          if (state !== 'verified' || ++verified < size) return;
          clearTimeout(late);
          leave();
          resolve();
        });
      });
      const id = randomUUID();
      const begun = Date.now();
      await batchStore(db).create(
        {
          id,
          action,
          paceMs,
          now: begun,
          userId,
          operator: 'bench',
          address: '',
          channel: 'web',
          requestId: 'bench',
        },
        plan,
      );
      batches.run(id, paceMs);
      await over;
      return Date.now() - begun;
    };
    const opened = await wholeRun('open', 0);
    await new Promise((resolve) => setTimeout(resolve, 4000)); // a line waits 3 s before it may close again
    const paceMs = 300;
    const closed = await wholeRun('close', paceMs);
    const anchor = `${size} devices of one line`;
    return [
      { name: 'one-key preview, first', figure: first, unit: 'ms', goal: '≤ 300 ms', anchor },
      {
        name: 'one-key preview, p95',
        figure: times[Math.floor(times.length * 0.95)]!,
        unit: 'ms',
        goal: '≤ 300 ms',
        anchor,
      },
      { name: 'one-key open, all verified', figure: opened, unit: 'ms', goal: '≤ 2,000 ms', anchor },
      {
        name: 'one-key close, all verified, beyond the pacing',
        figure: closed - (size - 1) * paceMs,
        unit: 'ms',
        goal: '≤ 2,000 ms',
        anchor,
      },
    ];
  } finally {
    await end();
    await postgres.stop();
  }
};
