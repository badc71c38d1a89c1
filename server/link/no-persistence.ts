import { Readable } from 'node:stream';

interface Message {
  messageId?: number;
}
interface Session {
  id: string;
}

/**
 * The persistence for aedes: nothing outlives a connection. The group commit stores readings, and a command
 * must never wait for an offline device. The QoS 2 handshake needs the ids of its messages while the
 * connection lasts; a message that is repeated later is recognised by its boot and sequence.
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
