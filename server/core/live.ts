import type { FastifyReply } from 'fastify';
import { heartbeatMs, type LiveEvent, type LiveEventName } from '#contract/live.ts';
import { holds, seesProject } from './scope.ts';
import type { Caller } from './session.ts';

/** The project and part of an event. A listener gets only events within their scope. */
export interface Audience {
  projectId: number | null;
  partId: number | null;
  /** Also for users who see only a part of the project. */
  wholeProject?: boolean;
  /** Only for listeners with this device in `?device=`. */
  watchedDeviceId?: number;
  userIds?: readonly number[];
  /** For every listener, whatever their scope. */
  everyone?: boolean;
}
interface Sent {
  id: number;
  /** Server time, ms. */
  at: number;
  name: LiveEventName;
  data: string;
  audience: Audience;
}
interface Listener {
  caller: Caller;
  /** The caller with the present permissions; null: the session has ended, or may not listen any more. */
  renew: () => Promise<Caller | null>;
  devices: ReadonlySet<number>;
  reply: FastifyReply;
  /** False until what was missed before is written. */
  joined: boolean;
}

/** What a new stream needs. */
interface NewStream {
  reply: FastifyReply;
  caller: Caller;
  devices: ReadonlySet<number>;
  /** The last event that its console received, of this server or another one. */
  resumesAfter: string | undefined;
  renew: () => Promise<Caller | null>;
  /** New and escalated alarms of the caller since then (ms), for events that this server does not remember. */
  alarmsSince: (since: number, caller: Caller) => Promise<readonly LiveEvent['alarm'][]>;
}

const remembered = 5000;
/** Leaves a reserve for a busy moment within the longest time between two heartbeats. */
const pulseMs = heartbeatMs - 2_000;
const renewMs = 60_000;
/** Clocks of two nodes may differ by this; an alarm that comes twice is shown once. */
const clockSlopMs = 5_000;
/** A listener with a larger backlog is disconnected; its console reconnects and resumes. */
const longestBacklogBytes = 1024 * 1024;

export interface Live {
  /** The id of the last event: a stream that resumes from it brings everything that is sent after this call. */
  lastEventId(): string;
  send<Name extends LiveEventName>(name: Name, data: LiveEvent[Name], audience: Audience): void;
  attach(stream: NewStream): void;
  /** Loads the session of every stream again: ends the stream if the session ended, else updates role and scope. */
  renew(): Promise<void>;
  /**
   * Ends the streams of a user whose session, role or scope changed; a console with a valid session
   * reconnects at once.
   */
  drop(userId: number): void;
  /** Whether a user is watching the device now; otherwise its values are not sent. */
  isWatched(deviceId: number): boolean;
  /** Devices that users are watching now. */
  watched(): readonly number[];
  /** Calls the listener when a user starts to watch devices. */
  onWatch(listener: (deviceIds: readonly number[]) => void): void;
  size(): number;
  /** Number of streams that a user has open. */
  streamsOf(userId: number): number;
  stop(): void;
}

/** `<server start>-<number>-<ms>`: the time is for a server that does not know the number. */
const parseId = (text: string | undefined): { epoch: string; id: number; at: number } | null => {
  const [, epoch, id, at] = /^([0-9a-z]+)-(\d+)-(\d+)$/.exec(text ?? '') ?? [];
  return epoch === undefined ? null : { epoch, id: Number(id), at: Number(at) };
};

/**
 * Server-sent events: one stream per open console, resumed by the id of its last event from the last few
 * thousand events. After a restart, on another node or after a longer gap the alarms of the time between come
 * from the database; everything else the console loads again.
 */
export const createLive = (): Live => {
  const epoch = Date.now().toString(36);
  const listeners = new Set<Listener>();
  let watched: ReadonlySet<number> = new Set();
  const countWatched = () => {
    watched = new Set([...listeners].flatMap((listener) => [...listener.devices]));
  };
  const onWatch = new Set<(deviceIds: readonly number[]) => void>();
  let sent: Sent[] = [];
  let lastId = 0;

  const wants = ({ caller, devices }: Listener, { audience }: Sent): boolean => {
    if (audience.everyone) return true;
    if (audience.userIds) return audience.userIds.includes(caller.userId);
    if (audience.watchedDeviceId !== undefined && !devices.has(audience.watchedDeviceId)) return false;
    const { scope } = caller;
    return (
      holds(scope, audience.projectId, audience.partId) ||
      (audience.wholeProject === true && seesProject(scope, audience.projectId))
    );
  };
  const put = ({ raw }: FastifyReply, text: string) => {
    raw.write(text);
    if (raw.writableLength > longestBacklogBytes) raw.destroy();
  };
  const write = ({ reply }: Listener, event: Sent) =>
    put(reply, `id: ${epoch}-${event.id}-${event.at}\nevent: ${event.name}\ndata: ${event.data}\n\n`);
  const heartbeat = () => {
    const data: LiveEvent['heartbeat'] = { at: new Date().toISOString() };
    return `event: heartbeat\ndata: ${JSON.stringify(data)}\n\n`;
  };
  /** Nothing more is written, although the connection may take a while to close. */
  const end = (listener: Listener, last = '') => {
    listeners.delete(listener);
    countWatched();
    listener.reply.raw.end(last);
  };
  /** Its console asks at once whether its session has ended, so that no screen looks live after that. */
  const endWithSession = (listener: Listener) => {
    const data: LiveEvent['session'] = {};
    end(listener, `event: session\ndata: ${JSON.stringify(data)}\n\n`);
  };
  const pulse = setInterval(() => {
    // Without an id, because a resuming console names the last event that it received.
    for (const { reply } of listeners) put(reply, heartbeat());
  }, pulseMs);
  pulse.unref();
  const renewOne = async (listener: Listener): Promise<void> => {
    // Permissions cannot change while the database is down.
    const caller = await listener.renew().catch(() => listener.caller);
    if (caller) listener.caller = caller;
    else endWithSession(listener);
  };
  const renew = async (): Promise<void> => {
    for (const listener of [...listeners]) await renewOne(listener);
  };
  const renewal = setInterval(() => void renew(), renewMs);
  renewal.unref();

  const lastEventId = () => `${epoch}-${lastId}-${Date.now()}`;

  return {
    lastEventId,
    renew,
    send(name, data, audience) {
      const event: Sent = { id: ++lastId, at: Date.now(), name, data: JSON.stringify(data), audience };
      if (audience.watchedDeviceId === undefined) {
        sent.push(event);
        if (sent.length > 2 * remembered) sent = sent.slice(-remembered);
      }
      for (const listener of listeners) if (listener.joined && wants(listener, event)) write(listener, event);
    },
    attach({ reply, caller, devices, resumesAfter, renew, alarmsSince }) {
      reply.hijack();
      reply.raw.writeHead(200, {
        'content-type': 'text/event-stream; charset=utf-8',
        'cache-control': 'no-store',
        'x-accel-buffering': 'no',
      });
      const listener: Listener = { caller, renew, devices, reply, joined: false };
      // From here on it is ended or renewed with the others, also while its past is read.
      listeners.add(listener);
      const last = parseId(resumesAfter);
      const isRemembered =
        last?.epoch === epoch && last.id <= lastId && last.id >= (sent[0]?.id ?? lastId + 1) - 1;
      const attachedAt = { id: lastId, at: Date.now() };
      const join = (missedAfter: number) => {
        if (!listeners.has(listener)) return;
        for (const event of sent)
          if (event.id > missedAfter && wants(listener, event)) write(listener, event);
        // Everything that was missed is written now, so the console may resume from here.
        put(reply, `id: ${lastEventId()}\n${heartbeat()}`);
        listener.joined = true;
        countWatched();
        if (devices.size > 0) for (const watcher of onWatch) watcher([...devices]);
      };
      reply.raw.on('close', () => {
        listeners.delete(listener);
        countWatched();
      });
      const begin = async () => {
        // What was taken away between the check of the request and the line above.
        await renewOne(listener);
        if (!listeners.has(listener)) return;
        reply.raw.write(
          `retry: 2000\nevent: hello\ndata: ${JSON.stringify({ resumed: isRemembered })}\n\n${heartbeat()}`,
        );
        if (last === null || isRemembered) return join(last?.id ?? attachedAt.id);
        const since = Math.min(last.at, attachedAt.at) - clockSlopMs;
        let reader: Caller;
        let alarms: readonly LiveEvent['alarm'][] | null;
        do {
          reader = listener.caller;
          alarms = await alarmsSince(since, reader).catch(() => null);
        } while (listener.caller !== reader);
        if (!listeners.has(listener)) return;
        // The database is down. The console comes back with the same id, so that what it missed is not lost.
        if (alarms === null) return end(listener);
        for (const alarm of alarms) put(reply, `event: alarm\ndata: ${JSON.stringify(alarm)}\n\n`);
        join(attachedAt.id);
      };
      void begin();
    },
    drop(userId) {
      for (const listener of [...listeners]) if (listener.caller.userId === userId) endWithSession(listener);
    },
    isWatched: (deviceId) => watched.has(deviceId),
    watched: () => [...watched],
    onWatch: (listener) => onWatch.add(listener),
    size: () => listeners.size,
    streamsOf: (userId) => [...listeners].filter(({ caller }) => caller.userId === userId).length,
    stop() {
      clearInterval(pulse);
      clearInterval(renewal);
      for (const listener of listeners) listener.reply.raw.end();
    },
  };
};
