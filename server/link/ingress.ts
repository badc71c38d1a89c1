import type { DownTopic, UpTopic } from '#contract/telemetry.ts';

/** A message as it came from a broker. */
export interface RawMessage {
  deviceNumber: string;
  topic: UpTopic | 'foreign';
  payload: Buffer;
  retain: boolean;
  dup: boolean;
  receivedAt: number;
  /** The device's promise: called once, after commit or refusal, never before. Does not throw. */
  ack(): void;
}

export interface IngressEvents {
  message(raw: RawMessage): void;
  /** A session began or ended; only an ingress that holds the device's own connection knows it. */
  session(deviceNumber: string, online: boolean, at: number, why: string, address: string | null): void;
  takeover(deviceNumber: string): void;
  /** A message too large to be taken in: it is not acknowledged; `payload` is its beginning. */
  tooLarge(deviceNumber: string, message: Pick<RawMessage, 'topic' | 'payload' | 'receivedAt'>): void;
  /** The way in is open again after a while in which messages waited. */
  reopened(): void;
  /** Runs before this node takes in messages that another node took in until now. */
  takeOver(): Promise<void>;
}

/** A way in for device messages, and back to the devices. Delivers at least once; what is not acknowledged comes again. */
export interface Ingress {
  start(events: IngressEvents): Promise<void>;
  /** Takes no further messages; those already handed over may still be acknowledged. */
  stopReading(): Promise<void>;
  stop(): Promise<void>;
  /** Stops reading from the sockets, so that the senders wait and memory stays flat. */
  pause(): void;
  resume(): void;
  publish(deviceNumber: string, topic: DownTopic, payload: Buffer): Promise<void>;
  /** Can a message to this topic of the device arrive now? */
  reaches(deviceNumber: string, topic: DownTopic): boolean;
  disconnect(deviceNumber: string): Promise<void>;
  readonly port: number;
  /** Whether messages for devices can go out. */
  readonly ready: boolean;
  readonly connections: number;
}
