import { cleanup, renderHook } from '@testing-library/react';
import { afterEach, expect, test, vi } from 'vitest';
import { useNow } from './use-now.ts';

afterEach(() => {
  cleanup();
  vi.useRealTimers();
});

test('an age is counted to the present from its first rendering, also after a screen without ages', () => {
  vi.useFakeTimers();
  const first = renderHook(() => useNow());
  first.unmount();
  vi.advanceTimersByTime(600_000);
  const rendered: number[] = [];
  renderHook(() => rendered.push(useNow()));
  expect(rendered).toEqual([Date.now()]);
});
