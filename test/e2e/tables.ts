import type { Page } from '@playwright/test';

/** Tables that a screen reader cannot call by a name, or whose rows it cannot. */
export const namelessTables = (page: Page): Promise<string[]> =>
  page.evaluate(() =>
    [...document.querySelectorAll('table')]
      // The library gives no name to its lists of facts, whose rows are named.
      .filter((table) => !table.closest('[aria-hidden="true"], .ant-descriptions') && table.checkVisibility())
      .flatMap((table) => {
        const rows = [...table.querySelectorAll('tbody > tr')].filter(
          (row) =>
            row.children.length > 1 && row.textContent?.trim() !== '' && !row.querySelector('.cell-skeleton'),
        );
        return [
          ...(table.ariaLabel || table.caption ? [] : ['table without a name']),
          ...(rows.every((row) => row.querySelector(':scope > th, :scope > [role="rowheader"]'))
            ? []
            : ['row without a header']),
        ].map((flaw) => `${flaw}: ${table.outerHTML.slice(0, 120)}`);
      }),
  );
