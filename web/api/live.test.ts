import { afterEach, beforeEach, expect, test, vi } from 'vitest';
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
const greets = () => Stream.last.dispatchEvent(new MessageEvent('hello', { data: '{}', lastEventId: '' }));
const retryMs = 3_000;
let stop: () => void;
let gaps: number;

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal('EventSource', Stream);
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

test('a live link that stays cut is told as polling, however often the browser tries again', () => {
  greets();
  expect(useLink.getState().state).toBe('live');
  for (let tries = 0; tries < 3; tries += 1) {
    fails();
    vi.advanceTimersByTime(retryMs);
  }
  expect(useLink.getState().state).toBe('polling');
});

test('a link that comes back at once is not told as cut, and what fell between is asked for', () => {
  greets();
  fails();
  vi.advanceTimersByTime(1_000);
  greets();
  vi.advanceTimersByTime(10_000);
  expect(useLink.getState().state).toBe('live');
  expect(gaps).toBe(1);
});

test('a link that never comes up is told as polling', () => {
  for (let tries = 0; tries < 3; tries += 1) {
    fails();
    vi.advanceTimersByTime(retryMs);
  }
  expect(useLink.getState().state).toBe('polling');
});
