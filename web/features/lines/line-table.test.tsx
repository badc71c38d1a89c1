import { act, cleanup, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { LineTableRow } from '#contract/line-table.ts';
import { common } from '#web/parts/words/en-US.ts';
import { type Stage, setStage, showAt } from '#web/test-stage.tsx';
import { LineTablePage } from './LineTablePage.tsx';
import { lines } from './words/en-US.ts';

const path = '/device_line/get_project_lines';
const limits = { early: 36, alarm: 44, low_early: null, low_alarm: null };
const rowOf = (n: number, percent: number): LineTableRow => ({
  ...{ line_id: n, n, name: `Line no ${n}`, alias: '', model: '', device_id: 7, device_number: 'SW4A0001' },
  ...{ device_name: 'Board', device_type: 3, part_name: '', online: true, interval_seconds: 60 },
  ...{ switchable: true, critical: false, state: 'closed', observed_at: new Date().toISOString() },
  ...{ stale: false, trip: 0, lock: 0, tags: 0, alarms: 0, worst: 0, values_at: new Date().toISOString() },
  ...{ values_stale: false, rated_current: 40, voltage: 220, current: 22, share: 55, power: 4800 },
  ...{ leakage: 3, temperature: 30 },
  closest: { channel: 'I.a', value: (44 * percent) / 100, limits, percent, limit: 44, low: false },
});
let rows: LineTableRow[];
let stage: Stage;
beforeEach(async () => {
  const media = window.matchMedia;
  // Wide enough for the table.
  vi.spyOn(window, 'matchMedia').mockImplementation((query) => ({
    ...media(query),
    matches: query.includes('min-width'),
  }));
  rows = Array.from({ length: 1000 }, (_, index) => rowOf(index + 1, 90 - index / 20));
  stage = await setStage({
    words: { lines, common },
    replies: {
      [path]: () => ({ list: rows, total: rows.length, page: 1, limit: 1000, truncated: false }),
    },
  });
});
afterEach(() => {
  cleanup();
  vi.restoreAllMocks();
});

const project = { id: 3, name: 'Bay Tower' };
const show = async (search = '') => {
  showAt(<LineTablePage project={project} />, `/home/configinfo/lines${search}`);
  // The first rendering takes long on a busy machine.
  await screen.findByText('Line no 1', {}, { timeout: 30_000 });
};
const firstRow = () => screen.getByText('Line no 1').closest('tr')!;
const shownNames = () =>
  screen
    .getAllByRole('row')
    .slice(1)
    .flatMap((row) => /Line no \d+/.exec(row.textContent) ?? []);

test('of a thousand lines only the visible ones are drawn, each with its closeness to the limit', async () => {
  await show();
  const drawn = shownNames();
  expect(drawn.length).toBeGreaterThanOrEqual(8);
  expect(drawn.length).toBeLessThan(60);
  expect(screen.getByRole('table').getAttribute('aria-rowcount')).toBe('1001');
  const first = firstRow();
  expect(within(first).getByText('90%')).toBeTruthy();
  expect(first.textContent).toContain('Current');
  // Fewer elements in a row make scrolling cheaper.
  expect(first.querySelectorAll('*').length).toBeLessThanOrEqual(43);
});

test('a new answer redraws only the rows that changed', async () => {
  await show();
  const table = screen.getByRole('table');
  const changed = new Set<Element | null>();
  const observer = new MutationObserver((records) => {
    for (const { target } of records)
      changed.add((target instanceof Element ? target : target.parentElement)!.closest('tr'));
  });
  observer.observe(table, { subtree: true, childList: true, characterData: true, attributes: true });
  rows = rows.map((row) => (row.n === 2 ? { ...row, current: 77 } : row));
  await act(async () => {
    stage.deliver('device_state', { device_id: 7, online: true, at: new Date().toISOString() });
  });
  await screen.findByText('77.00');
  observer.disconnect();
  expect([...changed]).toEqual([screen.getByText('Line no 2').closest('tr')]);
});

test('the keys move from row to row, and a line leads to its device', async () => {
  await show();
  screen.getByRole('region', { name: /Lines/ }).focus();
  await userEvent.keyboard('jjk');
  await waitFor(() => expect(document.activeElement?.textContent).toContain('Line no 1'));
  await userEvent.keyboard('{ArrowDown}');
  await waitFor(() => expect(document.activeElement?.textContent).toContain('Line no 2'));
  expect(document.activeElement?.getAttribute('href')).toBe('/home/devicedetails?device_id=7&tab=lines');
});

test('the server sorts; a third click on closeness reverses the order', async () => {
  await show();
  const asked = () => (stage.sent(path).at(-1) as { sort: string }).sort;
  expect(asked()).toBe('-closeness');
  await userEvent.click(screen.getByRole('button', { name: lines.table.closest }));
  await waitFor(() => expect(asked()).toBe('closeness'));
  await userEvent.click(screen.getByRole('button', { name: lines.table.figure.power }));
  await waitFor(() => expect(asked()).toBe('power'));
});

test('lines stay in their places while their values change, until the reader sorts again', async () => {
  await show();
  const [first, second, ...others] = rows;
  rows = [{ ...second!, current: 77 }, first!, ...others];
  await act(async () => {
    stage.deliver('device_state', { device_id: 7, online: true, at: new Date().toISOString() });
  });
  await screen.findByText('77.00');
  expect(shownNames().slice(0, 2)).toEqual(['Line no 1', 'Line no 2']);
  await userEvent.click(screen.getByRole('button', { name: lines.table.sortAgain }));
  expect(shownNames().slice(0, 2)).toEqual(['Line no 2', 'Line no 1']);
});

test('the reasons that block a line are named: trip, tag, lock of the device and alarms, which link to their list', async () => {
  rows = [{ ...rowOf(1, 110), trip: 201, tags: 2, lock: 2, alarms: 3, worst: 2 }];
  await show();
  const row = firstRow();
  for (const word of [lines.table.tripped, lines.table.lock.maintenance, common.lockout])
    expect(within(row).getByText(word)).toBeTruthy();
  const alarms = within(row)
    .getAllByRole('link')
    .map((link) => link.getAttribute('href'));
  expect(alarms).toContain('/home/alarmList?line_id=1&active=true');
});

test('filters go to the server, and an empty result offers to clear them', async () => {
  rows = [];
  showAt(<LineTablePage project={project} />, '/home/configinfo/lines?state=open&stale=true');
  await userEvent.click(await screen.findByRole('button', { name: common.table.resetFilters }));
  await screen.findByText(lines.table.empty);
  expect(stage.sent(path)[0]).toMatchObject({ project_id: 3, state: 'open', stale: 'true', limit: 1000 });
  expect(stage.sent(path).at(-1)).not.toHaveProperty('state');
});
