import { QueryObserver } from '@tanstack/react-query';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { sessionEndpoints } from '#contract/session.ts';
import { announceWith } from './announce.ts';
import { call } from './call.ts';
import { endpointQuery, makeQueryClient } from './query.ts';
import { leave } from './session.ts';
import { sessionIsOver } from './session-end.ts';

let asked: number;
let code: number;
beforeEach(() => {
  vi.useFakeTimers();
  asked = 0;
  code = 200;
  vi.stubGlobal('fetch', () => {
    asked += 1;
    return Promise.resolve(new Response(JSON.stringify({ code, msg: '', data: {} })));
  });
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

test.each([401, -202, 50012, 50014])(
  'after %s a screen that refreshes itself makes no more calls, until a call succeeds again',
  async (end) => {
    const client = makeQueryClient();
    const observer = new QueryObserver(client, {
      ...endpointQuery(sessionEndpoints.check, {}),
      refetchInterval: 1_000,
    });
    const leave = observer.subscribe(() => undefined);
    await vi.advanceTimersByTimeAsync(3_500);
    expect(asked).toBe(4);
    code = end;
    await vi.advanceTimersByTimeAsync(1_000);
    expect(sessionIsOver()).toBe(true);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(asked).toBe(5);

    code = 200;
    await call(sessionEndpoints.check, {});
    expect(sessionIsOver()).toBe(false);
    await vi.advanceTimersByTimeAsync(5_000);
    expect(asked).toBeGreaterThan(9);
    leave();
    client.clear();
  },
);

test('a call that is refused for another reason ends no session', async () => {
  code = 403;
  await expect(call(sessionEndpoints.check, {}, { quiet: true })).rejects.toThrow();
  expect(sessionIsOver()).toBe(false);
});

test.each([401, -202, 50012, 50014])(
  'a background call that gets %s shows that the session has ended',
  async (end) => {
    code = end;
    const said: string[] = [];
    announceWith({
      warn: () => void said.push('refusal'),
      network: () => void said.push('network'),
      expired: () => void said.push('over'),
      loggedOut: () => void said.push('over'),
    });
    await expect(call(sessionEndpoints.check, {}, { quiet: true })).rejects.toThrow();
    announceWith(null);
    expect(said).toEqual(['over']);
  },
);

test('neither a closing dialog nor a late screen prevents the change to the sign-in page', () => {
  vi.spyOn(console, 'error').mockReturnValue(undefined);
  leave('/home/news');
  window.history.go(-1);
  window.history.replaceState(null, '', '/home/late');
  window.history.pushState(null, '', '/home/later');
  expect(window.location.pathname).not.toMatch(/late/);
  // The window serves other files, too.
  for (const name of ['go', 'pushState', 'replaceState'] as const)
    Reflect.deleteProperty(window.history, name);
});
