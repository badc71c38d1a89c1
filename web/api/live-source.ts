import { type LiveEvent, type LiveEventName, liveEndpoints, liveEvents } from '#contract/live.ts';
import { sessionEndpoints } from '#contract/session.ts';
import { call } from './call.ts';
import { silenceMs } from './link-watch.ts';
import { sessionIsOver, useSessionEnd } from './session-end.ts';

const retryMs = 5_000;
/** Events that belong to one stream and are never repeated from the past. */
const greetings: readonly LiveEventName[] = ['hello', 'heartbeat'];
const names = Object.keys(liveEvents) as LiveEventName[];

export interface LiveMessage<Name extends LiveEventName = LiveEventName> {
  name: Name;
  data: LiveEvent[Name];
  /** Id of the last event that has one, by which another stream resumes. */
  lastId: string;
}
export interface LiveSource {
  watch(devices: ReadonlySet<number>): void;
  stop(): void;
}

const asQuery = (devices: ReadonlySet<number>): string =>
  [...devices]
    .sort((a, b) => a - b)
    .slice(0, 50)
    .join(',');

/**
 * One event stream. When other devices are requested, the new stream is opened before the old one is closed,
 * and events that arrive on both are passed on once, so none is lost. A stream that takes the place of a
 * broken one resumes after the last event.
 */
export const openLiveSource = (
  deliver: (message: LiveMessage) => void,
  /** `resumed`: the stream brings everything since `lastId`. */
  connected: (is: boolean, resumed: boolean) => void,
  devices: ReadonlySet<number>,
  /** Id of the last event that any stream of this browser brought; '': none. */
  lastId: () => string,
): LiveSource => {
  let heardAt = Date.now();
  let stream: EventSource | null = null;
  let wanted = asQuery(devices);
  let retry: number | undefined;
  let stopped = false;
  let seen = new Set<string>();

  const take = (name: LiveEventName) => (event: MessageEvent<string>) => {
    heardAt = Date.now();
    if (!greetings.includes(name) && event.lastEventId !== '') {
      const mark = `${event.lastEventId} ${name} ${event.data}`;
      if (seen.has(mark)) return;
      if (seen.size > 500) seen = new Set([...seen].slice(-100));
      seen.add(mark);
    }
    deliver({ name, data: JSON.parse(event.data) as LiveEvent[typeof name], lastId: event.lastEventId });
  };
  const open = () => {
    window.clearTimeout(retry);
    heardAt = Date.now();
    const before = stream;
    const query = [
      ...(wanted === '' ? [] : [`device=${wanted}`]),
      ...(lastId() === '' ? [] : [`since=${lastId()}`]),
    ].join('&');
    const made = new EventSource(`${liveEndpoints.live.path}${query === '' ? '' : `?${query}`}`);
    stream = made;
    for (const name of names) made.addEventListener(name, take(name));
    made.addEventListener('hello', ({ data }: MessageEvent<string>) => {
      before?.close();
      connected(true, (JSON.parse(data) as LiveEvent['hello']).resumed);
    });
    made.addEventListener('error', () => {
      if (stopped || stream !== made) return;
      connected(false, false);
      if (made.readyState !== EventSource.CLOSED) return;
      before?.close();
      retry = window.setTimeout(() => {
        if (!sessionIsOver()) void call(sessionEndpoints.check, {}).then(again, again);
      }, retryMs);
    });
  };
  /** If the session is over, no new stream opens until there is another session. */
  const again = () => {
    if (!stopped && !sessionIsOver()) open();
  };
  open();
  const forget = useSessionEnd.subscribe(again);
  // A link that loses bytes reports no error: a stream that is silent for too long is replaced.
  const watchdog = window.setInterval(() => {
    if (sessionIsOver() || Date.now() - heardAt <= silenceMs) return;
    connected(false, false);
    stream?.close();
    open();
  }, 1_000);
  return {
    watch(others) {
      const list = asQuery(others);
      if (list === wanted) return;
      wanted = list;
      again();
    },
    stop() {
      stopped = true;
      forget();
      window.clearTimeout(retry);
      window.clearInterval(watchdog);
      stream?.close();
    },
  };
};
