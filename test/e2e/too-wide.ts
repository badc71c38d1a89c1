import type { Page } from '@playwright/test';
import { patienceMs } from '#test/patience.ts';
import { pollMs } from './move.ts';

/**
 * Whether the page is wider than its window, and the elements that make it so, outermost first. A page is
 * redrawn after its width changes, so this waits first.
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
    const { clientWidth, scrollWidth } = document.documentElement;
    /** A long word leaves its box. */
    const rightOfTexts = (part: Element): number => {
      const texts = [...part.childNodes].filter((node) => node.nodeType === Node.TEXT_NODE);
      const edges = texts.map((text) => {
        const range = document.createRange();
        range.selectNodeContents(text);
        return range.getBoundingClientRect().right;
      });
      return Math.max(0, ...edges);
    };
    const rightOf = (part: Element): number =>
      Math.max(
        isClipped(part.parentElement) ? 0 : part.getBoundingClientRect().right,
        isClipped(part) ? 0 : rightOfTexts(part),
      );
    return [
      `the page has ${scrollWidth} px in a window of ${clientWidth} px`,
      ...[...document.body.querySelectorAll('*')]
        .filter((part) => rightOf(part) > clientWidth)
        .slice(0, 8)
        .map((part) => `to ${rightOf(part)} px: ${part.outerHTML.slice(0, 120)}`),
    ];
  });
};

/** The lists whose columns do not fit beside their fixed actions. */
export const gridsTooWide = async (page: Page): Promise<string[]> => {
  const over = await page
    .locator('.data-grid')
    .evaluateAll((grids) => grids.map((grid) => grid.scrollWidth - grid.clientWidth));
  return over.filter((px) => px > 1).map((px) => `a list is ${px} px too wide`);
};
