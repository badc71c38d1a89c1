import type { Page } from '@playwright/test';
import { patienceMs } from '#test/patience.ts';
import { pollMs } from './move.ts';

/**
 * Elements that make the page wider than its window, outermost first. A page is redrawn after its width
 * changes, so this waits first.
 */
export const tooWide = async (page: Page): Promise<string[]> => {
  const fits = await page
    .waitForFunction(
      () => document.documentElement.scrollWidth <= document.documentElement.clientWidth,
      undefined,
      { timeout: patienceMs, polling: pollMs },
    )
    .then(() => true)
    .catch(() => false);
  if (fits) return [];
  return page.evaluate(() => {
    const isClipped = (part: Element | null): boolean =>
      part !== null &&
      part !== document.body &&
      (getComputedStyle(part).overflowX !== 'visible' || isClipped(part.parentElement));
    return [...document.body.querySelectorAll('*')]
      .filter((part) => part.getBoundingClientRect().right > document.documentElement.clientWidth + 1)
      .filter((part) => !isClipped(part.parentElement))
      .slice(0, 8)
      .map((part) => {
        const { left, right } = part.getBoundingClientRect();
        return `wider than ${innerWidth} px: ${left} to ${right} ${part.outerHTML.slice(0, 120)}`;
      });
  });
};
