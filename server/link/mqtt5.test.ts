import { once } from 'node:events';
import { createConnection } from 'node:net';
import mqtt, { type MqttClient } from 'mqtt';
import { generate, type Packet, parser } from 'mqtt-packet';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { topicOf } from '#contract/telemetry.ts';
import { makeDevice } from '#test/factories.ts';
import { becomes, eventually } from '#test/wait.ts';
import { type LinkWorld, linkProbe, linkWorld, publish, tele } from './link.world.ts';

let world: LinkWorld;
beforeAll(async () => {
  world = await linkWorld();
});
afterAll(() => world.close());
const { readingsOf } = linkProbe(() => world);

const connected = async (properties: NonNullable<mqtt.IClientOptions['properties']> = {}) => {
  const device = await makeDevice(world.db);
  const client = await world.device(device, { protocolVersion: 5, properties });
  return { device, client, number: device.number, line: device.lines[0]!.id };
};
const next = async (client: MqttClient, cmd: Packet['cmd']) => {
  const { promise, resolve } = Promise.withResolvers<Packet>();
  client.on('packetreceive', (packet) => packet.cmd === cmd && resolve(packet));
  return promise;
};
const command = (id: string) =>
  ({ v: 1, id, no: 1, t: 1, exp: 2, cmd: 'open', n: 1, by: 'u:1', batch: null }) as const;
/** A command reaches the device, which acknowledges it. */
const expectObeyed = async (client: MqttClient, number: string, id: string) => {
  const { promise, resolve } = Promise.withResolvers<[string, Buffer]>();
  client.once('message', (topic, payload) => resolve([topic, payload]));
  await world.link.deviceLink.publishCommand(number, command(id));
  const [topic, payload] = await promise;
  expect(topic).toBe(topicOf(number, 'cmd'));
  expect(JSON.parse(payload.toString())).toMatchObject({ id, cmd: 'open' });
};

/** A connection without a client, for what no client sends. */
const raw = async () => {
  const socket = createConnection(world.link.port, '127.0.0.1');
  socket.on('error', () => {});
  const received: Packet[] = [];
  const packets = parser({ protocolVersion: 5 });
  packets.on('packet', (packet) => received.push(packet));
  socket.on('data', (bytes) => packets.parse(bytes));
  const closed = once(socket, 'close');
  const send = (packet: object) => socket.write(generate(packet as Packet, { protocolVersion: 5 }));
  const device = await makeDevice(world.db);
  const connect = (more: object = {}) =>
    send({
      ...{ cmd: 'connect', protocolId: 'MQTT', protocolVersion: 5, clean: true, clientId: device.number },
      ...{ username: device.number, password: Buffer.from(device.secret), keepalive: 60 },
      ...more,
    });
  return { socket, send, connect, closed, received, device };
};

describe('a device that speaks MQTT 5', () => {
  it('learns what the server offers, and that its session ends with the connection', async () => {
    const device = await makeDevice(world.db);
    const client = mqtt.connect(`mqtt://127.0.0.1:${world.link.port}`, {
      ...{ clientId: device.number, username: device.number, password: device.secret, reconnectPeriod: 0 },
      ...{ protocolVersion: 5, clean: false, properties: { sessionExpiryInterval: 3600 } },
    });
    expect(await next(client, 'connack')).toMatchObject({
      sessionPresent: false,
      reasonCode: 0,
      properties: {
        ...{ sessionExpiryInterval: 0, maximumPacketSize: 262_144, wildcardSubscriptionAvailable: false },
        ...{ subscriptionIdentifiersAvailable: false, sharedSubscriptionAvailable: false },
      },
    });
    await client.endAsync();
  });

  it('has its readings of QoS 0, 1 and 2 stored once, whatever properties they have', async () => {
    const { client, number, line } = await connected({ userProperties: { site: 'A' } });
    const properties = {
      ...{ payloadFormatIndicator: true, messageExpiryInterval: 60, contentType: 'application/json' },
      ...{ responseTopic: 'answers', correlationData: Buffer.from('1'), userProperties: { key: ['a', 'b'] } },
    };
    const now = world.clock.now();
    for (const qos of [2, 0, 1] as const)
      await client.publishAsync(topicOf(number, 'tele'), JSON.stringify(tele(qos + 1, now + qos)), {
        qos,
        properties,
      });
    expect((await readingsOf(line)).map((row) => row.seq)).toEqual([1, 2, 3]);
    await Promise.all(
      Array.from({ length: 200 }, (_, index) =>
        publish(client, number, 'tele', tele(index + 4, now + index)),
      ),
    );
    expect(await readingsOf(line)).toHaveLength(203);
  });

  it('subscribes to its own topics only, obeys commands, and hears none after it unsubscribes', async () => {
    const { client, number } = await connected();
    const [cmd, set] = [topicOf(number, 'cmd'), topicOf(number, 'cfg/set')];
    const asked = next(client, 'suback');
    const foreign = topicOf('SW4A0001', 'cmd');
    client.subscribe(
      [cmd, set, foreign, '$share/group/any'],
      { qos: 1, nl: true, rap: true, rh: 2 },
      () => {},
    );
    expect(await asked).toMatchObject({ granted: [1, 1, 0x87, 0x87] });
    for (const id of ['1', '2', '3']) await expectObeyed(client, number, id);
    const ended = next(client, 'unsuback');
    client.unsubscribe([cmd, set], () => {});
    expect(await ended).toMatchObject({ granted: [0, 0] });
    await expect(world.link.deviceLink.publishCommand(number, command('4'))).rejects.toThrow(
      'no live session',
    );
  });

  it('is refused with the wrong secret, and one with an unknown way to sign in too', async () => {
    const { received, connect, closed } = await raw();
    connect({ password: Buffer.from('wrong') });
    await closed;
    expect(received).toMatchObject([{ cmd: 'connack', reasonCode: 0x87 }]);
    const other = await raw();
    other.connect({ properties: { authenticationMethod: 'SCRAM-SHA-256' } });
    await other.closed;
    expect(other.received).toMatchObject([{ cmd: 'connack', reasonCode: 0x8c }]);
  });

  it('learns that another connection took over', async () => {
    const { device, client } = await connected();
    const told = next(client, 'disconnect');
    await world.device(device, { protocolVersion: 5 });
    expect(await told).toMatchObject({ reasonCode: 0x8e });
  });

  it('gets no more messages than it accepts, and none that is too large', async () => {
    const { received, connect, send, device } = await raw();
    connect({ properties: { receiveMaximum: 2, maximumPacketSize: 200 } });
    send({
      cmd: 'subscribe',
      messageId: 1,
      subscriptions: [{ topic: topicOf(device.number, 'cmd'), qos: 1 }],
    });
    await eventually(async () => received.some(({ cmd }) => cmd === 'suback'));
    const publishCommand = (id: string) => world.link.deviceLink.publishCommand(device.number, command(id));
    const answers = await Promise.allSettled(['1', '2', '3'].map(publishCommand));
    expect(answers.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected']);
    const sent = () => received.filter(({ cmd }) => cmd === 'publish');
    await eventually(async () => sent().length === 2);
    send({ cmd: 'puback', messageId: sent()[0]!.messageId });
    await becomes(async () => {
      const [outcome] = await Promise.allSettled([publishCommand('4')]);
      return outcome.status;
    }, 'fulfilled');
    await expect(publishCommand('x'.repeat(150))).rejects.toThrow('accepts no such message');
    await eventually(async () => sent().length === 3);
  });

  it('loses its connection when it uses a topic alias or breaks the protocol', async () => {
    const breaks: ((given: Awaited<ReturnType<typeof raw>>) => void)[] = [
      ({ send, device }) =>
        send({
          ...{ cmd: 'publish', topic: '', qos: 1, messageId: 1, dup: false, retain: false },
          ...{ payload: JSON.stringify(tele(1, 0)), properties: { topicAlias: 1 }, number: device.number },
        }),
      ({ connect }) => connect(),
      ({ socket }) => socket.write(Buffer.from([0xf0, 0x01, 0x00])),
      // SUBSCRIBE and UNSUBSCRIBE without a topic.
      ({ socket }) => socket.write(Buffer.from([0x82, 0x03, 0x00, 0x01, 0x00])),
      ({ socket }) => socket.write(Buffer.from([0xa2, 0x03, 0x00, 0x01, 0x00])),
      ({ socket }) => socket.write(Buffer.from([0x32, 0xff, 0xff, 0xff, 0xff, 0x01])),
    ];
    for (const broken of breaks) {
      const connection = await raw();
      connection.connect();
      await eventually(async () => connection.received.length > 0);
      broken(connection);
      await connection.closed;
    }
    for (const properties of [{ receiveMaximum: 0 }, { maximumPacketSize: 0 }]) {
      const connection = await raw();
      connection.connect({ properties });
      await connection.closed;
    }
  });

  it('is offline at once when its connection breaks, although it asks for a delay of its last will', async () => {
    const { connect, socket, received, device } = await raw();
    const will = {
      topic: topicOf(device.number, 'presence'),
      payload: '{"v":1,"on":false,"boot":1}',
      qos: 1,
    };
    connect({
      properties: { sessionExpiryInterval: 600 },
      will: { ...will, retain: true, properties: { willDelayInterval: 300 } },
    });
    await eventually(async () => received.length > 0);
    await world.hears('device.online', device.id);
    const offline = world.hears('device.online', device.id);
    socket.destroy();
    expect(await offline).toMatchObject({ online: false });
  });
});
