import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { dashboardEndpoints } from '#contract/dashboard.ts';
import { deviceJobEndpoints } from '#contract/device-jobs.ts';
import { frameCall } from '#contract/frame-parts.ts';
import { messageEndpoints } from '#contract/messages.ts';
import { setStage } from '#web/test-stage.tsx';
import { askFrame } from './frame.ts';
import { endpointQuery, makeQueryClient } from './query.ts';

const { census } = dashboardEndpoints;
let client: ReturnType<typeof makeQueryClient>;
const fetch = () => client.fetchQuery({ ...endpointQuery(census, {}), staleTime: 0 });

beforeEach(() => {
  client = makeQueryClient();
});
afterEach(() => vi.unstubAllGlobals());

test('the first query of a part takes its answer from the common call, and the next one makes its own call', async () => {
  const replies = { [frameCall.path]: { census: { unprocessed: 7 } }, [census.path]: { unprocessed: 8 } };
  const stage = await setStage({ words: {}, replies });
  askFrame();
  expect(await fetch()).toEqual({ unprocessed: 7 });
  expect(stage.sent(census.path)).toEqual([]);
  expect(await fetch()).toEqual({ unprocessed: 8 });
  expect(stage.sent(frameCall.path)).toHaveLength(1);
  // If the frame has no answer for a part, the part makes its own call, whatever the reason.
  await expect(
    client.fetchQuery({ ...endpointQuery(messageEndpoints.types, {}), retry: false }),
  ).rejects.toThrow();
  expect(stage.sent(messageEndpoints.types.path)).not.toEqual([]);
  // The same call with another body is a different query.
  await expect(
    client.fetchQuery({ ...endpointQuery(deviceJobEndpoints.list, {}), retry: false }),
  ).rejects.toThrow();
  expect(stage.sent(deviceJobEndpoints.list.path)).toContainEqual({});
});
