import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { cleanup, render, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { App } from 'antd';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { startLanguage } from '#web/i18n/i18n.ts';
import { common } from '#web/parts/words/en-US.ts';
import { BatchState } from './BatchDialog.tsx';
import { OneKeyDialog } from './OneKeyDialog.tsx';
import type { Batch, Preview, PreviewLine } from './one-key.query.ts';
import { PreviewLines } from './PreviewLines.tsx';
import { oneKey } from './words/en-US.ts';

const batchId = '22222222-2222-4222-8222-222222222222';
const line = (line_id: number, given: Partial<PreviewLine> = {}): PreviewLine => ({
  device_id: 1,
  device_number: 'AW000001',
  line_id,
  n: line_id,
  name: `Pump ${line_id}`,
  state: 'open',
  ...{ observed_at: new Date().toISOString(), stale: false, interval_seconds: 60 },
  ...{ values_at: new Date().toISOString(), values_stale: false },
  current: 0,
  power: 0,
  will: 'switch',
  reason: null,
  message: null,
  ...given,
});
const plan: Preview = {
  batch_id: null,
  action: 'close',
  password_needed: true,
  to_switch: 2,
  skipped: 1,
  current: 0,
  power: 0,
  lines: [
    line(1),
    line(2),
    line(3, {
      will: 'skip',
      reason: 'control.tagged',
      message: 'A lock-out tag forbids this: cable repair',
    }),
  ],
};
let sent: Record<string, unknown>[];
let client: QueryClient;
let refused: boolean;

beforeEach(async () => {
  sent = [];
  refused = false;
  client = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  // biome-ignore lint/suspicious/noDocumentCookie: as the console writes it
  document.cookie = 'language=en-US; path=/';
  vi.stubGlobal('fetch', async (_path: string, init: RequestInit) => {
    const body = JSON.parse(init.body as string);
    if (!body.preview) sent.push(body);
    if (refused) return new Response(JSON.stringify({ code: 500, msg: 'Internal error', data: {} }));
    const data = body.preview ? plan : { ...plan, batch_id: batchId };
    return new Response(JSON.stringify({ code: 200, msg: '', data }));
  });
  await startLanguage(async () => ({ oneKey, common }));
});
afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});
const show = () => {
  const started: string[] = [];
  render(
    <QueryClientProvider client={client}>
      <App>
        <OneKeyDialog
          deviceIds={[1]}
          action="close"
          onStarted={(id) => started.push(id)}
          onClose={() => undefined}
        />
      </App>
    </QueryClientProvider>,
  );
  return started;
};

test('one-key shows what would be energised, what is skipped and why, and sends nothing without the password', async () => {
  const started = show();
  const user = userEvent.setup();
  await screen.findByText(/2 lines will be energised/);
  expect(screen.getByText(/cable repair/)).toBeTruthy();
  await user.click(screen.getByRole('button', { name: 'Close 2 lines: energise' }));
  await screen.findByText('Enter the password');
  expect(sent).toEqual([]);
  await user.type(screen.getByLabelText('Your password'), 'secret1');
  await user.click(screen.getByRole('button', { name: 'Close 2 lines: energise' }));
  await waitFor(() => expect(started).toEqual([batchId]));
  expect(sent).toEqual([{ device_ids: [1], line_ids: [1, 2], action: 'close', password: 'secret1' }]);
});

test('one-key cannot be confirmed with a preview that could not be refreshed', async () => {
  show();
  await screen.findByText(/2 lines will be energised/);
  const confirm = () => screen.getByRole('button', { name: 'Close 2 lines: energise' });
  expect(confirm().hasAttribute('disabled')).toBe(false);
  refused = true;
  await client.refetchQueries();
  await screen.findByText(/could not be refreshed/);
  expect(confirm().hasAttribute('disabled')).toBe(true);
});

test('one-key dims the positions and loads that are stale, with their age', () => {
  const old = new Date(Date.now() - 130_000).toISOString();
  const lines = [line(1, { observed_at: old, values_at: old, state: 'closed', power: 690 }), line(2)];
  render(<PreviewLines plan={{ ...plan, lines, power: 690, current: 3 }} />);
  const [first, second] = screen.getAllByRole('listitem');
  expect(first?.querySelectorAll('.is-stale')).toHaveLength(2);
  expect(first?.textContent).toContain('2 min ago');
  expect(second?.querySelectorAll('.is-stale')).toHaveLength(0);
  expect(document.querySelectorAll('.one-key-sums .is-stale')).toHaveLength(2);
});

test('a partly verified batch is shown as such, line by line', () => {
  const lineIn = (line_id: number, state: string, message: string | null = null) => ({
    ...line(line_id),
    state,
    reason: null,
    message,
    command_id: null,
    at: null,
  });
  const batch: Batch = {
    batch_id: batchId,
    action: 'close',
    state: 'partial',
    interrupted: false,
    operator: 'admin',
    created_at: '2026-11-21T08:00:00Z',
    ended_at: '2026-11-21T08:00:09Z',
    counts: { verified: 1, mismatch: 1, skipped: 1 },
    lines: [lineIn(1, 'verified'), lineIn(2, 'mismatch'), lineIn(3, 'skipped', 'Tagged')],
  };
  render(<BatchState batch={batch} />);
  expect(screen.getByText(/1 of 2 verified/)).toBeTruthy();
  expect(screen.getByText('readings contradict it')).toBeTruthy();
  expect(screen.getByText('(Tagged)')).toBeTruthy();
});
