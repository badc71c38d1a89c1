import { useEffect, useRef } from 'react';
import type { LiveEvent, LiveEventName } from '#contract/live.ts';
import { sessionEndpoints } from '#contract/session.ts';
import { raise, readAnswer, send } from './call.ts';
import { useLink } from './link-state.ts';
import { watchLink } from './link-watch.ts';
import { type LiveMessage, type LiveSource, openLiveSource } from './live-source.ts';
import { noteRestore } from './restore-state.ts';
import { noteSessionEnd, sessionIsOver } from './session-end.ts';

/** A probe that takes longer counts as failed. */
const probeMs = 8_000;
const channelName = 'ampwatch-live';
type Note =
  | { kind: 'event'; message: LiveMessage }
  | { kind: 'link'; connected: boolean; resumed: boolean }
  | { kind: 'devices'; tab: string; devices: number[] }
  | { kind: 'ask' };

type Listener = (message: LiveMessage) => void;
const listeners = new Set<Listener>();
const watched = new Map<number, number>();
const tellNobody = () => undefined;
let publishDevices: () => void = tellNobody;

const deliver = (message: LiveMessage) => {
  for (const listener of listeners) listener(message);
  if (message.name !== 'alarm' && message.name !== 'alarm_update') return;
  if (hearAlarm) hearAlarm(message.data as LiveEvent['alarm']);
  else if (held.length < mostHeld) held.push(message.data as LiveEvent['alarm']);
};

type AlarmListener = (alarm: LiveEvent['alarm']) => void;
let hearAlarm: AlarmListener | null = null;
/** The pop-ups load after the page. Alarms until then are held for them. */
const mostHeld = 2_000;
let held: LiveEvent['alarm'][] = [];
/** Id of the last event in any tab: a stream that begins resumes after it. */
let lastId = '';

/** Events of another tab's stream that come before this tab's link starts are held for it. */
let early: { channel: BroadcastChannel; messages: LiveMessage[] } | null = null;
/** To be called before anything is asked whose answer live events keep up to date. */
export const hearOtherTabs = (): void => {
  if (early !== null || !('locks' in navigator) || !('BroadcastChannel' in window)) return;
  const messages: LiveMessage[] = [];
  const channel = new BroadcastChannel(channelName);
  channel.addEventListener('message', ({ data: note }: MessageEvent<Note>) => {
    if (note.kind === 'event' && messages.length < mostHeld) messages.push(note.message);
  });
  early = { channel, messages };
};

/**
 * Starts the live link and returns a function that ends it. A browser allows six connections per host, so one
 * of all tabs holds the stream (by a lock that passes on when the tab closes) and shares it; without locks
 * (plain http) each tab has its own. `lastEvent`: the last event before the data of the page were loaded.
 */
export const startLive = (onGap: () => void, lastEvent = ''): (() => void) => {
  const probe = async () => {
    try {
      await readAnswer(await send(sessionEndpoints.check, {}, null, undefined, probeMs), null);
    } catch (error) {
      raise(error, true);
    }
  };
  const link = watchLink(probe, onGap);
  // When the server answers again the restore is over, even if the stream does not work yet.
  const stopNoting = useLink.subscribe(({ state }, before) => {
    if (before.state === 'cut' && state !== 'cut' && !sessionIsOver()) noteRestore(null);
  });
  lastId ||= lastEvent;
  let wasLive = false;
  const setConnected = (connected: boolean, resumed: boolean) => {
    if (!connected) return link.lost();
    const { state } = useLink.getState();
    noteRestore(null);
    link.heard();
    // Events were missed: readings between two streams, or all since the data were loaded.
    if (state === 'live' && (wasLive || !resumed)) onGap();
    wasLive = true;
  };
  const hear = (message: LiveMessage) => {
    link.heard();
    if (message.lastId !== '') lastId = message.lastId;
    if (message.name === 'heartbeat')
      useLink.setState({
        aheadMs: Date.parse((message.data as LiveEvent['heartbeat']).at) - Date.now(),
      });
    if (message.name === 'restoring') noteRestore(Date.parse((message.data as LiveEvent['restoring']).at));
    // The session that ended may be another one of the same user.
    if (message.name === 'session') void probe().catch(() => undefined);
    deliver(message);
  };

  const forget = () => {
    // The frame around a screen closes before the screen, which then still ends its watch.
    publishDevices = tellNobody;
    stopNoting();
    link.stop();
    held = [];
    lastId = '';
  };

  if (!('locks' in navigator) || !('BroadcastChannel' in window)) {
    const source = openLiveSource(hear, setConnected, new Set(watched.keys()), () => lastId);
    publishDevices = () => source.watch(new Set(watched.keys()));
    return () => {
      forget();
      source.stop();
    };
  }

  const tab = String(Math.random());
  const channel = new BroadcastChannel(channelName);
  const post = (note: Note) => channel.postMessage(note);
  const wishes = new Map<string, number[]>();
  const ending = new AbortController();
  let source: LiveSource | null = null;
  let connectedNow = false;
  const wished = () => new Set([...wishes.values()].flat());
  const watchAll = () => source?.watch(wished());

  publishDevices = () => {
    const devices = [...watched.keys()];
    wishes.set(tab, devices);
    post({ kind: 'devices', tab, devices });
    watchAll();
  };
  channel.addEventListener('message', ({ data: note }: MessageEvent<Note>) => {
    if (note.kind === 'event') hear(note.message);
    else if (note.kind === 'link') setConnected(note.connected, note.resumed);
    else if (note.kind === 'devices') {
      wishes.set(note.tab, note.devices);
      watchAll();
    } else {
      // Only a signed-in tab requests devices. All tabs share the session of the browser.
      noteSessionEnd(false);
      publishDevices();
      // Its data are younger than the stream.
      if (source) post({ kind: 'link', connected: connectedNow, resumed: true });
    }
  });
  for (const message of early?.messages ?? []) hear(message);
  early?.channel.close();
  early = null;
  // The screen of the address may watch a device before the frame around it starts the link.
  publishDevices();
  void navigator.locks
    .request(channelName, { signal: ending.signal }, async () => {
      source = openLiveSource(
        (message) => {
          hear(message);
          post({ kind: 'event', message });
        },
        (connected, resumed) => {
          connectedNow = connected;
          setConnected(connected, resumed);
          post({ kind: 'link', connected, resumed });
        },
        wished(),
        () => lastId,
      );
      await new Promise<void>((resolve) => ending.signal.addEventListener('abort', () => resolve()));
      source.stop();
    })
    .catch(() => undefined);
  post({ kind: 'ask' });
  return () => {
    forget();
    ending.abort();
    channel.close();
  };
};

/** Receives every live event until the returned function is called. */
export const listenLive = (listener: Listener): (() => void) => {
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
  };
};

/** Calls `handle` for each live event of that name while the component is mounted. */
export const useLive = <Name extends LiveEventName>(
  name: Name,
  handle: (data: LiveEvent[Name]) => void,
): void => {
  const latest = useRef(handle);
  useEffect(() => {
    latest.current = handle;
  });
  useEffect(() => {
    const listener: Listener = (message) => {
      if (message.name === name) latest.current(message.data as LiveEvent[Name]);
    };
    return listenLive(listener);
  }, [name]);
};

/**
 * Calls `handle` for each change of an alarm, including changes before the component was mounted. Only the
 * pop-ups use it.
 */
export const useEveryAlarm = (handle: AlarmListener): void => {
  const latest = useRef(handle);
  useEffect(() => {
    latest.current = handle;
  });
  useEffect(() => {
    hearAlarm = (alarm) => latest.current(alarm);
    for (const alarm of held.splice(0)) latest.current(alarm);
    return () => {
      hearAlarm = null;
    };
  }, []);
};

/** Requests the full readings of a device while the component is mounted; of none, while none is chosen. */
export const useLiveDevice = (deviceId: number | undefined): void => {
  useEffect(() => {
    if (deviceId === undefined) return;
    watched.set(deviceId, (watched.get(deviceId) ?? 0) + 1);
    publishDevices();
    return () => {
      const left = (watched.get(deviceId) ?? 1) - 1;
      if (left === 0) watched.delete(deviceId);
      else watched.set(deviceId, left);
      publishDevices();
    };
  }, [deviceId]);
};
