import mqtt from 'mqtt';
import { type DownTopic, downTopics, topicOf } from '#contract/telemetry.ts';
import type { Clock } from './clock.ts';
import type { Device } from './device.ts';
import type { Outgoing } from './outbox.ts';
import type { Random } from './random.ts';

interface ConnectionOptions {
  brokerUrl: string;
  device: Device;
  clock: Clock;
  random: Random;
  /** The network has rain, duplicates, reordering and lost sessions as in the field. */
  natural: boolean;
  onState?: (number: string, connected: boolean) => void;
  /** Receives every message of the device before the simulated network changes it. */
  onSaid?: (number: string, topic: string, payload: string) => void;
}
const day = 86_400_000;
const meanUpMs = 5 * day;
const meanDownMs = 20 * 60_000;
const firstBackoffMs = 1_000;
const longestBackoffMs = 60_000;
const naturalDuplicates = 0.005;
const naturalReorders = 0.002;
const tries = 5;

/** Probability that a message is lost at this signal, dBm. */
const lossProbability = (rssi: number) => 1 / (1 + Math.exp((rssi + 108) / 3));

/** Changes a message as a broken device or line does. */
const spoil = (payload: string, random: Random): string => {
  switch (Math.floor(random.next() * 5)) {
    case 0:
      return payload.slice(0, Math.floor(payload.length / 2));
    case 1:
      return payload.replace(/"U":\{"a":[\d.]+/, '"U":{"a":NaN');
    case 2:
      return payload.replace(/"U":\{"a":[\d.]+/, '"U":{"a":"high"');
    case 3:
      return payload.replace(/"n":\d+/, '"n":99');
    default:
      return payload.replace(/"t":\d+/, '"t":99999999999999');
  }
};

/** A device's connection to the broker: reconnects with backoff, and treats messages as weak networks do. */
export const createConnection = (options: ConnectionOptions) => {
  const { device, clock, random, brokerUrl } = options;
  const { number, secret, signal = -72 } = device.config;
  let client: mqtt.MqttClient | null = null;
  let failures = 0;
  let isUp = false;
  let wanted = false;
  let heldDownUntil = 0;
  let cancelRetry: (() => void) | null = null;
  let cancelDrop: (() => void) | null = null;
  let fade = 0;
  let held: (() => void) | null = null;

  const rssi = () => Math.min(-30, Math.max(-113, (device.core.faults.signal ?? signal) + fade));

  const publish = (message: Outgoing, through: mqtt.MqttClient): Promise<boolean> =>
    new Promise((resolve) => {
      if (through !== client || !through.connected) return resolve(false);
      through.publish(message.topic, message.payload, { qos: 1, retain: message.retain }, (error) =>
        resolve(!error && through === client),
      );
    });
  const wait = (ms: number) => new Promise<void>((resolve) => void clock.after(ms, resolve));

  const carry = async (message: Outgoing, through: mqtt.MqttClient): Promise<boolean> => {
    const { faults } = device.core;
    if (faults.lateMs && message.kept) await wait(faults.lateMs);
    for (let attempt = 1; random.chance(lossProbability(rssi())); attempt++) {
      if (attempt === tries || through !== client) return false;
      await wait(random.between(1_000, 4_000));
    }
    if (!message.kept) return publish(message, through);
    if (random.chance(faults.reorderShare ?? (options.natural ? naturalReorders : 0))) {
      await new Promise<void>((resolve) => {
        const release = () => {
          if (held === release) held = null;
          resolve();
        };
        held?.();
        held = release;
        clock.after(3_000, release);
      });
      return publish(message, through);
    }
    const spoilt =
      faults.malformedShare && random.chance(faults.malformedShare)
        ? { ...message, payload: spoil(message.payload, random) }
        : message;
    const confirmed = publish(spoilt, through);
    if (random.chance(faults.duplicateShare ?? (options.natural ? naturalDuplicates : 0)))
      void publish(spoilt, through);
    if (held) {
      const release = held;
      void confirmed.then(release);
    }
    return confirmed;
  };

  const retry = () => {
    cancelRetry?.();
    if (!wanted) return;
    const backoff = Math.min(longestBackoffMs, firstBackoffMs * 2 ** Math.min(failures, 6));
    const delay = Math.max(heldDownUntil - clock.now(), backoff * random.between(0.5, 1));
    cancelRetry = clock.after(delay, open);
  };
  const lost = (of: mqtt.MqttClient) => {
    if (of !== client) return;
    client = null;
    cancelDrop?.();
    if (isUp) {
      isUp = false;
      device.disconnected();
      options.onState?.(number, false);
    } else failures++;
    retry();
  };
  /** Cuts the connection without a goodbye, as a lost signal does: the broker publishes the last will. */
  const cut = (downMs: number) => {
    heldDownUntil = clock.now() + downMs;
    const dying = client;
    if (!dying) return;
    dying.stream.destroy();
    lost(dying);
    dying.end(true);
  };
  const planDrop = () => {
    const { flapping } = device.core.faults;
    cancelDrop?.();
    cancelDrop = null;
    const up = flapping ? flapping.up * 1000 : options.natural ? meanUpMs : 0;
    const down = flapping ? flapping.down * 1000 : meanDownMs;
    if (up > 0)
      cancelDrop = clock.after(Math.min(2 ** 31 - 1, random.exponential(up)), () =>
        cut(random.exponential(down)),
      );
  };
  const open = () => {
    cancelRetry = null;
    if (!wanted || client || device.core.faults.offline) return;
    const opening = mqtt.connect(brokerUrl, {
      clientId: number,
      username: number,
      password: secret,
      protocolVersion: 4,
      clean: true,
      keepalive: Number(device.core.parameters['hb_s'] ?? 60),
      reconnectPeriod: 0,
      connectTimeout: 10_000,
      resubscribe: false,
      will: {
        topic: topicOf(number, 'presence'),
        payload: Buffer.from(JSON.stringify(device.will())),
        qos: 1,
        retain: true,
      },
    });
    client = opening;
    opening.on('connect', () => {
      const down: string[] = downTopics.map((topic) => topicOf(number, topic));
      opening.subscribe(down, { qos: 1 }, (error) => {
        if (opening !== client) return;
        if (error) {
          opening.end(true);
          return;
        }
        failures = 0;
        isUp = true;
        planDrop();
        device.connected((message) => {
          options.onSaid?.(number, message.topic, message.payload);
          return carry(message, opening);
        });
        options.onState?.(number, true);
      });
    });
    opening.on('message', (topic, payload) => {
      const name = topic.slice(topicOf(number, 'tele').length - 'tele'.length) as DownTopic;
      if (opening === client && downTopics.includes(name)) device.receive(name, payload.toString());
    });
    opening.on('error', () => opening.end(true));
    opening.on('close', () => lost(opening));
  };
  device.onRestart(() => cut(2_500));

  return {
    start(): void {
      wanted = true;
      open();
    },
    /** Called once a minute: changes of the radio signal. */
    stepSignal(): void {
      fade =
        options.natural || device.core.faults.signal !== undefined ? 0.8 * fade + random.normal(0, 1.8) : 0;
      device.setSignal(rssi());
    },
    /** The scene has changed the network faults. */
    faultsChanged(): void {
      device.setSignal(rssi());
      if (device.core.faults.offline) {
        cancelRetry?.();
        cut(0);
        cancelRetry?.();
        cancelRetry = null;
        return;
      }
      if (isUp) planDrop();
      else if (!client && !cancelRetry && wanted) {
        heldDownUntil = 0;
        failures = 0;
        open();
      }
    },
    isUp: () => isUp,
    async stop(): Promise<void> {
      wanted = false;
      cancelRetry?.();
      cancelDrop?.();
      const last = client;
      if (!last) return;
      if (isUp && last.connected)
        last.publish(topicOf(number, 'presence'), JSON.stringify({ ...device.will(), why: 'stop' }), {
          qos: 1,
          retain: true,
        });
      client = null;
      if (isUp) device.disconnected();
      isUp = false;
      await new Promise<void>((resolve) => {
        const timer = setTimeout(() => last.end(true, () => resolve()), 1_000);
        last.end(false, () => {
          clearTimeout(timer);
          resolve();
        });
      });
    },
  };
};
export type Connection = ReturnType<typeof createConnection>;
