import { cleanup, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, expect, test, vi } from 'vitest';
import { setStage, showAt } from '#web/test-stage.tsx';
import { common } from '../words/en-US.ts';
import { type RowAct, RowActs } from './RowActs.tsx';

const media = window.matchMedia;
const done: string[] = [];
const act = (label: string): RowAct => ({ key: label, label, onClick: () => done.push(label) });
const show = async (isTable: boolean, rest: readonly string[]) => {
  vi.spyOn(window, 'matchMedia').mockImplementation((query) => ({
    ...media(query),
    matches: isTable && query.includes('min-width'),
  }));
  await setStage({ words: { common }, permissions: [], replies: {} });
  showAt(<RowActs name="Hall" first={act('Edit')} rest={rest.map(act)} />);
  await screen.findByRole('button', { name: 'Edit' });
  return screen.getAllByRole('button').map((each) => each.getAttribute('aria-label') ?? each.textContent);
};
afterEach(() => {
  cleanup();
  vi.restoreAllMocks();
  done.length = 0;
});

test('a row of a table shows its usual act, and its menu does the others', async () => {
  expect(await show(true, ['Delete'])).toEqual(['Edit', 'More actions for Hall']);
  await userEvent.click(screen.getByRole('button', { name: 'More actions for Hall' }));
  await userEvent.click(await screen.findByRole('menuitem', { name: 'Delete' }));
  expect(done).toEqual(['Delete']);
});

test('a row without further acts has no menu', async () => {
  expect(await show(true, [])).toEqual(['Edit']);
});

test('a card shows up to three acts, and a menu from the fourth', async () => {
  expect(await show(false, ['Test', 'Delete'])).toEqual(['Edit', 'Test', 'Delete']);
  cleanup();
  expect(await show(false, ['Test', 'Copy', 'Delete'])).toEqual(['Edit', 'More actions for Hall']);
});
