import type { Page } from '@playwright/test';

/** Untranslated texts: a key of the dictionary is shown instead of a text. */
export const rawKeys = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const found: string[] = [];
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const text = node.textContent?.trim() ?? '';
      if (
        /^[a-z][A-Za-z]*(\.[a-z][A-Za-z]*)+$/.test(text) &&
        !node.parentElement?.closest('code, style, script')
      )
        found.push(text);
    }
    return found;
  });
