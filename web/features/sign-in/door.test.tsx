import { cleanup, render, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { startLanguage } from '#web/i18n/i18n.ts';
import { readArrival } from './arrival.ts';
import { Door } from './Door.tsx';
import { signIn as words } from './words/en-US.ts';
import { signIn as russian } from './words/ru-RU.ts';
import { signIn as chinese } from './words/zh-CN.ts';

const codeId = '11111111-1111-4111-8111-111111111111';
let signIn: (body: unknown) => Response;
let bodies: unknown[];
let codeRequired: Promise<boolean>;
const answer = (status: number, code: number, msg: string, data: unknown, headers = {}) =>
  new Response(JSON.stringify({ code, msg, data }), { status, headers });

beforeEach(async () => {
  bodies = [];
  codeRequired = Promise.resolve(true);
  // biome-ignore lint/suspicious/noDocumentCookie: as the console writes it
  document.cookie = 'language=en-US; path=/';
  vi.stubGlobal('fetch', async (path: string, init: RequestInit) => {
    const body = JSON.parse(init.body as string);
    if (path === '/index/get_code')
      return answer(200, 200, '', {
        code_id: codeId,
        image: 'data:,',
        question: 'nine one',
        required: await codeRequired,
      });
    bodies.push(body);
    return signIn(body);
  });
  await startLanguage(async () => ({ signIn: words }));
});
afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

const show = () => {
  const landed: number[] = [];
  render(<Door arrival={{ kind: 'form', next: null }} onSignedIn={({ role }) => landed.push(role)} />);
  return landed;
};
const fill = async (code = '1234') => {
  const user = userEvent.setup();
  await user.type(await screen.findByLabelText('Account'), 'admin');
  await user.type(screen.getByLabelText('Password'), 'secret1');
  await user.type(screen.getByLabelText('Verification code'), code);
  await user.click(screen.getByRole('button', { name: 'Sign in' }));
};

test('signs in with account, password and code', async () => {
  signIn = () => answer(200, 200, '', { role: 3 });
  const landed = show();
  await fill();
  await waitFor(() => expect(landed).toEqual([3]));
  expect(bodies).toEqual([{ username: 'admin', password: 'secret1', code: '1234', code_id: codeId }]);
});

test('waits for the answer about the code, and continues without one if none is required', async () => {
  let answerOf = (_required: boolean) => {};
  codeRequired = new Promise((resolve) => {
    answerOf = resolve;
  });
  signIn = () => answer(200, 200, '', { role: 3 });
  const landed = show();
  const user = userEvent.setup();
  await user.clear(await screen.findByLabelText('Account'));
  await user.type(await screen.findByLabelText('Account'), 'admin');
  await user.type(screen.getByLabelText('Password'), 'secret1');
  await user.click(screen.getByRole('button', { name: 'Sign in' }));
  expect(bodies).toEqual([]);
  answerOf(false);
  await waitFor(() => expect(landed).toEqual([3]));
  expect(bodies).toEqual([{ username: 'admin', password: 'secret1' }]);
});

test('marks missing fields without a call', async () => {
  show();
  await fill('12');
  expect(screen.getByText('Enter the four digits')).toBeTruthy();
  expect(bodies).toEqual([]);
});

test('messages about missing fields change with the language', async () => {
  await startLanguage(async (language) => ({ signIn: language === 'ru-RU' ? russian : words }));
  show();
  const user = userEvent.setup();
  await user.clear(await screen.findByLabelText('Account'));
  await user.click(await screen.findByRole('button', { name: 'Sign in' }));
  await screen.findByText(words.need.password);
  await user.click(screen.getByRole('button', { name: 'Русский' }));
  await screen.findByText(russian.need.password);
  expect(screen.queryByText(words.need.password)).toBeNull();
});

test('shows a wrong code at its field', async () => {
  signIn = () => answer(422, 422, 'Please check', { code: 'The verification code is wrong or expired' });
  show();
  await fill();
  expect(await screen.findByText('The verification code is wrong or expired')).toBeTruthy();
  expect(screen.getByLabelText('Verification code').getAttribute('aria-invalid')).toBe('true');
});

test('the sign-in counts down after too many tries', async () => {
  signIn = () => answer(429, 429, 'Too many tries', null, { 'retry-after': '30' });
  show();
  await fill();
  const button = await screen.findByRole('button', { name: /Try again in \d+ seconds/ });
  expect((button as HTMLButtonElement).disabled).toBe(true);
  expect(screen.getByRole('alert').textContent).toBe('Too many tries');
});

test.each([
  ['en-US', words, /^Login expired, please log in again$/],
  ['ru-RU', russian, /^Срок входа истёк, войдите снова$/],
  ['zh-CN', chinese, /^登录已过期，请重新登录$/],
] as const)('says in %s that the session expired that was open here', async (language, signIn, sentence) => {
  // biome-ignore lint/suspicious/noDocumentCookie: as the console writes it
  document.cookie = `language=${language}; path=/`;
  await startLanguage(async () => ({ signIn }));
  const arrival = readArrival('/', '?next=%2Fhome%2Fnews&why=expired');
  render(<Door arrival={arrival} onSignedIn={() => undefined} />);
  expect((await screen.findByRole('status')).textContent).toMatch(sentence);
});

test('offers the code in words', async () => {
  show();
  await userEvent.click(await screen.findByRole('button', { name: /ask in words/ }));
  expect(await screen.findByText('nine one')).toBeTruthy();
});

test('a return address leads only into the console', () => {
  const next = (value: string) => readArrival('/', `?next=${encodeURIComponent(value)}`);
  expect(next('/home/alarmList?alarm=7')).toEqual({ kind: 'form', next: '/home/alarmList?alarm=7' });
  expect(next('/p/AW144030107')).toEqual({ kind: 'form', next: '/p/AW144030107' });
  for (const foreign of [
    '/p/../docs',
    '/p/a/b',
    'https://evil.example/',
    '//evil.example',
    '/docs',
    'javascript:alert(1)',
    '/home/../docs',
  ])
    expect(next(foreign)).toEqual({ kind: 'form', next: null });
});
