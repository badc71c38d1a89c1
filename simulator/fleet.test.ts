import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import { Aedes, type PublishPacket } from 'aedes';
import { afterEach, describe, expect, it } from 'vitest';
import { type CmdMessage, topicOf, type UpTopic, upTopics } from '#contract/telemetry.ts';
import { freePort } from '#test/mosquitto.ts';
import { patienceMs } from '#test/patience.ts';
import { typicalDevice } from './arguments.ts';
import { createFleet, type Fleet } from './fleet.ts';

interface Heard {
  number: string;
  topic: UpTopic;
  retain: boolean;
  // biome-ignore lint/suspicious/noExplicitAny: any message of a device
  body: any;
}
const open: { close(): Promise<void> }[] = [];

/** A real broker on its own port that stores the messages it received. */
const startBroker = async (port = 0) => {
  const broker = await Aedes.createBroker();
  const heard: Heard[] = [];
  const waiting = new Set<() => void>();
  broker.authenticate = (_, username, password, done) =>
    done(null, password?.toString() === `secret-${username}`);
  broker.on('publish', (packet: PublishPacket) => {
    const [, , number, ...rest] = packet.topic.split('/');
    if (!packet.topic.startsWith('ess/v1/')) return;
    let body: unknown;
    try {
      body = JSON.parse(packet.payload.toString());
    } catch {
      body = packet.payload.toString();
    }
    heard.push({ number: number!, topic: rest.join('/') as UpTopic, retain: packet.retain, body });
    for (const wake of [...waiting]) wake();
  });
  const server: Server = createServer(broker.handle);
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  let closed = false;
  const close = async () => {
    if (closed) return;
    closed = true;
    await new Promise<void>((resolve) => broker.close(() => resolve()));
    await new Promise<void>((resolve) => server.close(() => resolve()));
  };
  open.push({ close });
  const until = (isIt: (each: Heard) => boolean, from = 0, limitMs = patienceMs): Promise<Heard> =>
    new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        waiting.delete(look);
        reject(new Error('not heard in time'));
      }, limitMs);
      const look = () => {
        const found = heard.slice(from).find(isIt);
        if (!found) return;
        clearTimeout(timer);
        waiting.delete(look);
        resolve(found);
      };
      waiting.add(look);
      look();
    });
  const command = (number: string, fields: Partial<CmdMessage>) => {
    const now = Date.now();
    const body = {
      v: 1,
      id: `c${fields.no}`,
      t: now,
      exp: now + 30_000,
      n: 1,
      by: 'u:1',
      batch: null,
      ...fields,
    };
    broker.publish(
      {
        cmd: 'publish',
        qos: 1,
        dup: false,
        retain: false,
        topic: topicOf(number, 'cmd'),
        payload: Buffer.from(JSON.stringify(body)),
      },
      () => {},
    );
  };
  return { port: address.port, url: `mqtt://127.0.0.1:${address.port}`, heard, until, command, close };
};
const startFleet = (url: string, numbers: string[], type: 3 | 4 = 3): Fleet => {
  const devices = numbers.map((number) => typicalDevice(number, `secret-${number}`, type, 1, 'office', 15));
  const fleet = createFleet({ brokerUrl: url, seed: 1, devices });
  open.push({ close: () => fleet.stop() });
  fleet.start();
  return fleet;
};
afterEach(async () => {
  for (const each of open.splice(0).reverse()) await each.close();
});

describe('a fleet at a real broker', () => {
  it('a simulated device reports its identity, retained, then measures; a reading proves its switching', async () => {
    const broker = await startBroker();
    startFleet(broker.url, ['SIM00001', 'SIM00002']);
    for (const number of ['SIM00001', 'SIM00002']) {
      for (const topic of ['presence', 'info', 'cfg'] as const)
        expect((await broker.until((each) => each.number === number && each.topic === topic)).retain).toBe(
          true,
        );
      await broker.until((each) => each.number === number && each.topic === 'tele');
    }
    const from = broker.heard.length;
    broker.command('SIM00001', { cmd: 'open', no: 1 });
    const proof = await broker.until((each) => each.topic === 'tele' && each.body.ln[0].sw === 0, from);
    expect(proof.number).toBe('SIM00001');
    const said = broker.heard
      .slice(from)
      .filter(({ number, topic }) => number === 'SIM00001' && upTopics.includes(topic))
      // On a slow machine its next regular reading comes before the command.
      .filter(({ topic, body }) => topic !== 'tele' || body.ln[0].sw === 0);
    expect(said.map(({ topic, body }) => body.st ?? body.by ?? topic)).toEqual([
      'accepted',
      'cmd',
      'done',
      'tele',
    ]);
  });

  it('plays a scene and ends it', async () => {
    const broker = await startBroker();
    const fleet = startFleet(broker.url, ['SIM00001'], 4);
    await broker.until((each) => each.topic === 'tele');
    fleet.play('neutralBreak', 'SIM00001');
    const raised = await broker.until((each) => each.topic === 'event' && each.body.kind === 'alarm');
    expect(raised.body).toMatchObject({ code: 104, st: 'raise', lvl: 2, n: 1 });
    expect(raised.body.snap.U.a).toBeGreaterThan(100);
    expect(fleet.playing('SIM00001')).toBe('neutralBreak');
    fleet.stopScene('SIM00001');
    expect(fleet.playing('SIM00001')).toBeNull();
    expect(() => fleet.play('seriesArc', 'SIM00001')).toThrow('does not fit');
    expect(fleet.scenes('SIM00001').map(({ id }) => id)).toContain('overload');
  });

  it('the broker reports the loss of a device, which reconnects by itself', async () => {
    const broker = await startBroker();
    const fleet = startFleet(broker.url, ['SIM00001']);
    await broker.until((each) => each.topic === 'tele');
    fleet.play('silence', 'SIM00001');
    const gone = await broker.until((each) => each.topic === 'presence' && each.body.on === false);
    expect(gone.body.why).toBe('lwt');
    const from = broker.heard.length;
    fleet.stopScene('SIM00001');
    await broker.until((each) => each.topic === 'presence' && each.body.on === true, from);
  });

  it('connects to a broker that was restarted', async () => {
    const first = await startBroker(await freePort());
    startFleet(first.url, ['SIM00001']);
    await first.until((each) => each.topic === 'tele');
    await first.close();
    const second = await startBroker(first.port);
    await second.until((each) => each.topic === 'presence' && each.body.on === true);
    await second.until((each) => each.topic === 'tele');
  });

  it('a fleet at a real broker restarts on command with a new boot number', async () => {
    const broker = await startBroker();
    startFleet(broker.url, ['SIM00001']);
    const { body } = await broker.until((each) => each.topic === 'tele');
    broker.command('SIM00001', { cmd: 'reboot', no: 1 });
    await broker.until(
      (each) => each.topic === 'presence' && each.body.boot === body.boot + 1 && each.body.on,
    );
  });

  it('sends duplicate or unreadable messages if its scene requires it', async () => {
    const broker = await startBroker();
    const fleet = startFleet(broker.url, ['SIM00001', 'SIM00002']);
    for (const number of ['SIM00001', 'SIM00002'])
      await broker.until((each) => each.number === number && each.topic === 'tele');
    fleet.play('duplicates', 'SIM00001');
    const isRepeated = (each: Heard) =>
      each.number === 'SIM00001' &&
      each.topic === 'tele' &&
      broker.heard.filter(
        ({ number, topic, body }) => number === each.number && topic === 'tele' && body.seq === each.body.seq,
      ).length === 2;
    await broker.until(isRepeated);
    expect(broker.heard.some(isRepeated)).toBe(true);
  });
});
