import { AxeBuilder } from '@axe-core/playwright';
import type { Page } from '@playwright/test';

const levels = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];

/**
 * The accessibility violations of the page or a part of it. The console has no frames; without axe's handling
 * of frames an examination takes a third of the time. The engine is loaded once per document. It collects no
 * selectors, because nobody reads them.
 */
export const violationsOf = async (page: Page, part?: string) => {
  const isThere = await page.evaluate(() => 'axe' in window);
  const axe = new AxeBuilder({ page, ...(isThere ? { axeSource: ';' } : {}) }).setLegacyMode().options({
    resultTypes: ['violations'],
    selectors: false,
    runOnly: { type: 'tag', values: levels },
  });
  return (await (part ? axe.include(part) : axe).analyze()).violations;
};
