import { act, renderHook } from '@testing-library/react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { usePages } from './use-pages.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});
const pass = (seconds: number): void => {
  act(() => {
    vi.advanceTimersByTime(seconds * 1000);
  });
};

test('a wall display goes from page to page by itself, and from the last to the first', () => {
  const { result } = renderHook(() => usePages(3, 10));
  const seen = [result.current[0]];
  for (let turn = 0; turn < 4; turn++) {
    pass(10);
    seen.push(result.current[0]);
  }
  expect(seen).toEqual([0, 1, 2, 0, 1]);
});

test.each(['pointerdown', 'keydown', 'wheel'])('a page stays for a minute after the event %s', (event) => {
  const { result } = renderHook(() => usePages(3, 10));
  pass(5);
  act(() => {
    window.dispatchEvent(new Event(event));
  });
  pass(60);
  expect(result.current[0]).toBe(0);
  pass(10);
  expect(result.current[0]).toBe(1);
});

test('a page that a user chose is shown, and the cycle continues from it', () => {
  const { result } = renderHook(() => usePages(3, 10));
  act(() => result.current[1](2));
  expect(result.current[0]).toBe(2);
  pass(10);
  expect(result.current[0]).toBe(0);
});

test('without a time, or with a single page, nothing changes', () => {
  for (const [count, seconds] of [
    [3, 0],
    [1, 10],
  ] as const) {
    const { result, unmount } = renderHook(() => usePages(count, seconds));
    pass(3600);
    expect(result.current[0]).toBe(0);
    unmount();
  }
});

test('when pages become fewer, no empty page is shown', () => {
  const { result, rerender } = renderHook(({ count }) => usePages(count, 10), { initialProps: { count: 3 } });
  act(() => result.current[1](2));
  rerender({ count: 2 });
  expect(result.current[0]).toBe(1);
});
