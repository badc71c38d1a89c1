/** Reads a screen of figures: its tables, the numbers of its charts, and the spreadsheet that it saves. */
import { readFile } from 'node:fs/promises';
import type { Page, Response } from '@playwright/test';
import { readXlsx } from 'hucre/xlsx';
import { expect, vi } from 'vitest';
import { patienceMs } from '../patience.ts';
import { violationsOf } from './axe.ts';

/**
 * The server's answer that the screen gets during an action. `words` must occur in the request, to tell
 * several calls apart.
 */
export const answerTo = async (page: Page, path: string, act: () => Promise<unknown>, words = '') => {
  const [response] = await Promise.all([
    page.waitForResponse(
      (found: Response) => found.url().endsWith(path) && (found.request().postData() ?? '').includes(words),
    ),
    act(),
  ]);
  return ((await response.json()) as { data: Record<string, never> }).data;
};
/** Repeats the check, because the screen shows an answer a moment later. */
export const soon = (check: () => Promise<void>) => vi.waitFor(check, { timeout: patienceMs, interval: 100 });

/** The number as displayed; a dash means none. */
export const numberOf = (text: string): number | null =>
  text.trim() === '—' || text.trim() === '' ? null : Number(text.replace(/[^\d.-]/g, ''));
const cells = (page: Page, label: string, rows: string, column: number) =>
  page
    .getByRole('region', { name: label, exact: true })
    .locator(`table ${rows}`)
    .evaluateAll(
      (all, at) => all.map((row) => (row as HTMLTableRowElement).cells[at]?.textContent ?? ''),
      column,
    );
export const column = async (page: Page, label: string, at: number) =>
  (await cells(page, label, 'tbody tr:not([aria-hidden])', at)).map(numberOf);
/** Expects the displayed numbers to equal the true ones to a hundredth. */
export const expectShown = (
  shown: readonly (number | null)[],
  exact: readonly (number | null)[],
  what = '',
): void => {
  const rounded = (value: number | null) => (value === null ? null : Math.round(value * 100) / 100);
  expect(shown, what).toHaveLength(exact.length);
  const off = exact.flatMap((value, index) => {
    const seen = shown[index] ?? null;
    const isNear = value === null || seen === null ? value === seen : Math.abs(seen - value) <= 0.0051;
    return isNear ? [] : [{ index, shown: seen, exact: rounded(value) }];
  });
  expect(off, what).toEqual([]);
};

/** The saved spreadsheet: its rows without the header, and the numbers of a column. */
export const exported = async (page: Page) => {
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Export .xlsx', exact: true }).click(),
  ]);
  expect(download.suggestedFilename()).toMatch(/\.xlsx$/);
  const [header, ...rows] = (await readXlsx(await readFile(await download.path()))).sheets[0]!.rows;
  const values = (name: string): (number | null)[] => {
    const at = header!.findIndex((cell) => String(cell) === name);
    expect(at, `${name} in ${header!.join(', ')}`).toBeGreaterThanOrEqual(0);
    return rows.map((row) => (typeof row[at] === 'number' ? row[at] : null));
  };
  return { rows, values };
};
export const serious = async (page: Page) =>
  (await violationsOf(page))
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 160)).join(' | ')}`);
/** The table behind a chart shows the same numbers as the drawing; for a long one, its first rows. */
export const chartColumn = async (page: Page, title: string, at: number) => {
  const figure = page.getByRole('figure', { name: title, exact: true });
  await figure.getByRole('button', { name: `Table: ${title}` }).click();
  await figure.locator('.numbers').waitFor();
  const shown = await figure
    .locator('.numbers tbody tr[aria-rowindex]')
    .evaluateAll(
      (rows, place) => rows.map((row) => (row as HTMLTableRowElement).cells[place]?.textContent ?? ''),
      at,
    );
  return shown.map(numberOf);
};
