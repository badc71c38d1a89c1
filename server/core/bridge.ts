import { randomUUID } from 'node:crypto';
import pg from 'pg';
import type { Logger } from 'pino';
import type { Bus, Events, StoredReading } from './bus.ts';
import type { Clock } from './clock.ts';

const channel = 'ampwatch';
/** PostgreSQL refuses notifications of 8000 bytes. */
const longestPayload = 7500;
/** Size of one part of a long message; in base64 a part and its header fit one notification. */
const partBytes = 5400;
/** Incomplete messages whose node died. */
const mostUnfinished = 100;
const interestMs = 30_000;
const retryMs = 1000;
const longestQueue = 10_000;

/** Events that other nodes need; `readings.stored` is sent only for devices that another node asked for. */
export const crossing = [
  'alarms.changed',
  'lines.tripped',
  'alarmType.changed',
  'thresholds.changed',
  'position.changed',
  'device.online',
  'device.info',
  'device.config',
  'device.ota',
  'device.ack',
  'device.changed',
  'project.changed',
  'line.changed',
  'command.changed',
  'timer.changed',
  'timer.ran',
  'tag.changed',
  'settings.requested',
  'settings.progressed',
  'job.changed',
  'scheduled.asked',
  'rollout.changed',
  'maintenance.changed',
  'maintenance.planned',
  'maintenance.swapping',
  'session.ended',
  'rights.changed',
  'message.posted',
] as const satisfies readonly (keyof Events)[];

type Letter = { from: string } & (
  | { name: keyof Events; event: unknown }
  | { interest: number[] }
  | { letter: string; part: string; last: boolean }
);

export interface Bridge {
  start(): Promise<void>;
  /** Requests the readings of these devices from the other nodes, for half a minute. */
  want(deviceIds: readonly number[]): void;
  stop(): Promise<void>;
}

/** Splits a list until each piece fits one notification, or is one item. */
const pieces = <T>(list: readonly T[], wrap: (part: readonly T[]) => string): string[] => {
  const text = wrap(list);
  if (Buffer.byteLength(text) <= longestPayload || list.length <= 1) return [text];
  const half = Math.ceil(list.length / 2);
  return [...pieces(list.slice(0, half), wrap), ...pieces(list.slice(half), wrap)];
};

/**
 * Connects the event buses of all nodes through PostgreSQL's LISTEN/NOTIFY. After an interruption, the missed
 * changes are found by reading rows.
 */
export const createBridge = ({
  databaseUrl,
  bus,
  clock,
  log,
}: {
  databaseUrl: string;
  bus: Bus;
  clock: Clock;
  log: Logger;
}): Bridge => {
  const node = randomUUID();
  const wanted = new Map<number, number>();
  let client: pg.Client | null = null;
  let relaying = false;
  let stopped = false;
  let cancelRetry = () => {};

  let tail: Promise<unknown> = Promise.resolve();
  let queued = 0;
  const post = (text: string) => {
    if (Buffer.byteLength(text) <= longestPayload) return notify(text);
    const bytes = Buffer.from(text);
    const letter = randomUUID();
    for (let at = 0; at < bytes.length; at += partBytes)
      notify(
        JSON.stringify({
          from: node,
          letter,
          part: bytes.toString('base64', at, at + partBytes),
          last: at + partBytes >= bytes.length,
        } satisfies Letter),
      );
  };
  const notify = (payload: string) => {
    if (queued >= longestQueue) return;
    queued += 1;
    tail = tail
      .then(() => client?.query('select pg_notify($1, $2)', [channel, payload]))
      .catch((error: unknown) => log.warn({ err: error }, 'event did not cross'))
      .finally(() => {
        queued -= 1;
      });
  };
  const wrapper = (name: keyof Events) => (event: unknown) =>
    JSON.stringify({ from: node, name, event } satisfies Letter);

  /** The received parts of each message; they arrive in order, because each node sends over one connection. */
  const unfinished = new Map<string, string[]>();
  const collect = ({ letter, part, last }: { letter: string; part: string; last: boolean }) => {
    const parts = unfinished.get(letter) ?? [];
    parts.push(part);
    if (last) {
      unfinished.delete(letter);
      receive(Buffer.concat(parts.map((text) => Buffer.from(text, 'base64'))).toString());
      return;
    }
    unfinished.set(letter, parts);
    const [oldest] = unfinished.keys();
    if (unfinished.size > mostUnfinished && oldest !== undefined) unfinished.delete(oldest);
  };
  const receive = (payload: string) => {
    const letter = JSON.parse(payload) as Letter;
    if (letter.from === node) return;
    if ('letter' in letter) return collect(letter);
    if ('interest' in letter) {
      for (const deviceId of letter.interest) wanted.set(deviceId, clock.now() + interestMs);
      return;
    }
    relaying = true;
    try {
      bus.emit(letter.name, letter.event as never);
    } finally {
      relaying = false;
    }
  };

  const open = async () => {
    const next = new pg.Client({ connectionString: databaseUrl });
    next.on('notification', ({ payload }) => {
      try {
        if (payload) receive(payload);
      } catch (error) {
        log.warn({ err: error }, 'an event from elsewhere cannot be read');
      }
    });
    next.on('error', () => {}); // the event 'end' follows and handles it
    next.on('end', () => {
      if (client !== next) return; // the attempt failed: its caller retries
      client = null;
      retry();
    });
    try {
      await next.connect();
      await next.query(`listen ${channel}`);
    } catch (error) {
      void next.end().catch(() => {});
      throw error;
    }
    if (stopped) await next.end();
    else client = next;
  };
  const retry = () => {
    if (stopped) return;
    cancelRetry = clock.after(retryMs, () => {
      open().then(() => bus.emit('events.missed', {}), retry);
    });
  };

  return {
    async start() {
      await open();
      for (const name of crossing)
        bus.on(name, (event) => {
          if (relaying) return;
          if (Array.isArray(event))
            for (const text of pieces(event as readonly unknown[], wrapper(name))) post(text);
          else post(wrapper(name)(event));
        });
      bus.on('readings.stored', (readings) => {
        if (relaying || wanted.size === 0) return;
        const now = clock.now();
        for (const [deviceId, until] of wanted) if (until < now) wanted.delete(deviceId);
        const asked: StoredReading[] = readings.filter(
          (reading) => reading.latest && wanted.has(reading.deviceId),
        );
        if (asked.length > 0) for (const text of pieces(asked, wrapper('readings.stored'))) post(text);
      });
    },
    want(deviceIds) {
      const wrap = (interest: readonly number[]) =>
        JSON.stringify({ from: node, interest: [...interest] } satisfies Letter);
      if (deviceIds.length > 0) for (const text of pieces(deviceIds, wrap)) post(text);
    },
    async stop() {
      stopped = true;
      cancelRetry();
      await tail;
      await client?.end();
    },
  };
};
