import { AxeBuilder } from '@axe-core/playwright';
import type { Page } from '@playwright/test';

const levels = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];

/**
 * What keeps people from using the page, or a part of it. The console has no frames: without the way that examines
 * those one by one and puts the parts together on another page, an examination takes a third of the time.
 */
export const violationsOf = async (page: Page, part?: string) => {
  const axe = new AxeBuilder({ page })
    .setLegacyMode()
    .options({ resultTypes: ['violations'], runOnly: { type: 'tag', values: levels } });
  return (await (part ? axe.include(part) : axe).analyze()).violations;
};
