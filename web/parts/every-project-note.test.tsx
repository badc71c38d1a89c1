import { cleanup, screen } from '@testing-library/react';
import { afterEach, expect, test } from 'vitest';
import { contentEndpoints } from '#contract/content.ts';
import { words } from '#web/app/words/en-US.ts';
import { ContentPage } from '#web/features/content/ContentPage.tsx';
import { content } from '#web/features/content/words/en-US.ts';
import { setStage, showAt } from '#web/test-stage.tsx';

afterEach(cleanup);

test.each([true, false])('a page without actions says why (every project: %s)', async (everyProject) => {
  const replies = { [contentEndpoints.list.path]: { list: [], total: 0 } };
  await setStage({ words: { ...words, content }, replies, everyProject, permissions: ['content.write'] });
  showAt(<ContentPage />);
  await screen.findByText(content.empty);
  expect(screen.queryByRole('button', { name: content.add }) !== null).toBe(everyProject);
  expect(screen.queryByText(words.common.everyProjectOnly) === null).toBe(everyProject);
});
