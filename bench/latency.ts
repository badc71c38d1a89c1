import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import mqtt from 'mqtt';
import { topicOf } from '#contract/telemetry.ts';
import { connect, connectPool, type Db } from '#database/connect.ts';
import { openSession } from '#server/core/session.ts';
import { createFleet } from '#simulator/fleet.ts';
import { type EventStream, listenTo } from '#test/event-stream.ts';
import type { Figure } from './figure.ts';
import { numberOf } from './link-load.ts';
import { furnishDevices, makeAdmin, type Product, startProduct } from './product-bench.ts';

const background = 1_000;
const rate = 2_000;
const rounds = Number(process.env['BENCH_ROUNDS'] ?? 100);
const switchings = Number(process.env['BENCH_SWITCHINGS'] ?? 10);
/** The devices with alarms, separate from the load devices. */
const alarming = background;
const switched = background + 1;

const percentile95 = (times: number[]): number =>
  times.sort((a, b) => a - b)[Math.ceil(0.95 * times.length) - 1] ?? Number.NaN;
/** Switching is limited per person, and to ten times an hour per line. */
const switchEveryMs = 6_500;
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

const startLoad = async (port: number, secret: string): Promise<ChildProcess> => {
  const load = fork(new URL('./link-load.ts', import.meta.url));
  const ready = once(load, 'message');
  load.send({
    load: { port, secret, first: 0, devices: background, boot: 1, window: 0, rate, alarmsPerSecond: 0 },
  });
  await ready;
  await pause(3_000);
  return load;
};

/** From the device's publish to the event at a listening console, ms. */
const alarms = async (product: Product, live: EventStream, deviceId: number): Promise<number[]> => {
  const number = numberOf(alarming);
  const { port, secret } = product;
  const client = await mqtt.connectAsync(`mqtt://127.0.0.1:${port}`, {
    clientId: number,
    username: number,
    password: secret,
  });
  const times: number[] = [];
  let seq = 0;
  const report = async (state: string, round: number) => {
    seq += 1;
    const message = {
      ...{ v: 1, boot: 1, seq, t: Date.now(), eid: `round-${round}`, kind: 'alarm', st: state },
      // Only devices report this type, and it is latched. So its alarms are never too short for the lists, and
      // never chatter.
      ...{ code: 502, lvl: 2, n: 1, val: 9, thr: 8 },
    };
    const kind = state === 'raise' ? 'raised' : 'cleared';
    live.events.length = 0;
    const heard = live.hears(({ data }) => data.device_id === deviceId && data.kind === kind);
    const begun = performance.now();
    client.publish(topicOf(number, 'event'), JSON.stringify(message), { qos: 1 });
    await heard;
    return performance.now() - begun;
  };
  for (let round = 0; round < rounds; round += 1) {
    times.push(await report('raise', round));
    await report('clear', round);
    await pause(20 + Math.random() * 60);
  }
  await client.endAsync();
  return times;
};

/** From the request to 'verified' at the console, ms; includes the time of the simulated device. */
const switchings95 = async (
  product: Product,
  token: string,
  live: EventStream,
  device: { id: number; lineId: number },
): Promise<number[]> => {
  const times: number[] = [];
  for (let round = 0; round < switchings; round += 1) {
    live.events.length = 0;
    const begun = performance.now();
    const answer = await fetch(`${product.url}/device_do/device_do`, {
      method: 'POST',
      headers: { authorization: token, 'content-type': 'application/json' },
      body: JSON.stringify({
        device_id: device.id,
        line_id: device.lineId,
        action: round % 2 === 0 ? 'close' : 'open',
        password: 'bench12345',
      }),
    });
    const { code, msg, data } = (await answer.json()) as {
      code: number;
      msg: string;
      data: { command_id: string };
    };
    if (code !== 200) throw new Error(msg);
    const end = await live.hears(
      (event) =>
        event.name === 'command' &&
        event.data.command_id === data.command_id &&
        !['created', 'sent', 'acknowledged'].includes(event.data.state),
    );
    if (end.data.state !== 'verified') throw new Error(`the command is ${end.data.state}`);
    times.push(performance.now() - begun);
    await pause(switchEveryMs);
  }
  return times;
};

const lineOf = async (db: Db, index: number) =>
  db
    .selectFrom('lines')
    .innerJoin('devices', 'devices.id', 'lines.device_id')
    .select(['devices.id', 'lines.id as lineId'])
    .where('devices.number', '=', numberOf(index))
    .where('lines.n', '=', 1)
    .executeTakeFirstOrThrow();

export const run = async (): Promise<Figure[]> => {
  const product = await startProduct();
  const pool = connectPool(product.databaseUrl, 3);
  const db = connect(pool);
  let load: ChildProcess | null = null;
  try {
    await furnishDevices(pool, background + 2, product.secret);
    const admin = await makeAdmin(db);
    const { token } = await openSession(db, admin, Date.now(), { address: '', agent: 'bench' });
    const number = numberOf(switched);
    const fleet = createFleet({
      brokerUrl: `mqtt://127.0.0.1:${product.port}`,
      seed: 1,
      devices: [
        {
          number,
          secret: product.secret,
          type: 3,
          lines: [{ n: 1, ratedCurrent: 40, switchable: true, load: 3, profile: 'office', position: 0 }],
          nominalVoltage: 220,
          projectKey: 'one',
          tele_s: 5,
        },
      ],
    });
    fleet.start();
    load = await startLoad(product.port, product.secret);
    const device = await lineOf(db, switched);
    const live = await listenTo(`${product.url}/live?device=${device.id}`, token);
    await live.hears(({ name }) => name === 'reading');
    const alarmMs = await alarms(product, live, (await lineOf(db, alarming)).id);
    const switchMs = await switchings95(product, token, live, device);
    live.close();
    load.send({ end: true });
    await once(load, 'exit');
    await fleet.stop();
    return [
      {
        name: `alarm on screen, from publish, at ${rate.toLocaleString('en')} msg/s: p95 of ${rounds}`,
        figure: percentile95(alarmMs),
        unit: 'ms',
        goal: '≤ 150 ms',
        anchor: 'polls of 10 to 15 s',
      },
      {
        name: `switching, from click to verified on screen: p95 of ${switchings}`,
        figure: percentile95(switchMs),
        unit: 'ms',
        goal: '≤ 300 ms',
        anchor: '',
      },
    ];
  } finally {
    load?.kill();
    await db.destroy();
    await product.stop();
  }
};
