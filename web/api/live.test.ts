import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { heartbeatMs } from '#contract/live.ts';
import { sessionEndpoints } from '#contract/session.ts';
import { call } from './call.ts';
import { useLink } from './link-state.ts';
import { startLive } from './live.ts';

class Stream extends EventTarget {
  static readonly CLOSED = 2;
  static last: Stream;
  readyState = 0;
  constructor() {
    super();
    Stream.last = this;
  }
  close() {
    this.readyState = 2;
  }
}
const fails = () => Stream.last.dispatchEvent(new Event('error'));
const beats = () =>
  Stream.last.dispatchEvent(
    new MessageEvent('heartbeat', {
      data: JSON.stringify({ at: new Date().toISOString() }),
      lastEventId: '7',
    }),
  );
const greets = () => Stream.last.dispatchEvent(new MessageEvent('hello', { data: '{}', lastEventId: '' }));
const retryMs = 3_000;
let stop: () => void;
let gaps: number;
let answering: 'yes' | 'no' | 'never';
const state = () => useLink.getState().state;

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal('EventSource', Stream);
  answering = 'yes';
  vi.stubGlobal('fetch', (_path: string, { signal }: RequestInit) => {
    if (answering === 'yes') return Promise.resolve(new Response('{"code":200,"msg":"","data":{}}'));
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

test('a live link that stays cut is reported as polling, however often the browser tries again', () => {
  greets();
  expect(useLink.getState().state).toBe('live');
  for (let tries = 0; tries < 3; tries += 1) {
    fails();
    vi.advanceTimersByTime(retryMs);
  }
  expect(useLink.getState().state).toBe('polling');
});

test('a link that comes back at once is not reported as cut, and what was missed in between is fetched', () => {
  greets();
  fails();
  vi.advanceTimersByTime(1_000);
  greets();
  vi.advanceTimersByTime(10_000);
  expect(useLink.getState().state).toBe('live');
  expect(gaps).toBe(1);
});

test('a link that never comes up is reported as polling', () => {
  for (let tries = 0; tries < 3; tries += 1) {
    fails();
    vi.advanceTimersByTime(retryMs);
  }
  expect(useLink.getState().state).toBe('polling');
});

test('a stream that goes silent without an error is cut after twice the heartbeat, and replaced until it is back', async () => {
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

test('a silent stream beside calls that are answered is polled', async () => {
  greets();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(state()).toBe('polling');
});

test('a stream that beats beside calls that are not answered is no live screen', async () => {
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

test('a network that is gone cuts at once; one that is back is tried at once', async () => {
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
