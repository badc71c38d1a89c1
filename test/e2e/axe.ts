import { AxeBuilder } from '@axe-core/playwright';
import type { Page } from '@playwright/test';

const levels = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];

/**
 * What keeps people from using the page, or a part of it. The console has no frames: without the way that examines
 * those one by one and puts the parts together on another page, an examination takes a third of the time. The engine
 * is loaded once into each document, and names no selectors, which nobody reads.
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
