import type { ConnectPacket } from 'aedes';
import { generate, type IConnackPacket, type Packet, parser } from 'mqtt-packet';
import { largestPacketBytes, packetsOf, type WritableClient } from './aedes-internals.ts';

/**
 * MQTT 5 over aedes, which accepts only 3.1.1 (decision 0563). Its parser reads both. So the CONNECT of a client
 * of MQTT 5 is given to it as one of 3.1.1, and what it writes is translated here.
 */

/** MQTT 5.0, 2.4: reason codes that this server sends. */
export const reasonCodes = {
  badAuthenticationMethod: 0x8c,
  notAuthorized: 0x87,
  protocolError: 0x82,
  sessionTakenOver: 0x8e,
  unspecifiedError: 0x80,
} as const;

/** Index: return code of MQTT 3.1.1, 3.2.2.3. Value: reason code of MQTT 5.0, 3.2.2.2. */
const connectReasons = [0, 0x84, 0x85, 0x88, 0x86, reasonCodes.notAuthorized];
const refusedSubscription = 0x80;
const longestPacketBytes = 0xfff_ffff;
const mostUnacknowledged = 0xffff;

/** What the server offers. A session ends with its connection, whatever the client asked for. */
const offered: NonNullable<IConnackPacket['properties']> = {
  sessionExpiryInterval: 0,
  maximumPacketSize: largestPacketBytes,
  wildcardSubscriptionAvailable: false,
  subscriptionIdentifiersAvailable: false,
  sharedSubscriptionAvailable: false,
};

/** Adds the fields that only MQTT 5 has. `unsubscribed`: number of topics by message id. */
const translate = (packet: Packet, unsubscribed: Map<number, number>): Packet => {
  if (packet.cmd === 'connack') {
    const reasonCode = connectReasons[packet.returnCode ?? 0] ?? reasonCodes.unspecifiedError;
    return { ...packet, reasonCode, ...(reasonCode === 0 ? { properties: offered } : {}) };
  }
  if (packet.cmd === 'suback') {
    const granted = packet.granted.map((code) =>
      code === refusedSubscription ? reasonCodes.notAuthorized : code,
    );
    return { ...packet, granted };
  }
  if (packet.cmd === 'unsuback') {
    const id = packet.messageId ?? 0;
    const topics = unsubscribed.get(id) ?? 1;
    unsubscribed.delete(id);
    return { ...packet, granted: Array.from({ length: topics }, () => 0) };
  }
  return packet;
};

/** A connection of MQTT 5, and what its client accepts. */
export class Mqtt5 {
  readonly #maximumPacketSize: number;
  readonly #write: (packet: Packet) => void;
  /** Number of messages that the client still accepts before it acknowledges one. */
  #room: number;

  /** Call it when the CONNECT arrives, before aedes handles it. Changes the packet. */
  constructor(client: WritableClient, packet: ConnectPacket) {
    const { receiveMaximum = mostUnacknowledged, maximumPacketSize = longestPacketBytes } =
      packet.properties ?? {};
    this.#room = receiveMaximum;
    this.#maximumPacketSize = maximumPacketSize;
    const unsubscribed = new Map<number, number>();
    packetsOf(client, 5, (received) => {
      if (received.cmd === 'puback') this.#room = Math.min(this.#room + 1, receiveMaximum);
      if (received.cmd === 'unsubscribe')
        unsubscribed.set(received.messageId ?? 0, received.unsubscriptions.length);
    });
    packet.protocolVersion = 4;
    packet.clean = true;

    const socket = client.conn;
    const write = socket.write.bind(socket);
    this.#write = (sent) => {
      write(generate(sent, { protocolVersion: 5 }));
    };
    let translated: Buffer[] = [];
    const fromAedes = parser({ protocolVersion: 4 });
    fromAedes.on('packet', (sent) => {
      translated.push(generate(translate(sent, unsubscribed), { protocolVersion: 5 }));
    });
    socket.write = (chunk: Buffer | string, ...rest: unknown[]): boolean => {
      const [encoding] = rest;
      const isEncoded = typeof encoding === 'string' && Buffer.isEncoding(encoding);
      fromAedes.parse(typeof chunk === 'string' ? Buffer.from(chunk, isEncoded ? encoding : 'utf8') : chunk);
      const bytes = Buffer.concat(translated);
      translated = [];
      const done = rest.find((one) => typeof one === 'function');
      return write(bytes, done as (() => void) | undefined);
    };
  }

  /** Counts one more message to the client; false if it accepts none [MQTT-3.3.4-9], [MQTT-3.1.2-24]. */
  takes(topic: string, payload: Buffer): boolean {
    // Fixed header, length of the topic, message id and length of the properties: at most 10 bytes.
    const isTooLarge = Buffer.byteLength(topic) + payload.length + 10 > this.#maximumPacketSize;
    if (isTooLarge || this.#room === 0) return false;
    this.#room -= 1;
    return true;
  }

  refuse(reasonCode: number): void {
    this.#write({ cmd: 'connack', sessionPresent: false, reasonCode });
  }

  /** Tells the client why its connection ends. */
  end(reasonCode: number): void {
    this.#write({ cmd: 'disconnect', reasonCode });
  }
}

/** The reason to refuse this CONNECT that MQTT 3.1.1 does not know, if there is one. */
export const refusedConnect = ({ properties }: ConnectPacket): number | null => {
  // No AUTH exchange: a client that expects one would otherwise be signed in without it.
  if (properties?.authenticationMethod !== undefined) return reasonCodes.badAuthenticationMethod;
  const isBroken =
    properties?.receiveMaximum === 0 ||
    properties?.maximumPacketSize === 0 ||
    properties?.authenticationData !== undefined;
  return isBroken ? reasonCodes.protocolError : null;
};
