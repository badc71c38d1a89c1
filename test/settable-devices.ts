import mqtt, { type MqttClient } from 'mqtt';
import { type CfgMessage, type CfgSetMessage, topicOf } from '#contract/telemetry.ts';

interface SettableDevice {
  readonly number: string;
  /** The device's own revision of its settings, and of its line 1. */
  rev: number;
  values: Record<string, unknown>;
  /** Configurations that it received, and those that changed something. */
  received: number;
  effective: number;
  refused: number;
}

/**
 * Many devices that report once and accept settings, over MQTT and like a real device: against the right revision,
 * completely, each message once. They keep their values when the connection ends, and reconnect. For a
 * half-done push a test limits how many devices accept settings (`letTake`); the others stay silent until
 * more may.
 */
export const connectSettable = (port: number, numbers: readonly string[], secret: string) => {
  const clients: MqttClient[] = [];
  const taking = new Set<string>();
  const silent = new Map<string, () => void>();
  let most = numbers.length;
  const whenAllowed = (number: string, take: () => void): void => {
    if (!taking.has(number) && taking.size >= most) {
      silent.set(number, take);
      return;
    }
    taking.add(number);
    silent.delete(number);
    take();
  };
  const devices = numbers.map((number): SettableDevice => {
    const device: SettableDevice = {
      number,
      rev: 1,
      values: { il_w: 15, il_a: 30 },
      received: 0,
      effective: 0,
      refused: 0,
    };
    const answered = new Map<string, 'applied' | 'conflict'>();
    const client = mqtt.connect(`mqtt://127.0.0.1:${port}`, {
      clientId: number,
      username: number,
      password: secret,
      reconnectPeriod: 200 + (clients.length % 10) * 50,
      connectTimeout: 10_000,
    });
    clients.push(client);
    client.on('error', () => {}); // the server is down: the client tries again
    const report = (answer: Pick<CfgMessage, 'id' | 'st'> = {}) =>
      client.publish(
        topicOf(number, 'cfg'),
        JSON.stringify({
          v: 1,
          rev: device.rev,
          t: Date.now(),
          p: { 1: device.values, dev: {} },
          en: {},
          ...answer,
        }),
        { qos: 1, retain: true },
      );
    let seq = 0;
    /** Without a report nobody knows the device's clock, so that it gets no settings that weaken its protection. */
    const tell = () => {
      seq += 1;
      const reading = { v: 1, boot: 1, seq, t: Date.now(), ln: [{ n: 1, sw: 1 }] };
      client.publish(topicOf(number, 'tele'), JSON.stringify(reading), { qos: 1 });
    };
    client.on('connect', () => {
      client.subscribe([topicOf(number, 'cmd'), topicOf(number, 'cfg/set')], { qos: 1 }, () => {
        tell();
        report();
      });
    });
    // A message of an ended connection is sent again.
    client.on('close', () => silent.delete(number));
    const take = (wish: CfgSetMessage) => {
      device.received += 1;
      const before = answered.get(wish.id);
      if (before) return report({ id: wish.id, st: before });
      const st = wish.base === device.rev ? 'applied' : 'conflict';
      answered.set(wish.id, st);
      if (st === 'applied') {
        const next = { ...device.values, ...wish.p?.['1'] };
        if (JSON.stringify(next) !== JSON.stringify(device.values)) device.effective += 1;
        device.values = next;
        device.rev += 1;
      } else device.refused += 1;
      report({ id: wish.id, st });
    };
    client.on('message', (_topic, payload) => {
      const wish = JSON.parse(payload.toString()) as CfgSetMessage;
      whenAllowed(number, () => take(wish));
    });
    return device;
  });
  return {
    devices,
    connected: () => clients.filter((client) => client.connected).length,
    /** From now on this many devices accept settings, including those that already did. */
    letTake(count: number) {
      most = count;
      for (const [number, take] of silent) whenAllowed(number, take);
    },
    close: () => Promise.all(clients.map((client) => client.endAsync(true))),
  };
};
