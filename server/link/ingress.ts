import type { DownTopic, UpTopic } from '#contract/telemetry.ts';

/** A message as received from a broker. */
export interface RawMessage {
  deviceNumber: string;
  topic: UpTopic | 'foreign';
  payload: Buffer;
  retain: boolean;
  dup: boolean;
  receivedAt: number;
  /**
   * Acknowledges the message to the device: called once, after commit or refusal, never before. Does not
   * throw.
   */
  ack(): void;
}

export interface IngressEvents {
  message(raw: RawMessage): void;
  /** A connection began or ended; only an ingress with the device's own connection knows it. */
  session(deviceNumber: string, online: boolean, at: number, why: string, address: string | null): void;
  takeover(deviceNumber: string): void;
  /** A message above the maximum size: it is not acknowledged; `payload` is its beginning. */
  tooLarge(deviceNumber: string, message: Pick<RawMessage, 'topic' | 'payload' | 'receivedAt'>): void;
  /** The ingress is open again after a pause in which messages waited. */
  reopened(): void;
  /** Runs before this node accepts messages after another node accepted them. */
  takeOver(): Promise<void>;
}

/**
 * Receives device messages and sends messages to devices. Delivers at least once; unacknowledged messages
 * come again.
 */
export interface Ingress {
  start(events: IngressEvents): Promise<void>;
  /** Accepts no further messages; those already passed on may still be acknowledged. */
  stopReading(): Promise<void>;
  stop(): Promise<void>;
  /** Stops reading from the sockets, so that the senders wait and memory stays limited. */
  pause(): void;
  resume(): void;
  publish(deviceNumber: string, topic: DownTopic, payload: Buffer): Promise<void>;
  /** Whether a message to this topic of the device can arrive now. */
  reaches(deviceNumber: string, topic: DownTopic): boolean;
  disconnect(deviceNumber: string): Promise<void>;
  /** Whether it has the devices' own connections, and so can end one. */
  readonly endsConnections: boolean;
  readonly port: number;
  /** Whether messages to devices can be sent. */
  readonly ready: boolean;
  readonly connections: number;
}
