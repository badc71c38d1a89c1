/** Texts and categories concern every project: only an account that manages all of them is offered a change. */
import { cleanup, screen } from '@testing-library/react';
import { afterEach, describe, expect, test } from 'vitest';
import { CategoriesPage } from '#web/features/categories/CategoriesPage.tsx';
import { categories } from '#web/features/categories/words/en-US.ts';
import { ContentPage } from '#web/features/content/ContentPage.tsx';
import { content } from '#web/features/content/words/en-US.ts';
import { common } from '#web/parts/words/en-US.ts';
import { setStage, showAt } from '#web/test-stage.tsx';

const at = '2026-11-20T02:30:00Z';
const row = { id: 1, status: 'enabled', created_at: at, updated_at: at, revision: 1 };
const show = async (everyProject: boolean, page: 'content' | 'categories') => {
  const list = (given: object) => ({ list: [{ ...row, ...given }], total: 1, page: 1, limit: 20 });
  await setStage({
    words: { categories, content, common },
    permissions: ['content.write', 'category.write'],
    everyProject,
    replies: {
      '/content/get_list': list({ title: 'Evacuation', content: 'x', author: 'Ann' }),
      '/category/get_list': list({ name: 'Pumps', icon_id: 'x', description: '', devices: 0 }),
    },
  });
  showAt(page === 'content' ? <ContentPage /> : <CategoriesPage />);
  await screen.findByText(page === 'content' ? 'Evacuation' : /Pumps/);
};
const offered = () =>
  screen
    .queryAllByRole('button')
    .map((button) => button.textContent)
    .filter((name) => /Add|Edit|Delete|Evacuation|Pumps/.test(name));

afterEach(cleanup);
describe.each(['content', 'categories'] as const)('the page of %s', (page) => {
  test('the page offers changes to an account that manages every project', async () => {
    await show(true, page);
    expect(offered().length).toBeGreaterThanOrEqual(4);
  });
  test('the page offers no change to an account that manages only some projects', async () => {
    await show(false, page);
    expect(offered()).toEqual([]);
  });
});
