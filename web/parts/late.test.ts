import { afterEach, expect, test, vi } from 'vitest';
import { limits } from '#contract/limits.ts';
import { type Fault, localCodes } from '#web/api/fault.ts';
import { inTime } from './late.tsx';

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
  window.sessionStorage.clear();
});

test('a part that loads is passed on unchanged', async () => {
  expect(await inTime(async () => 'part')).toBe('part');
});

test('loading a part is given up after two minutes', async () => {
  vi.useFakeTimers();
  const waited = inTime(() => new Promise<never>(() => undefined)).catch((error: Fault) => error.code);
  await vi.advanceTimersByTimeAsync(limits.chunkTimeoutMs);
  expect(await waited).toBe(localCodes.timeout);
});

const missing = () => Promise.reject(new TypeError('Failed to fetch dynamically imported module: /a.js'));

test('a part that is loaded offline is reported as a network fault, in words', async () => {
  vi.stubGlobal('fetch', () => Promise.reject(new TypeError('Failed to fetch')));
  await expect(inTime(missing)).rejects.toMatchObject({
    code: localCodes.network,
    message: expect.stringMatching(/\S{6}/),
  });
});

test('a part that the server no longer has causes one reload of the page, then an explanation', async () => {
  const reload = vi.fn();
  vi.stubGlobal('fetch', async () => new Response(null));
  vi.stubGlobal('location', { reload });
  void inTime(missing);
  await vi.waitFor(() => expect(reload).toHaveBeenCalledTimes(1), { timeout: 20_000 });
  await expect(inTime(missing)).rejects.toMatchObject({ code: localCodes.missing });
  expect(reload).toHaveBeenCalledTimes(1);
});
