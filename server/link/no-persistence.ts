import { Readable } from 'node:stream';

interface Message {
  messageId?: number;
}
interface Session {
  id: string;
}

/**
 * What aedes is given as persistence: nothing outlives a connection. Readings are stored by the group commit, and a
 * command must never wait for a device that is away. The handshake of QoS 2 needs the ids of its messages, for as long
 * as the connection lasts: a message that comes again later is known by its boot and sequence.
 */
export class NoPersistence {
  readonly #incoming = new Map<string, Set<number>>();

  async setup(): Promise<void> {}
  async destroy(): Promise<void> {}
  async storeRetained(): Promise<void> {}
  async addSubscriptions(): Promise<void> {}
  async removeSubscriptions(): Promise<void> {}
  async cleanSubscriptions(): Promise<void> {}
  async subscriptionsByClient(): Promise<never[]> {
    return [];
  }
  async subscriptionsByTopic(): Promise<never[]> {
    return [];
  }
  async outgoingEnqueue(): Promise<void> {}
  async outgoingEnqueueCombi(): Promise<void> {}
  async outgoingUpdate(): Promise<void> {}
  async outgoingClearMessageId(): Promise<void> {}
  async putWill(): Promise<void> {}
  async getWill(): Promise<void> {}
  async delWill(): Promise<void> {}
  outgoingStream = () => Readable.from([]);
  createRetainedStreamCombi = () => Readable.from([]);
  streamWill = () => Readable.from([]);

  async incomingStorePacket({ id }: Session, packet: Message): Promise<void> {
    const ids = this.#incoming.get(id) ?? new Set<number>();
    ids.add(packet.messageId ?? 0);
    this.#incoming.set(id, ids);
  }
  async incomingGetPacket({ id }: Session, { messageId }: Message): Promise<Message> {
    if (!this.#incoming.get(id)?.has(messageId ?? 0)) throw new Error('no such packet');
    return { messageId: messageId ?? 0 };
  }
  async incomingDelPacket({ id }: Session, { messageId }: Message): Promise<void> {
    this.#incoming.get(id)?.delete(messageId ?? 0);
  }
  async cleanIncoming({ id }: Session): Promise<void> {
    this.#incoming.delete(id);
  }
}
