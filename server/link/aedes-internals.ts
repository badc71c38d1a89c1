import { Socket } from 'node:net';
import type { Client } from 'aedes';
import type { Packet } from 'mqtt-packet';
import { maxDeviceMessageBytes } from '#contract/telemetry.ts';

/**
 * The only place that uses aedes' internals, for three things without an option. It withholds the PUBACKs of many
 * messages and writes them together, without aedes' persistence and routing, which cost more than storing the
 * reading. It stops reading from a socket while the database is slow or a packet is too large. And it lets aedes'
 * parser read MQTT 5. The pinned version and the broker tests protect it.
 */
interface Internals {
  _parsingBatch: number;
  _nextBatch(): void;
  _authorized: boolean;
  _parser: {
    _list: { length: number; slice(from: number, to: number): Buffer };
    settings: { protocolVersion?: number };
    prependListener(event: 'packet', listener: (packet: Packet) => void): void;
  };
  _will: { topic: string; retain?: boolean } | null;
}
const inside = (client: Client) => client as unknown as Internals;

/**
 * Maximum size of a packet that is read in order to be refused and acknowledged; a larger one ends the
 * connection.
 */
export const largestPacketBytes = 256 * 1024;
/** Maximum size for a client that has not signed in yet: a CONNECT with the longest last will. */
const largestFirstPacketBytes = maxDeviceMessageBytes + 4096;
const excerptBytes = 512;

export type WritableClient = Pick<Client, 'conn'>;

/** Reads the next packets of the client by this version of MQTT, and shows each before aedes handles it. */
export const packetsOf = (
  client: WritableClient,
  protocolVersion: number,
  see: (packet: Packet) => void,
): void => {
  const { _parser: parser } = inside(client as Client);
  parser.settings = { protocolVersion };
  parser.prependListener('packet', see);
};

export const willTopic = (client: Client): string | null => inside(client)._will?.topic ?? null;

/** Sends the PUBACKs of these messages, in order, in one write. */
export const writeAcks = (client: Client, messageIds: readonly number[]): void => {
  const bytes = Buffer.allocUnsafe(4 * messageIds.length);
  let at = 0;
  for (const id of messageIds) {
    bytes.writeUInt32BE(((0x40 << 24) | (2 << 16) | id) >>> 0, at);
    at += 4;
  }
  client.conn.write(bytes);
};

/**
 * Reports to aedes that this many messages have been processed: after the last of them, it continues reading.
 */
export const release = (client: Client, count: number): void => {
  const internals = inside(client);
  internals._parsingBatch -= count - 1;
  internals._nextBatch();
};

export const readOn = (client: Client): void => inside(client)._nextBatch();

export interface ReadGuard {
  /** True if the client must wait; the guard remembers it and calls `readOn` later. */
  halts(client: Client): boolean;
  /** Called when a client sends a packet above the maximum size; its connection then ends. */
  tooLarge(client: Client, topic: string, excerpt: Buffer): void;
}
interface GuardedSocket extends Socket {
  guard?: ReadGuard;
  client?: Client;
}

function guardedRead(this: GuardedSocket, size?: number): unknown {
  // Node's own streams call read(0); only aedes calls read without a size.
  if ((size as number | null | undefined) === null && this.client) {
    const { client, guard } = this;
    const { _parser: parser, _authorized: isKnown } = inside(client);
    if (parser._list.length > (isKnown ? largestPacketBytes : largestFirstPacketBytes)) {
      const begun = parser._list.slice(0, excerptBytes);
      const topicEnd = 2 + begun.readUInt16BE(0);
      if (isKnown) guard?.tooLarge(client, begun.toString('utf8', 2, topicEnd), begun.subarray(topicEnd));
      this.destroy(new Error('packet too large'));
      return null;
    }
    if (guard?.halts(client)) return null;
  }
  return Socket.prototype.read.call(this, size);
}

/** Call it before the socket is given to aedes. */
export const guardReads = (socket: Socket, guard: ReadGuard): void => {
  const guarded: GuardedSocket = socket;
  guarded.guard = guard;
  guarded.read = guardedRead;
};
