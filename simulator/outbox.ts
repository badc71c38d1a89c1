import { topicOf, type UpTopic } from '#contract/telemetry.ts';
import type { Clock } from './clock.ts';

export interface Outgoing {
  topic: string;
  payload: string;
  retain: boolean;
  /** True if the message must be sent again until the server has stored it. */
  kept: boolean;
}
/** Sends a message: resolves true when the broker confirmed it. */
export type Send = (message: Outgoing) => Promise<boolean>;

interface Entry {
  boot: number;
  seq: number;
  topic: UpTopic;
  payload: string;
  state: 'waiting' | 'sending' | 'confirmed';
  live: boolean;
}
export interface StoredEntry {
  boot: number;
  seq: number;
  topic: UpTopic;
  payload: string;
}
const backlogIntervalMs = 200;
const backlogDelayMs = 2_000;
/**
 * Messages that the broker has confirmed wait here for the server's high-water mark. The limit is low,
 * because a device has little memory for them.
 */
const confirmedLimit = 200;

/**
 * The device's ring buffer. Every message with a sequence number stays until the server's high-water mark
 * passes it; live messages are sent at once, others oldest first at 5 a second with `bf: 1`.
 */
export const createOutbox = (number: string, clock: Clock, limit: number) => {
  let entries: Entry[] = [];
  let send: Send | null = null;
  let session = 0;
  let stopBacklog: (() => void) | null = null;

  const transmit = async (entry: Entry, of: number) => {
    entry.state = 'sending';
    const payload = entry.live ? entry.payload : entry.payload.replace('"bf":0', '"bf":1');
    const confirmed = await send!({
      topic: topicOf(number, entry.topic),
      payload,
      retain: false,
      kept: true,
    });
    if (of !== session) return;
    entry.state = confirmed ? 'confirmed' : 'waiting';
    if (!confirmed) entry.live = false;
  };
  const trim = () => {
    if (entries.length > limit) entries = entries.slice(entries.length - limit);
    let surplus = -confirmedLimit;
    for (const entry of entries) if (entry.state === 'confirmed') surplus++;
    if (surplus > 0) entries = entries.filter((entry) => entry.state !== 'confirmed' || surplus-- <= 0);
  };
  const pump = () => {
    if (!send) return;
    const next = entries.find((entry) => entry.state === 'waiting');
    if (next) void transmit(next, session);
    stopBacklog = clock.after(next ? backlogIntervalMs : 5_000, pump);
  };
  return {
    add(topic: UpTopic, boot: number, seq: number, payload: string) {
      const entry: Entry = { boot, seq, topic, payload, state: 'waiting', live: send !== null };
      entries.push(entry);
      if (send) void transmit(entry, session);
      trim();
    },
    /**
     * Messages above the server's high-water mark are sent again; the mark usually arrives before the first
     * of them.
     */
    connected(way: Send) {
      send = way;
      session++;
      for (const entry of entries) {
        entry.state = 'waiting';
        entry.live = false;
      }
      stopBacklog?.();
      stopBacklog = clock.after(backlogDelayMs, pump);
    },
    disconnected() {
      send = null;
      session++;
      stopBacklog?.();
      stopBacklog = null;
    },
    mark(boot: number, seq: number) {
      entries = entries.filter((entry) => entry.boot > boot || (entry.boot === boot && entry.seq > seq));
    },
    size: () => entries.length,
    unconfirmed: (): StoredEntry[] =>
      entries
        .filter((entry) => entry.state !== 'confirmed')
        .map(({ boot, seq, topic, payload }) => ({ boot, seq, topic, payload })),
    restore(stored: readonly StoredEntry[]) {
      entries = stored.map((entry) => ({ ...entry, state: 'waiting', live: false }));
    },
  };
};
