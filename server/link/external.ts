import mqtt, { type IPublishPacket, type MqttClient } from 'mqtt';
import type pg from 'pg';
import type { Logger } from 'pino';
import { type DownTopic, protocolRoot, type UpTopic, upTopics } from '#contract/telemetry.ts';
import { isDeviceNumber } from './credentials.ts';
import type { Directory } from './directory.ts';
import type { Ingress, IngressEvents, RawMessage } from './ingress.ts';
import { Lease } from './lease.ts';
import { holdAcks } from './mqtt-internals.ts';
import { Publisher } from './publisher.ts';

const clientId = 'ampwatch-ingress';
/** How long the broker keeps messages while no node is connected. */
const sessionSeconds = 7 * 86_400;
/** Maximum number of unacknowledged messages: the limit of memory and of one group commit. */
const mostInFlight = 8_000;

const names = new Map<string, UpTopic>(upTopics.map((topic) => [topic, topic]));

/**
 * An external MQTT 5 broker. One node at a time has the session, under a stable client id owned by a database
 * lease; PUBACKs are sent after commit, and unacknowledged messages are delivered again.
 */
export class ExternalBroker implements Ingress {
  readonly #url: string;
  readonly #directory: Directory;
  readonly #log: Logger;
  readonly #now: () => number;
  readonly #lease: Lease;
  #events!: IngressEvents;
  #consumer: MqttClient | null = null;
  /** Incremented whenever the lease is gained or lost; work that began under an earlier lease ends. */
  #term = 0;
  #publisher!: Publisher;
  readonly port = 0;

  constructor(url: string, pool: pg.Pool, directory: Directory, log: Logger, now: () => number) {
    this.#url = url;
    this.#directory = directory;
    this.#log = log;
    this.#now = now;
    this.#lease = new Lease(pool, clientId);
  }

  get ready(): boolean {
    return this.#publisher.connected;
  }

  get connections(): number {
    return this.#consumer?.connected ? 1 : 0;
  }

  async start(events: IngressEvents): Promise<void> {
    this.#events = events;
    this.#publisher = new Publisher(this.#url, this.#log);
    this.#lease.start(
      () => void this.#takeOver(),
      () => {
        this.#log.warn('the lease of the device link is lost');
        this.#term += 1;
        this.#consumer?.end(true);
        this.#consumer = null;
      },
    );
  }

  async stopReading(): Promise<void> {
    this.#consumer?.removeAllListeners('message');
  }

  async stop(): Promise<void> {
    const consumer = this.#consumer;
    this.#consumer = null;
    this.#term += 1;
    await Promise.all([consumer?.endAsync(), this.#publisher.stop()]);
    this.#lease.stop();
  }

  /** The broker sends at most `mostInFlight` unacknowledged messages, so withheld PUBACKs pause it. */
  pause(): void {}
  resume(): void {}

  reaches(deviceNumber: string): boolean {
    const device = this.#directory.get(deviceNumber);
    return this.#publisher.connected && (device === undefined || device.online);
  }

  publish(deviceNumber: string, topic: DownTopic, payload: Buffer): Promise<void> {
    return this.#publisher.publish(deviceNumber, topic, payload);
  }

  /** Connections and credentials belong to the broker. */
  readonly endsConnections = false;
  async disconnect(): Promise<void> {}

  /** Messages that another node stored meanwhile are read again before the first message is accepted. */
  async #takeOver(): Promise<void> {
    this.#term += 1;
    const term = this.#term;
    while (term === this.#term) {
      try {
        await this.#events.takeOver();
        if (term === this.#term) this.#consume();
        return;
      } catch (error) {
        this.#log.warn({ error }, 'the device link cannot be taken over yet');
        await new Promise((resolve) => setTimeout(resolve, 1_000));
      }
    }
  }

  #consume(): void {
    const consumer = mqtt.connect(this.#url, {
      protocolVersion: 5,
      clientId,
      clean: false,
      resubscribe: false,
      reconnectPeriod: 500,
      properties: { sessionExpiryInterval: sessionSeconds, receiveMaximum: mostInFlight },
    });
    this.#consumer = consumer;
    this.#logTroubles(consumer, 'consumer');
    const acknowledge = holdAcks(consumer);
    consumer.on('connect', () => {
      this.#events.reopened();
      const topics = Object.fromEntries(
        upTopics.map((topic) => [`${protocolRoot}/+/${topic}`, { qos: 1, rh: 1 } as const]),
      );
      consumer.subscribe(topics, (error) => {
        if (error) this.#log.error({ error: error.message }, 'cannot subscribe at the broker');
      });
    });
    consumer.on('message', (topic, payload, packet) => {
      const raw = this.#rawOf(topic, payload, packet, acknowledge);
      if (raw) this.#events.message(raw);
      else acknowledge(packet);
    });
  }

  #rawOf(
    topic: string,
    payload: Buffer,
    packet: IPublishPacket,
    acknowledge: (packet: IPublishPacket) => void,
  ): RawMessage | null {
    const [, , deviceNumber, name, ...more] = topic.split('/');
    const upTopic = names.get(name ?? '');
    if (!isDeviceNumber(deviceNumber) || !upTopic || more.length > 0) return null;
    return {
      deviceNumber,
      topic: upTopic,
      payload,
      retain: packet.retain,
      dup: packet.dup,
      receivedAt: this.#now(),
      ack: () => acknowledge(packet),
    };
  }

  #logTroubles(client: MqttClient, role: string): void {
    client.on('error', (error) => this.#log.warn({ role, error: error.message }, 'broker'));
    client.on('close', () => this.#log.debug({ role }, 'connection to the broker closed'));
  }
}
