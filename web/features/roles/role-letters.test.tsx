import { cleanup, render, screen } from '@testing-library/react';
import { afterEach, expect, test } from 'vitest';
import { type Letter, letters } from '#contract/permissions.ts';
import { setStage } from '#web/test-stage.tsx';
import { RoleLetters } from './RoleLetters.tsx';
import { roles } from './words/en-US.ts';

afterEach(cleanup);

test.each<[readonly Letter[], string]>([
  [['A', 'D'], 'Alarm statistics, Alarms'],
  [letters, 'All permissions'],
  [[], '—'],
])('the permissions %j of a role are shown by name', async (held, text) => {
  await setStage({ words: { roles }, replies: {} });
  const { container } = render(<RoleLetters held={held} />);
  expect(container.textContent).toBe(text);
});

test('the hint of a permission has its letter and what it permits', async () => {
  await setStage({ words: { roles }, replies: {} });
  render(<RoleLetters held={['D']} />);
  expect(screen.getByTitle('D · Alarms and early warnings: handle, remind, delete').textContent).toBe(
    'Alarms',
  );
});
