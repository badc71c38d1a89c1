import { readFileSync } from 'node:fs';
import path from 'node:path';
import { runInThisContext } from 'node:vm';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { sessionEndpoints } from '#contract/session.ts';
import { announceWith } from './announce.ts';
import { call } from './call.ts';
import { Fault, localCodes } from './fault.ts';
import { ensureSession, useSession } from './session.ts';

let notices: string[];
let answers: (() => Response | Promise<Response>)[];
let sent: { path: string; init: RequestInit }[];

const answer =
  (status: number, code: number, msg = '', data: unknown = null, headers = {}) =>
  () =>
    new Response(JSON.stringify({ code, msg, data }), { status, headers });
const cut = () => Promise.reject(new TypeError('Failed to fetch'));

beforeEach(() => {
  notices = [];
  answers = [];
  sent = [];
  vi.stubGlobal('fetch', async (path: string, init: RequestInit) => {
    sent.push({ path, init });
    return (answers.shift() ?? cut)();
  });
  announceWith({
    warn: (text) => notices.push(`warn ${text}`),
    network: () => notices.push('network'),
    expired: () => notices.push('expired'),
    loggedOut: (text) => notices.push(`out ${text}`),
  });
});
afterEach(() => {
  announceWith(null);
  vi.unstubAllGlobals();
});

const write = () => call(sessionEndpoints.preferences, { theme: 'dark' });
const read = () => call(sessionEndpoints.check, {});
const serialOf = (index: number) => new Headers(sent[index]?.init.headers).get('accept-serial');

test.each([200, 0, 1])('code %i counts as success', async (code) => {
  answers = [answer(200, code, '', { theme: 'dark' })];
  expect(await write()).toEqual({ theme: 'dark' });
  expect(notices).toEqual([]);
});

test('a 401 is shown once, however many calls end with it', async () => {
  answers = [answer(401, 401, 'expired'), answer(401, 401, 'expired')];
  await expect(read()).rejects.toThrow(Fault);
  await expect(read()).rejects.toThrow(Fault);
  expect(notices).toEqual(['expired']);
});

test.each([-202, 50012, 50014])('code %i asks whether to sign in again', async (code) => {
  answers = [answer(401, code, 'signed in elsewhere')];
  await expect(read()).rejects.toMatchObject({ code });
  expect(notices).toEqual(['out signed in elsewhere']);
});

test('the caller handles the statuses that it names, and any other is shown', async () => {
  const look = () => call(sessionEndpoints.check, {}, { shownHere: [404] });
  answers = [answer(404, 404, 'no such device'), answer(500, 500, 'broken')];
  await expect(look()).rejects.toMatchObject({ status: 404 });
  expect(notices).toEqual([]);
  await expect(look()).rejects.toMatchObject({ status: 500 });
  expect(notices).toEqual(['warn broken']);
});

test('the caller handles the reasons that it names', async () => {
  answers = [answer(409, 409, 'password, please', { reason: 'password_needed' })];
  const ask = call(sessionEndpoints.check, {}, { shownHere: ['password_needed'] });
  await expect(ask).rejects.toMatchObject({ reason: 'password_needed' });
  expect(notices).toEqual([]);
});

test('any other code shows the sentence of the server', async () => {
  answers = [answer(409, 409, 'The device must be online to operate')];
  await expect(write()).rejects.toMatchObject({ code: 409 });
  expect(notices).toEqual(['warn The device must be online to operate']);
});

test('a field error goes to its form, not into a message', async () => {
  answers = [answer(422, 422, 'Please check the marked fields', { theme: 'wrong' })];
  await expect(write()).rejects.toMatchObject({ fields: { theme: 'wrong' } });
  expect(notices).toEqual([]);
});

test('a server failure carries the request id', async () => {
  answers = [answer(500, 500, 'Unknown error', { request_id: 'abc' })];
  await expect(read()).rejects.toMatchObject({ requestId: 'abc', fields: {} });
});

test('too many tries show how long to wait', async () => {
  answers = [answer(429, 429, 'wait', null, { 'retry-after': '17' })];
  await expect(read()).rejects.toMatchObject({ retryAfterSeconds: 17 });
});

test('a write is sent once more with the same serial when the network fails', async () => {
  answers = [cut, answer(200, 200, '', { theme: 'dark' })];
  await write();
  expect(sent).toHaveLength(2);
  expect(serialOf(0)).toMatch(/^[0-9a-f-]{36}$/);
  expect(serialOf(1)).toBe(serialOf(0));
});

test('a read has no serial; its network failure is shown', async () => {
  answers = [cut];
  await expect(read()).rejects.toThrow(Fault);
  expect(serialOf(0)).toBeNull();
  expect(notices).toEqual(['network']);
});

test('a fault is not shown if its screen was left', async () => {
  const leaving = new AbortController();
  leaving.abort();
  answers = [() => Promise.reject(leaving.signal.reason as Error)];
  await expect(call(sessionEndpoints.check, {}, { signal: leaving.signal })).rejects.toThrow('abort');
  expect(notices).toEqual([]);
});

const brokenBody = (error: Error) => () =>
  new Response(
    new ReadableStream({
      start(controller) {
        controller.enqueue(new TextEncoder().encode('{"code":200,'));
        controller.error(error);
      },
    }),
  );

test('a user who leaves while the answer arrives sees no network fault', async () => {
  const leaving = new AbortController();
  answers = [
    () => {
      leaving.abort();
      return brokenBody(leaving.signal.reason as Error)();
    },
  ];
  await expect(call(sessionEndpoints.check, {}, { signal: leaving.signal })).rejects.toMatchObject({
    name: 'AbortError',
  });
  expect(notices).toEqual([]);
});

test('a broken-off answer is a network fault, and one that takes too long is a time-out', async () => {
  answers = [
    brokenBody(new TypeError('terminated')),
    brokenBody(new DOMException('late', 'TimeoutError')),
    () => new Response('<h1>Bad gateway</h1>', { status: 502 }),
    () => new Response('<h1>Hello</h1>'),
  ];
  for (const code of [localCodes.network, localCodes.timeout, localCodes.network, localCodes.unreadable])
    await expect(read()).rejects.toMatchObject({ code });
  expect(notices).toEqual(['network', 'network', 'network', expect.stringMatching(/^warn \S+/)]);
});

const page = readFileSync(path.resolve(import.meta.dirname, '../index.html'), 'utf8');
/** Runs the part of the page that asks for the session, as at this address. */
const openPage = (address: string) => {
  window.history.replaceState(null, '', address);
  const [script] = /\(\(\) => \{\n\s+if \([^\n]*pathname[\s\S]*?\}\)\(\);/.exec(page) ?? [];
  runInThisContext(script!);
};

test('the page asks for the session before its scripts have come, and they take the answer once', async () => {
  answers = [
    answer(200, 200, '', { user_id: 7, preferences: {} }),
    answer(200, 200, '', { user_id: 7, preferences: {} }),
  ];
  openPage('/home/alarmList');
  expect(sent).toHaveLength(1);
  expect(await ensureSession()).toMatchObject({ user_id: 7 });
  expect(sent).toHaveLength(1);
  useSession.setState({ session: null });
  await ensureSession();
  expect(sent).toHaveLength(2);
  // It is the same request as that of the scripts, which are changed more often than the page.
  const [first, second] = sent.map(({ path, init: { method, body, credentials, headers } }) => ({
    ...{ path, method, body, credentials },
    type: new Headers(headers).get('content-type'),
  }));
  expect(first).toEqual(second);
  useSession.setState({ session: null });
});

test('an early request for the session that fails is a fault of the network, and the sign-in page sends none', async () => {
  openPage('/');
  openPage('/homeless');
  expect(sent).toHaveLength(0);
  openPage('/p/1234567890');
  await expect(ensureSession()).rejects.toMatchObject({ code: localCodes.network });
  expect(sent).toHaveLength(1);
});
