import * as path from 'node:path';
import { type Browser, chromium, type Page } from '@playwright/test';
import { ensureChromium } from '#test/chromium.ts';
import { adminPassword, startServer } from '#test/server-process.ts';
import { buildConsole, root } from './console.ts';

/** Pictures of README and docs: the demo estate as a reader sees it after `npm start`. */
const pictures = [
  { name: 'overview', address: '/home/datascreen', width: 1440, height: 900, ready: 'canvas' },
  {
    name: 'alarms',
    address: '/home/alarmList?show=first',
    width: 1440,
    height: 900,
    ready: '.incident-foot',
  },
  { name: 'lines', address: '/home/linelist?device_id=1', width: 1440, height: 900, ready: '.spark path' },
  { name: 'board', address: '/home/linelist?device_id=1', width: 390, height: 844, ready: '.line-tile' },
] as const;
const patienceMs = 120_000;

const signIn = async (page: Page, url: string): Promise<void> => {
  await page.goto(url);
  await page.getByRole('textbox', { name: 'Account' }).fill('admin');
  await page.getByLabel('Password', { exact: true }).fill(adminPassword);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.waitForURL(/\/home/);
};

/** The simulated devices come one after the other. */
const furnished = (page: Page) =>
  page.waitForFunction(
    async () => {
      const reply = await fetch('/index/census', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: '{}',
      });
      const { data } = (await reply.json()) as { data: { online_rate: number; lines_unknown: number } };
      return data.online_rate > 0.9 && data.lines_unknown < 40;
    },
    undefined,
    { polling: 1000 },
  );

const drawAll = async (browser: Browser, url: string): Promise<void> => {
  const context = await browser.newContext({
    locale: 'en-US',
    colorScheme: 'light',
    reducedMotion: 'reduce',
    timezoneId: 'Asia/Shanghai',
  });
  context.setDefaultTimeout(patienceMs);
  await context.addCookies([{ name: 'language', value: 'en-US', domain: new URL(url).hostname, path: '/' }]);
  const page = await context.newPage();
  await signIn(page, url);
  await furnished(page);
  for (const { name, address, width, height, ready } of pictures) {
    await page.setViewportSize({ width, height });
    await page.goto(url + address);
    await page.locator(ready).first().waitFor();
    await page.locator('[aria-busy="true"]').first().waitFor({ state: 'detached' });
    await page.screenshot({ path: path.join(root, 'docs/pictures', `${name}.png`) });
    console.log(`docs/pictures/${name}.png`);
  }
};

await buildConsole(console.log);
const found = await ensureChromium(console.log);
const server = await startServer({ DEMO: '1' });
const browser = await chromium.launch(found);
try {
  const [, url] = /ready after .*?(http:\S+)/.exec(server.said) ?? [];
  if (!url) throw new Error(`no address in:\n${server.said}`);
  await drawAll(browser, url);
} finally {
  await browser.close();
  await server.stop();
}
