import { connect, type Socket } from 'node:net';
import { generate } from 'mqtt-packet';
import { topicOf } from '#contract/telemetry.ts';

/**
 * The load: many devices in one process with minimal MQTT code, so that the server is the bottleneck.
 * `window` > 0: closed loop with this many messages in flight per device; else `rate` messages per second in
 * total.
 */
export interface LoadOrder {
  port: number;
  first: number;
  devices: number;
  secret: string;
  boot: number;
  window: number;
  rate: number;
  alarmsPerSecond: number;
}

interface Device {
  socket: Socket;
  topic: Buffer;
  eventTopic: Buffer;
  seq: number;
  /** seq of its last raise, which identifies the episode. */
  raised: number;
  inFlight: number;
}

export const numberOf = (index: number): string => `BENCH${String(index).padStart(6, '0')}`;

let order: LoadOrder;
let acknowledged = 0;
let sent = 0;
let running = false;
const devices: Device[] = [];

const publish = (topic: Buffer, messageId: number, payload: string): Buffer => {
  const length = 2 + topic.length + 2 + payload.length;
  const packet = Buffer.allocUnsafe(3 + length);
  let at = packet.writeUInt8(0x32, 0);
  at = packet.writeUInt8((length & 127) | 128, at);
  at = packet.writeUInt8(length >> 7, at);
  at = packet.writeUInt16BE(topic.length, at);
  at += topic.copy(packet, at);
  at = packet.writeUInt16BE(messageId, at);
  packet.write(payload, at, 'latin1');
  return packet;
};

const send = (device: Device, count: number): void => {
  const packets: Buffer[] = [];
  for (let index = 0; index < count; index += 1) {
    const seq = device.seq++;
    const values = `"U":{"a":${229 + (seq % 20) / 10}},"I":{"a":${5 + (seq % 50) / 10}},"P":{"t":${1100 + (seq % 90)}}`;
    const payload = `{"v":1,"boot":${order.boot},"seq":${seq},"t":${Date.now()},"ln":[{"n":1,${values}}]}`;
    packets.push(publish(device.topic, (seq % 65_535) + 1, payload));
  }
  device.inFlight += count;
  sent += count;
  device.socket.write(packets.length === 1 ? packets[0]! : Buffer.concat(packets));
};

const sendAlarm = (device: Device, active: boolean): void => {
  const seq = device.seq++;
  if (active) device.raised = seq;
  const eid = `${order.boot}-${device.raised}`;
  const payload = `{"v":1,"boot":${order.boot},"seq":${seq},"t":${Date.now()},"eid":"${eid}","kind":"alarm","st":"${active ? 'raise' : 'clear'}","code":201,"lvl":2,"n":1,"val":52.1,"thr":44.0,"unit":"A"}`;
  sent += 1;
  device.socket.write(publish(device.eventTopic, (seq % 65_535) + 1, payload));
};

const open = (index: number): Promise<void> => {
  const clientId = numberOf(index);
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const socket = connect({ port: order.port, host: '127.0.0.1', noDelay: true });
  const device: Device = {
    socket,
    topic: Buffer.from(topicOf(clientId, 'tele')),
    eventTopic: Buffer.from(topicOf(clientId, 'event')),
    seq: 0,
    raised: 0,
    inFlight: 0,
  };
  let rest = 0;
  let greeted = false;
  socket.on('connect', () => {
    socket.write(
      generate({
        cmd: 'connect',
        clientId,
        username: clientId,
        password: Buffer.from(order.secret),
        clean: true,
        keepalive: 600,
        protocolVersion: 4,
        protocolId: 'MQTT',
      }),
    );
  });
  socket.on('data', (bytes: Buffer) => {
    if (!greeted) {
      greeted = true;
      if (bytes[3] !== 0) return reject(new Error(`CONNACK ${bytes[3]}`));
      const subscriptions = (['cmd', 'cfg/set'] as const).map((topic) => ({
        topic: topicOf(clientId, topic),
        qos: 1 as const,
      }));
      socket.write(generate({ cmd: 'subscribe', messageId: 1, subscriptions }));
      return;
    }
    if (!running && bytes[0] === 0x90) {
      devices.push(device);
      return resolve();
    }
    const acks = (bytes.length + rest) >> 2;
    rest = (bytes.length + rest) & 3;
    acknowledged += acks;
    device.inFlight -= acks;
    if (running && order.window > 0 && acks > 0) send(device, acks);
  });
  socket.on('error', reject);
  return promise;
};

const pace = (): void => {
  const began = performance.now();
  let due = 0;
  let next = 0;
  let alarms = 0;
  // Each alarm is active for 2.5 s, because a shorter one is only logged.
  const standing = Math.ceil(order.alarmsPerSecond * 1.25);
  const tick = () => {
    if (!running) return;
    const seconds = (performance.now() - began) / 1000;
    const target = Math.floor(seconds * order.rate);
    while (due < target) {
      send(devices[next]!, 1);
      next = (next + 1) % devices.length;
      due += 1;
    }
    const alarmTarget = Math.floor(seconds * order.alarmsPerSecond);
    for (; alarms < alarmTarget; alarms += 1) {
      const active = alarms % 2 === 0;
      const episode = (alarms >> 1) - (active ? 0 : standing);
      if (episode >= 0) sendAlarm(devices[(episode * 7) % devices.length]!, active);
    }
    setTimeout(tick, 2);
  };
  tick();
};

const obey = async (message: { load?: LoadOrder; ask?: boolean; end?: boolean }) => {
  if (message.load) {
    order = message.load;
    for (let index = 0; index < order.devices; index += 50)
      await Promise.all(
        Array.from({ length: Math.min(50, order.devices - index) }, (_, offset) =>
          open(order.first + index + offset),
        ),
      );
    process.send?.({ ready: true });
    running = true;
    if (order.window > 0) for (const device of devices) send(device, order.window);
    else if (order.rate > 0) pace();
  }
  if (message.ask) process.send?.({ acknowledged, sent });
  if (message.end) {
    running = false;
    for (const { socket } of devices) socket.destroy();
    process.exit(0);
  }
};
process.on('message', (message: Parameters<typeof obey>[0]) => void obey(message));
