import type { Page } from '@playwright/test';

/** State that the console's router keeps in the window: the navigation target and the location on screen. */
interface Router {
  state: {
    status: string;
    location: { href: string };
    resolvedLocation?: { href: string; pathname: string };
  };
}

/**
 * How often a test looks at a page that it waits for. Without it, Playwright looks at each frame and makes the
 * browser draw all of them, which takes 7 % of a core for as long as the test waits.
 */
export const pollMs = 50;

/** Waits until the screen of the address is drawn, with all its data from the server. */
export const settled = async (page: Page): Promise<void> => {
  await page.locator('h1').first().waitFor();
  await page.waitForFunction(() => document.querySelector('[aria-busy="true"]') === null, undefined, {
    polling: pollMs,
  });
};

/**
 * Navigates within the open page, like a click in the menu; waits until the target screen is drawn
 * (`expected` if the console redirects). Until then the heading of the old screen stays.
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
  await page.waitForFunction(
    (wanted) => {
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
    },
    wanted,
    { polling: pollMs },
  );
};
