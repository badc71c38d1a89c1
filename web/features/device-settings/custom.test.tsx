import { cleanup, fireEvent, screen, waitFor } from '@testing-library/react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type Session, useSession } from '#web/api/session.ts';
import { startLanguage } from '#web/i18n/i18n.ts';
import { common } from '#web/parts/words/en-US.ts';
import { showAt } from '#web/test-stage.tsx';
import { CustomEditor } from './CustomEditor.tsx';
import type { Settings } from './settings.query.ts';
import { deviceSettings } from './words/en-US.ts';

const settings = {
  device_id: 7,
  type: 3,
  revision: 4,
  reported_revision: 2,
  reported_at: '2026-11-21T08:00:00Z',
  waits: null,
  waits_message: null,
  device: [],
  lines: [],
  custom: { desired: null, reported: { led: 1 }, state: 'none', drift: false, message: null },
} as unknown as Settings;
let bodies: Record<string, unknown>[];

beforeEach(async () => {
  bodies = [];
  // biome-ignore lint/suspicious/noDocumentCookie: as the console writes it
  document.cookie = 'language=en-US; path=/';
  useSession.setState({ session: { permissions: ['device.configure'] } as unknown as Session });
  vi.stubGlobal('fetch', async (_path: string, init: RequestInit) => {
    const body = JSON.parse(init.body as string);
    bodies.push(body);
    const diff = [{ path: 'led', before: 1, after: 0 }];
    const data = { preview: body.preview === true, revision: 4, state: 'pending', diff };
    return new Response(JSON.stringify({ code: 200, msg: '', data }));
  });
  await startLanguage(async () => ({ deviceSettings, common }));
  showAt(<CustomEditor settings={settings} number="AW000007" />);
  await screen.findByRole('textbox', { name: 'Custom settings' });
});
afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
  useSession.setState({ session: null });
});
const type = (text: string) =>
  fireEvent.change(screen.getByRole('textbox', { name: 'Custom settings' }), { target: { value: text } });
const button = (name: string) =>
  screen.getByRole<HTMLButtonElement>('button', { name: new RegExp(`${name}$`) });

test('a text that is not a JSON object can be neither compared nor sent', () => {
  type('{"led": }');
  expect(screen.getByText(/Not valid JSON: line 1/)).toBeTruthy();
  expect(button('Check and compare').disabled).toBe(true);
  type('[1, 2]');
  expect(screen.getByText('Self-defined parameters must be a JSON object')).toBeTruthy();
  expect(button('Send to AW000007').disabled).toBe(true);
  expect(bodies).toEqual([]);
});

test('only a compared object can be sent, and a later change must be compared again', async () => {
  type('{"led": 0}');
  expect(button('Send to AW000007').disabled).toBe(true);
  fireEvent.click(button('Check and compare'));
  await screen.findByRole('table', { name: 'What would change' });
  type('{"led": 2}');
  expect(button('Send to AW000007').disabled).toBe(true);
  type('{"led": 0}');
  await waitFor(() => expect(button('Send to AW000007').disabled).toBe(false));
  fireEvent.click(button('Send to AW000007'));
  await waitFor(() => expect(bodies).toHaveLength(2));
  expect(bodies[0]).toMatchObject({ preview: true });
  expect(bodies[1]).toEqual({ device_id: 7, revision: 4, custom: '{"led": 0}' });
});
