import { cleanup, render, screen, within } from '@testing-library/react';
import { afterEach, expect, test } from 'vitest';
import { lineChannels } from '#contract/telemetry.ts';
import { common } from '#web/parts/words/en-US.ts';
import { setStage } from '#web/test-stage.tsx';
import { LineValues } from './LineValues.tsx';
import type { Line } from './lines.query.ts';
import { lines } from './words/en-US.ts';

afterEach(cleanup);

/** Each channel has its own value, except the given ones. */
const show = async (type: 1 | 2 | 3, given: Record<string, number> = {}) => {
  const values = Object.fromEntries(lineChannels[type].map((name, index) => [name, 100 + index]));
  const line = {
    values: { ...values, ...given },
    limits: {},
    temperatures: {},
    rated_current: null,
    energy: 7,
  };
  await setStage({ words: { lines, common }, replies: {} });
  render(<LineValues line={line as unknown as Line} stale={false} />);
};
const shownAt = (label: string) => screen.getByText(label).nextElementSibling?.textContent;

test('a line shows its power factor with two decimals, and its frequency', async () => {
  await show(3, { 'PF.t': 0.874, F: 49.98 });
  expect(shownAt('Power factor')).toBe('0.87');
  expect(shownAt('Frequency')).toBe('49.98Hz');
});

test('a single-phase filter shows voltage, current and power of its input beside those of its output', async () => {
  await show(1, { 'in.I.a': 12, 'out.I.a': 11, 'in.P.t': 2600, 'out.P.t': 2500 });
  expect([shownAt('Input current'), shownAt('Current')]).toEqual(['12.00A', '11.00A']);
  expect([shownAt('Input power'), shownAt('Power')]).toEqual(['2,600W', '2,500W']);
});

test('a three-phase filter shows voltage, current and power of each phase of its input', async () => {
  await show(2, { 'in.I.b': 21, 'in.P.c': 4700 });
  const table = within(screen.getByRole('table'));
  const rowOf = (name: string) =>
    within(table.getByRole('rowheader', { name }).closest('tr')!)
      .getAllByRole('cell')
      .map((cell) => cell.textContent);
  expect(rowOf('Input current')[1]).toBe('21.00A');
  expect(rowOf('Input power')[2]).toBe('4,700W');
});
