import { renderHook } from '@testing-library/react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { heartbeatMs } from '#contract/live.ts';
import { sessionEndpoints } from '#contract/session.ts';
import { announceWith } from './announce.ts';
import { call } from './call.ts';
import { useLink } from './link-state.ts';
import { hearOtherTabs, listenLive, startLive, useEveryAlarm, useLiveDevice } from './live.ts';

class Stream extends EventTarget {
  static readonly CLOSED = 2;
  static last: Stream;
  static opened = 0;
  readyState = 0;
  readonly url: string;
  constructor(url: string) {
    super();
    this.url = url;
    Stream.last = this;
    Stream.opened += 1;
  }
  close() {
    this.readyState = 2;
  }
}
const fails = () => Stream.last.dispatchEvent(new Event('error'));
/** Behaves as a browser that gets an answer other than a stream. */
const isRefused = () => {
  Stream.last.readyState = Stream.CLOSED;
  fails();
};
const beats = () =>
  Stream.last.dispatchEvent(
    new MessageEvent('heartbeat', {
      data: JSON.stringify({ at: new Date().toISOString() }),
      lastEventId: '7',
    }),
  );
const greets = (resumed = true) =>
  Stream.last.dispatchEvent(
    new MessageEvent('hello', { data: JSON.stringify({ resumed }), lastEventId: '' }),
  );
const retryMs = 3_000;
let stop: () => void;
let gaps: number;
let asked: number;
let answering: 'yes' | 'no' | 'never' | 'ended' | 'no database';
const state = () => useLink.getState().state;

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal('EventSource', Stream);
  answering = 'yes';
  asked = 0;
  vi.stubGlobal('fetch', (_path: string, { signal }: RequestInit) => {
    asked += 1;
    if (answering === 'ended') return Promise.resolve(new Response('{"code":-202,"msg":"","data":null}'));
    if (answering === 'yes') return Promise.resolve(new Response('{"code":200,"msg":"","data":{}}'));
    if (answering === 'no database')
      return Promise.resolve(new Response('{"code":503,"msg":"","data":null}', { status: 503 }));
    if (answering === 'no') return Promise.reject(new TypeError('Failed to fetch'));
    return new Promise((_resolve, reject) => {
      signal!.addEventListener('abort', () => reject(signal!.reason as Error));
    });
  });
  useLink.setState({ state: 'connecting' });
  gaps = 0;
  stop = startLive(() => {
    gaps += 1;
  });
});
afterEach(() => {
  stop();
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

/** Locks of a browser with one tab. */
const oneTab = { request: (_name: string, _options: object, hold: () => Promise<void>) => hold() };
test.each([
  ['with locks', oneTab],
  ['without locks', undefined],
])('the readings of a device that was watched before the link started are requested, %s', (_, locks) => {
  stop();
  vi.stubGlobal('navigator', { onLine: true, ...(locks && { locks }) });
  const { unmount } = renderHook(() => useLiveDevice(7));
  stop = startLive(() => undefined);
  expect(Stream.last.url).toBe('/live?device=7');
  unmount();
  expect(Stream.last.url).toBe('/live');
});

test.each([
  ['with locks', oneTab],
  ['without locks', undefined],
])('a screen that watches a device may close after the link has ended, %s', (_, locks) => {
  stop();
  vi.stubGlobal('navigator', { onLine: true, ...(locks && { locks }) });
  stop = startLive(() => undefined);
  const { unmount } = renderHook(() => useLiveDevice(7));
  stop();
  const { opened } = Stream;
  expect(unmount).not.toThrow();
  expect(Stream.opened).toBe(opened);
});

test('a page without a device requests no readings', () => {
  stop();
  const { unmount } = renderHook(() => useLiveDevice(undefined));
  stop = startLive(() => undefined);
  expect(Stream.last.url).toBe('/live');
  unmount();
});

test('a live link that stays cut is reported as polling, however often the browser tries again', () => {
  greets();
  expect(useLink.getState().state).toBe('live');
  for (let tries = 0; tries < 3; tries += 1) {
    fails();
    vi.advanceTimersByTime(retryMs);
  }
  expect(useLink.getState().state).toBe('polling');
});

test('a link that returns at once is not reported as cut, and missed changes are fetched', () => {
  greets();
  fails();
  vi.advanceTimersByTime(1_000);
  greets();
  vi.advanceTimersByTime(10_000);
  expect(useLink.getState().state).toBe('live');
  expect(gaps).toBe(1);
});

test('a link that never connects is reported as polling', () => {
  for (let tries = 0; tries < 3; tries += 1) {
    fails();
    vi.advanceTimersByTime(retryMs);
  }
  expect(useLink.getState().state).toBe('polling');
});

test('a stream that goes silent without an error is closed after two heartbeats, and replaced until it works', async () => {
  greets();
  for (let n = 0; n < 6; n += 1) {
    await vi.advanceTimersByTimeAsync(heartbeatMs);
    beats();
  }
  expect(state()).toBe('live');
  const heardAt = Date.now();
  const silent = Stream.last;
  answering = 'never';
  await vi.advanceTimersByTimeAsync(2 * heartbeatMs + 2_000);
  expect(useLink.getState()).toMatchObject({ state: 'cut', since: heardAt });
  expect(silent.readyState).toBe(Stream.CLOSED);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(useLink.getState()).toMatchObject({ state: 'cut', since: heardAt });
  answering = 'yes';
  greets();
  await vi.advanceTimersByTimeAsync(12_000);
  expect(state()).toBe('live');
  expect(gaps).toBeGreaterThan(0);
});

test('the console polls when the stream is silent but calls are answered', async () => {
  greets();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(state()).toBe('polling');
});

test('a screen does not count as live when heartbeats come but calls are not answered', async () => {
  greets();
  answering = 'no';
  await expect(call(sessionEndpoints.check, {}, { quiet: true })).rejects.toThrow();
  await vi.advanceTimersByTimeAsync(1_000);
  expect(state()).toBe('cut');
  for (let n = 0; n < 3; n += 1) {
    beats();
    await vi.advanceTimersByTimeAsync(9_000);
    expect(state()).toBe('cut');
  }
  answering = 'yes';
  beats();
  await vi.advanceTimersByTimeAsync(11_000);
  expect(state()).toBe('live');
});

test('a server without its database counts as cut, and everything is loaded again once it has one', async () => {
  greets();
  answering = 'no database';
  await call(sessionEndpoints.check, {}, { quiet: true }).catch(() => undefined);
  for (let beat = 0; beat < 3; beat += 1) {
    beats();
    await vi.advanceTimersByTimeAsync(heartbeatMs);
  }
  beats();
  const { withoutDatabase } = useLink.getState();
  expect({ state: state(), withoutDatabase, gaps }).toEqual({ state: 'cut', withoutDatabase: true, gaps: 0 });

  answering = 'yes';
  beats();
  await vi.advanceTimersByTimeAsync(heartbeatMs + 1_000);
  expect(state()).toBe('live');
  expect(gaps).toBeGreaterThan(0);
});

test('the link is cut as soon as the network is lost, and tried as soon as it is back', async () => {
  greets();
  answering = 'no';
  window.dispatchEvent(new Event('offline'));
  expect(state()).toBe('cut');
  answering = 'yes';
  window.dispatchEvent(new Event('online'));
  await vi.advanceTimersByTimeAsync(1_000);
  expect(state()).toBe('live');
});

test('ages are counted by the clock of the server', () => {
  greets();
  Stream.last.dispatchEvent(
    new MessageEvent('heartbeat', {
      data: JSON.stringify({ at: new Date(Date.now() + 90_000).toISOString() }),
    }),
  );
  expect(useLink.getState().aheadMs).toBe(90_000);
});

test('the console asks once whether the session has ended; stream and missed data wait for the next session', async () => {
  greets();
  answering = 'ended';
  isRefused();
  await vi.advanceTimersByTimeAsync(6_000);
  expect(asked).toBe(1);
  const opened = Stream.opened;
  await vi.advanceTimersByTimeAsync(10 * 60_000);
  window.dispatchEvent(new Event('online'));
  await vi.advanceTimersByTimeAsync(10_000);
  expect({ asked, opened: Stream.opened, gaps, state: state() }).toEqual({
    asked: 1,
    opened,
    gaps: 0,
    state: 'cut',
  });

  answering = 'yes';
  await call(sessionEndpoints.check, {});
  expect(Stream.opened).toBe(opened + 1);
  greets();
  expect(state()).toBe('live');
  expect(gaps).toBeGreaterThan(0);
});

test.each(['ended', 'yes'] as const)(
  'a stream that ends with a session of the user: the console asks at once whether it was its own (%s)',
  async (answer) => {
    greets();
    let said = 0;
    announceWith({
      warn: () => undefined,
      network: () => undefined,
      expired: () => undefined,
      loggedOut: () => {
        said += 1;
      },
    });
    answering = answer;
    Stream.last.dispatchEvent(new MessageEvent('session', { data: '{}', lastEventId: '' }));
    await vi.advanceTimersByTimeAsync(0);
    announceWith(null);
    expect({ asked, said }).toEqual({ asked: 1, said: answer === 'ended' ? 1 : 0 });
    expect(state()).toBe(answer === 'ended' ? 'cut' : 'live');
    answering = 'yes';
    await call(sessionEndpoints.check, {});
  },
);

test('a probe reports that the session ended while the link was cut', async () => {
  greets();
  answering = 'no';
  window.dispatchEvent(new Event('offline'));
  let said = 0;
  announceWith({
    warn: () => undefined,
    network: () => undefined,
    expired: () => undefined,
    loggedOut: () => {
      said += 1;
    },
  });
  await vi.advanceTimersByTimeAsync(1_000);
  asked = 0;
  answering = 'ended';
  window.dispatchEvent(new Event('online'));
  await vi.advanceTimersByTimeAsync(10 * 60_000);
  announceWith(null);
  expect({ asked, said }).toEqual({ asked: 1, said: 1 });
  answering = 'yes';
  await call(sessionEndpoints.check, {});
});

const alarms = (id: number, lastEventId: string) =>
  Stream.last.dispatchEvent(new MessageEvent('alarm', { data: JSON.stringify({ id }), lastEventId }));

test('alarms that come before the pop-ups are loaded are kept for them', () => {
  greets();
  alarms(1, 'e-1-1');
  alarms(2, 'e-2-2');
  const heard: number[] = [];
  const { unmount } = renderHook(() => useEveryAlarm(({ id }) => void heard.push(id)));
  alarms(3, 'e-3-3');
  expect(heard).toEqual([1, 2, 3]);
  unmount();
  alarms(4, 'e-4-4');
  renderHook(() => useEveryAlarm(({ id }) => void heard.push(id)));
  expect(heard).toEqual([1, 2, 3, 4]);
});

test('a stream that replaces another resumes after its last event; for another user it starts without one', async () => {
  greets();
  alarms(1, 'e-1-1');
  isRefused();
  await vi.advanceTimersByTimeAsync(6_000);
  expect(Stream.last.url).toBe('/live?since=e-1-1');
  alarms(5, 'e-5-5');
  stop();
  stop = startLive(() => undefined);
  expect(Stream.last.url).toBe('/live');
  const heard: number[] = [];
  renderHook(() => useEveryAlarm(({ id }) => void heard.push(id)));
  expect(heard).toEqual([]);
});

test('the first stream brings what happened since the session was loaded', () => {
  stop();
  stop = startLive(() => undefined, 'e-3-3');
  expect(Stream.last.url).toBe('/live?since=e-3-3');
});

test('what was loaded before the first stream is loaded again if the stream does not bring all since then', () => {
  greets(true);
  expect(gaps).toBe(0);
  stop();
  useLink.setState({ state: 'connecting' });
  stop = startLive(() => {
    gaps += 1;
  });
  greets(false);
  expect(gaps).toBe(1);
});

test('events of another tab that come before the link starts are kept for it', async () => {
  stop();
  vi.useRealTimers();
  vi.stubGlobal('navigator', { onLine: true, locks: { request: () => new Promise(() => undefined) } });
  hearOtherTabs();
  const other = new BroadcastChannel('ampwatch-live');
  const probe = new BroadcastChannel('ampwatch-live');
  const arrived = new Promise((resolve) => {
    probe.onmessage = resolve;
  });
  const message = { name: 'settings', data: { device_id: 7 }, lastId: 'e-9-9' };
  other.postMessage({ kind: 'event', message });
  await arrived;
  const heard: unknown[] = [];
  const forget = listenLive((each) => void heard.push(each));
  stop = startLive(() => undefined);
  expect(heard).toEqual([message]);
  forget();
  for (const channel of [other, probe]) channel.close();
});

test('alarms that a resumed stream repeats without event ids are each reported once', () => {
  greets();
  const heard: number[] = [];
  renderHook(() => useEveryAlarm(({ id }) => void heard.push(id)));
  alarms(1, 'e-1-1');
  alarms(2, 'e-1-1');
  alarms(2, 'e-1-1');
  expect(heard).toEqual([1, 2]);
});
