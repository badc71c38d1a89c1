import { QueryClient, QueryClientProvider, useQuery } from '@tanstack/react-query';
import { act, cleanup, render } from '@testing-library/react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { dashboardEndpoints } from '#contract/dashboard.ts';
import type { LiveEvent } from '#contract/live.ts';
import { type Stage, setStage } from '#web/test-stage.tsx';
import { keyOf } from './query.ts';
import { useLiveRefresh } from './use-live-refresh.ts';

const everyMs = 1_000;
const { census } = dashboardEndpoints;
const event = { id: 1 } as LiveEvent['alarm'];
/** Calls that the server has not answered yet. */
let asked: (() => void)[] = [];
let count = 0;
let stage: Stage;

const Part = () => {
  useQuery({
    queryKey: keyOf(census),
    queryFn: () =>
      new Promise<number>((resolve) => {
        count += 1;
        asked.push(() => resolve(count));
      }),
  });
  useLiveRefresh(['alarm'], [census], everyMs);
  return null;
};
const pass = (ms: number) => act(() => vi.advanceTimersByTimeAsync(ms));
const answer = async () => {
  for (const each of asked.splice(0)) each();
  await pass(1);
};

beforeEach(async () => {
  vi.useFakeTimers();
  asked = [];
  count = 0;
  stage = await setStage({ words: {}, replies: {} });
  render(
    <QueryClientProvider client={new QueryClient()}>
      <Part />
    </QueryClientProvider>,
  );
  await pass(1);
  await answer();
});
afterEach(() => {
  cleanup();
  vi.useRealTimers();
});

test('data that was fetched just now is not fetched again at once', async () => {
  stage.deliver('alarm', event);
  await pass(everyMs - 100);
  expect(count).toBe(1);
  await pass(200);
  expect(count).toBe(2);
});

test('many events cause one call', async () => {
  for (let each = 0; each < 50; each += 1) stage.deliver('alarm', event);
  await pass(everyMs);
  expect(count).toBe(2);
});

test('an event during a call causes another call after it', async () => {
  stage.deliver('alarm', event);
  await pass(everyMs);
  stage.deliver('alarm', event);
  await pass(10);
  expect(count).toBe(2);
  await answer();
  await pass(everyMs);
  expect(count).toBe(3);
});

test('a slow server is called less often, but at least every five seconds', async () => {
  stage.deliver('alarm', event);
  await pass(everyMs);
  await pass(2_000);
  await answer();
  stage.deliver('alarm', event);
  await pass(4_000);
  expect(count).toBe(2);
  await pass(2_000);
  expect(count).toBe(3);
});
