import type { Page } from '@playwright/test';

/** What the console's router leaves in the window: where it goes, and which place is drawn. */
interface Router {
  state: {
    status: string;
    location: { href: string };
    resolvedLocation?: { href: string; pathname: string };
  };
}

/** The screen of the address is drawn, with all that it asked the server for. */
export const settled = async (page: Page): Promise<void> => {
  await page.locator('h1').first().waitFor();
  await page.waitForFunction(() => document.querySelector('[aria-busy="true"]') === null);
};

/**
 * Goes on within the page that is open, as a click in the menu does; waits until the screen is drawn that it leads to:
 * `expected`, where the console leads elsewhere. Until then the heading of the screen that is left stays.
 */
export const moveTo = async (page: Page, to: string, expected?: string): Promise<void> => {
  const wanted = expected ?? new URL(to, page.url()).pathname;
  const leaves = new URL(page.url()).pathname !== wanted;
  await page.evaluate(
    ({ to, leaves }) => {
      document.querySelector('h1')?.toggleAttribute('data-left', leaves);
      window.history.pushState({}, '', to);
    },
    { to, leaves },
  );
  await page.waitForFunction((wanted) => {
    const router = (window as unknown as { __TSR_ROUTER__?: Router }).__TSR_ROUTER__;
    if (!router) return false;
    const { status, location, resolvedLocation } = router.state;
    return (
      status === 'idle' &&
      resolvedLocation?.href === location.href &&
      resolvedLocation.pathname === wanted &&
      window.location.pathname === wanted &&
      document.querySelector('h1:not([data-left])') !== null &&
      document.querySelector('[aria-busy="true"]') === null
    );
  }, wanted);
};
