import { afterEach, expect, test, vi } from 'vitest';
import { limits } from '#contract/limits.ts';
import { inTime } from './late.tsx';

afterEach(() => void vi.useRealTimers());

test('a part that comes is given as it is', async () => {
  expect(await inTime(async () => 'part')).toBe('part');
});

test('a part that does not come within two minutes is given up', async () => {
  vi.useFakeTimers();
  const waited = inTime(() => new Promise<never>(() => undefined)).catch((error: Error) => error.message);
  await vi.advanceTimersByTimeAsync(limits.chunkTimeoutMs);
  expect(await waited).toBe('network');
});
