import type { Client } from 'aedes';
import { type DownTopic, downTopics, protocolRoot, type UpTopic, upTopics } from '#contract/telemetry.ts';
import { release, writeAcks } from './aedes-internals.ts';
import type { RawMessage } from './ingress.ts';

const upTopicNames: ReadonlySet<string> = new Set(upTopics);
const downTopicNames: ReadonlySet<string> = new Set(downTopics);
const isUpTopic = (name: string): name is UpTopic => upTopicNames.has(name);
const isDownTopic = (name: string): name is DownTopic => downTopicNames.has(name);

export interface Packet {
  topic: string;
  payload: Buffer | string;
  retain: boolean;
  dup: boolean;
  qos: number;
  messageId?: number | undefined;
}

/** One connection of a device: its topics, its subscriptions, and the PUBACKs waiting to be written. */
export class Session {
  readonly client: Client;
  readonly deviceNumber: string;
  readonly #prefix: string;
  readonly subscribed = new Set<DownTopic>();
  /** Another connection of the same device has replaced this one, so its end has no meaning. */
  replaced = false;
  #acks: number[] = [];
  #released = 0;
  /** Number of messages in the current second. */
  second = 0;
  messages = 0;

  constructor(client: Client, deviceNumber: string) {
    this.client = client;
    this.deviceNumber = deviceNumber;
    this.#prefix = `${protocolRoot}/${deviceNumber}/`;
  }

  upTopic(topic: string): UpTopic | 'foreign' {
    const name = this.#own(topic);
    return name !== null && isUpTopic(name) ? name : 'foreign';
  }

  downTopic(topic: string): DownTopic | null {
    const name = this.#own(topic);
    return name !== null && isDownTopic(name) ? name : null;
  }

  /**
   * Adds a PUBACK to those that are written together at the end of this turn. A message of QoS 0 has none.
   */
  acknowledge(messageId: number | null): void {
    if (this.#released === 0) queueMicrotask(() => this.#settle());
    this.#released += 1;
    if (messageId !== null) this.#acks.push(messageId);
  }

  #settle(): void {
    const acks = this.#acks;
    const released = this.#released;
    this.#acks = [];
    this.#released = 0;
    if (this.client.closed) return;
    if (acks.length > 0) writeAcks(this.client, acks);
    release(this.client, released);
  }

  #own(topic: string): string | null {
    return topic.startsWith(this.#prefix) ? topic.slice(this.#prefix.length) : null;
  }
}

/** A PUBLISH of a device. QoS 2 is left to aedes, whose handshake continues with `done`. */
export class Delivery implements RawMessage {
  readonly deviceNumber: string;
  readonly topic: UpTopic | 'foreign';
  readonly payload: Buffer;
  readonly retain: boolean;
  readonly dup: boolean;
  readonly receivedAt: number;
  readonly #session: Session;
  readonly #qos: number;
  readonly #messageId: number;
  readonly #done: () => void;

  constructor(session: Session, packet: Packet, receivedAt: number, done: () => void) {
    this.#session = session;
    this.#qos = packet.qos;
    this.#messageId = packet.messageId ?? 0;
    this.#done = done;
    this.deviceNumber = session.deviceNumber;
    this.topic = session.upTopic(packet.topic);
    this.payload = typeof packet.payload === 'string' ? Buffer.from(packet.payload) : packet.payload;
    this.retain = packet.retain;
    this.dup = packet.dup;
    this.receivedAt = receivedAt;
  }

  ack(): void {
    if (this.#qos === 2) this.#done();
    else this.#session.acknowledge(this.#qos === 1 ? this.#messageId : null);
  }
}
