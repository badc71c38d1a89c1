import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { dashboardPanels } from '#contract/dashboard.ts';
import { pagesOf } from './pages.ts';

test('every chosen panel is on exactly one page, in the chosen order, and every page fits the screen', () => {
  fc.assert(
    fc.property(
      fc.shuffledSubarray([...dashboardPanels], { minLength: 1 }),
      fc.constantFrom('full', 'large'),
      (panels, size) => {
        const pages = pagesOf(panels, size);
        const shown = pages.flatMap(({ tall, charts }) => [...tall, ...charts]);
        expect(shown.toSorted()).toEqual(panels.toSorted());
        for (const row of ['tall', 'charts'] as const) {
          const inOrder = pages.flatMap((page) => page[row]);
          expect(inOrder).toEqual(panels.filter((panel) => inOrder.includes(panel)));
        }
        for (const { tall, charts } of pages) {
          expect(tall.length).toBeLessThanOrEqual(size === 'full' ? 3 : 1);
          expect(charts.length).toBeLessThanOrEqual(size === 'full' ? 4 : 2);
        }
      },
    ),
  );
});

test('the default panels fit on one page', () => {
  expect(pagesOf(dashboardPanels, 'full')).toHaveLength(1);
});
