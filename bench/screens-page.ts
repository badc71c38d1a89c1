import type { Browser, BrowserContext, BrowserContextOptions, CDPSession, Page } from '@playwright/test';

/** Chromium's 'slow 4G': 1.6 Mbit/s down, 750 kbit/s up, 150 ms. */
const slow4g = { offline: false, latency: 150, downloadThroughput: 200_000, uploadThroughput: 93_750 };
export const slowdown = 4;
/** A screen is complete after this long without a request, a late drawing or a calculation. */
const quietMs = 1500;
const patienceMs = 60_000;
/** A task above this length is long; the time above it blocks the reader. Source: W3C Long Tasks. */
const longTaskMs = 50;

export interface Seen {
  firstMs: number;
  largestMs: number;
  blockingMs: number;
  shift: number;
  /** Files and calls, without the live stream. */
  requests: number;
  calls: readonly string[];
  kilobytes: number;
  /** The elements that moved, and how far. */
  moved: readonly string[];
}
interface Noted {
  first: number;
  largest: number;
  tasks: [start: number, duration: number][];
  shift: number;
  changedAt: number;
  moved: string[];
}
type Watched = typeof globalThis & { seen: Noted };
type LayoutShift = PerformanceEntry & {
  value: number;
  hadRecentInput: boolean;
  sources: readonly { node: Node | null; previousRect: DOMRect; currentRect: DOMRect }[];
};

/** Runs in the page before everything else: records paints, long tasks and layout shifts. */
const watch = () => {
  const seen: Noted = { first: 0, largest: 0, tasks: [], shift: 0, changedAt: 0, moved: [] };
  const note = (type: string, take: (entry: PerformanceEntry) => void) =>
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) {
        seen.changedAt = performance.now();
        take(entry);
      }
    }).observe({ type, buffered: true });
  note('paint', (entry) => {
    if (entry.name === 'first-contentful-paint') seen.first = entry.startTime;
  });
  note('largest-contentful-paint', (entry) => {
    seen.largest = entry.startTime;
  });
  note('longtask', ({ startTime, duration }) => seen.tasks.push([startTime, duration]));
  note('layout-shift', (entry) => {
    const { value, hadRecentInput, sources } = entry as LayoutShift;
    if (hadRecentInput) return;
    seen.shift += value;
    for (const { node, previousRect, currentRect } of sources) {
      const { tagName, className } = (node ?? {}) as Partial<Element>;
      const name = `${tagName ?? '?'}.${String(className ?? '').split(' ')[0]}`;
      seen.moved.push(`${value.toFixed(3)} ${name} by ${(currentRect.y - previousRect.y).toFixed(0)} px`);
    }
  });
  note('resource', () => {});
  Object.assign(window, { seen });
};

const settled = async (page: Page) => {
  await page.locator('h1').first().waitFor({ timeout: patienceMs });
  await page.waitForFunction(
    (quiet) =>
      document.querySelector('[aria-busy="true"]') === null &&
      performance.now() - (window as unknown as Watched).seen.changedAt > quiet,
    quietMs,
    { timeout: patienceMs },
  );
};

/** A page with a slow processor, and optionally a slow network. */
const slowPage = async (
  context: BrowserContext,
  isSlowNetwork: boolean,
): Promise<{ page: Page; cdp: CDPSession }> => {
  const page = await context.newPage();
  const cdp = await context.newCDPSession(page);
  await cdp.send('Network.enable');
  await cdp.send('Emulation.setCPUThrottlingRate', { rate: slowdown });
  if (isSlowNetwork) await cdp.send('Network.emulateNetworkConditions', slow4g);
  return { page, cdp };
};

const visitIn = async (context: BrowserContext, url: string): Promise<Seen> => {
  const { page, cdp } = await slowPage(context, false);
  try {
    let bytes = 0;
    cdp.on('Network.loadingFinished', ({ encodedDataLength }) => {
      bytes += encodedDataLength;
    });
    let requests = 0;
    const calls: string[] = [];
    page.on('request', (request) => {
      if (!request.url().startsWith('http') || request.resourceType() === 'eventsource') return;
      const { pathname } = new URL(request.url());
      // Only the demonstration asks for its scenes.
      if (pathname.startsWith('/demo/')) return;
      requests += 1;
      if (request.method() === 'POST') calls.push(pathname);
    });
    await page.addInitScript(watch);
    await page.goto(url, { waitUntil: 'commit' });
    await settled(page);
    const noted = await page.evaluate(() => (window as unknown as Watched).seen);
    const blockingMs = noted.tasks
      .filter(([start]) => start >= noted.first)
      .reduce((sum, [, duration]) => sum + Math.max(0, duration - longTaskMs), 0);
    return {
      ...{ firstMs: noted.first, largestMs: noted.largest, blockingMs, shift: noted.shift },
      ...{ requests, calls, kilobytes: bytes / 1024, moved: noted.moved },
    };
  } finally {
    await page.close();
  }
};
/** In a browser window that begins with an empty cache. */
const afresh = async <Result>(
  browser: Browser,
  look: BrowserContextOptions,
  see: (context: BrowserContext) => Promise<Result>,
): Promise<Result> => {
  const context = await browser.newContext(look);
  try {
    return await see(context);
  } finally {
    await context.close();
  }
};
/** One visit with an empty cache. */
export const visit = (browser: Browser, look: BrowserContextOptions, url: string): Promise<Seen> =>
  afresh(browser, look, (context) => visitIn(context, url));

/** A browser window whose service worker keeps the console. */
export const keptWindow = async (
  browser: Browser,
  look: BrowserContextOptions,
  url: string,
): Promise<BrowserContext> => {
  const context = await browser.newContext(look);
  const page = await context.newPage();
  await page.goto(url);
  await page.locator('h1').first().waitFor();
  await page.evaluate(async () => {
    const { active } = await navigator.serviceWorker.ready;
    const { port1, port2 } = new MessageChannel();
    const kept = new Promise((resolve) => {
      port1.onmessage = resolve;
    });
    active?.postMessage({ kind: 'keep', language: 'en-US' }, [port2]);
    await kept;
  });
  await page.close();
  return context;
};
/** Chromium keeps the compiled code of a script from its second use on. */
const visitsBefore = 3;
/** The visit of a reader who opens this screen every day. */
export const visitAgain = async (context: BrowserContext, url: string): Promise<Seen> => {
  for (let before = 0; before < visitsBefore; before += 1) {
    const page = await context.newPage();
    await page.addInitScript(watch);
    await page.goto(url, { waitUntil: 'commit' });
    await settled(page);
    await page.close();
  }
  return visitIn(context, url);
};

/** From the beginning of the visit until a part of the screen shows its data, on slow 4G. */
const usableIn = async (context: BrowserContext, url: string, part: string): Promise<number> => {
  const { page } = await slowPage(context, true);
  try {
    await page.addInitScript((selector) => {
      const find = () => {
        if (document.querySelector(selector) === null) requestAnimationFrame(find);
        else Object.assign(window, { usableAt: performance.now() });
      };
      find();
    }, part);
    await page.goto(url, { waitUntil: 'commit' });
    await page.waitForFunction(() => 'usableAt' in window, undefined, { timeout: patienceMs });
    return await page.evaluate(() => (window as unknown as { usableAt: number }).usableAt);
  } finally {
    await page.close();
  }
};
/** With an empty cache. */
export const usableMs = (
  browser: Browser,
  look: BrowserContextOptions,
  url: string,
  part: string,
): Promise<number> => afresh(browser, look, (context) => usableIn(context, url, part));
/** After `visitAgain`. The service worker asks for the document without the slow network. */
export const usableAgainMs = usableIn;

/** How long a reader takes to type a name and a password. */
const typingMs = 8_000;
/**
 * From the click on 'Sign in' until a part of the screen that follows shows its data: a first visit with an
 * empty cache on slow 4G, whose files load while the reader types.
 */
export const usableAfterSignInMs = (
  browser: Browser,
  look: BrowserContextOptions,
  door: string,
  reader: { username: string; password: string },
  part: string,
): Promise<number> =>
  afresh(browser, look, async (context) => {
    const { page } = await slowPage(context, true);
    await page.goto(door, { waitUntil: 'commit' });
    await page.getByRole('textbox', { name: 'Account' }).fill(reader.username, { timeout: patienceMs });
    await page.waitForTimeout(typingMs);
    await page.getByLabel('Password', { exact: true }).fill(reader.password);
    return page.getByRole('button', { name: 'Sign in' }).evaluate(async (button, selector) => {
      const begun = performance.now();
      (button as HTMLElement).click();
      while (document.querySelector(selector) === null) await new Promise(requestAnimationFrame);
      return performance.now() - begun;
    }, part);
  });
