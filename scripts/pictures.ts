import { writeFile } from 'node:fs/promises';
import * as path from 'node:path';
import { type Browser, chromium, type Page } from '@playwright/test';
import { ensureChromium } from '#test/chromium.ts';
import { adminPassword, startServer } from '#test/server-process.ts';
import { buildConsole, root } from './console.ts';

/** Pictures for README and docs: the demo estate as it looks after `npm start`. */
const pictures = [
  { name: 'overview', address: '/home/datascreen', width: 1440, height: 900, ready: 'canvas' },
  {
    name: 'alarms',
    address: '/home/alarmList?show=first',
    width: 1440,
    height: 900,
    ready: '.incident-foot .reset button',
  },
  {
    name: 'lines',
    address: '/home/configinfo/lines?project_id=1',
    width: 1440,
    height: 900,
    ready: '.long-row',
  },
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

/**
 * Waits until the simulated devices, which appear one by one, are all there, and the position of every line of
 * those online is known.
 */
const furnished = (page: Page) =>
  page.waitForFunction(
    async () => {
      const ask = async (path: string, body: object) => {
        const reply = await fetch(path, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify(body),
        });
        return (await reply.json()).data;
      };
      const { online_rate }: { online_rate: number } = await ask('/index/census', {});
      const { list }: { list: { lines_unknown: number }[] } = await ask('/Device/get_device_list', {
        status: 'online',
        limit: 200,
      });
      return online_rate > 0.9 && list.every(({ lines_unknown }) => lines_unknown === 0);
    },
    undefined,
    { polling: 1000 },
  );

/** The browser's own encoder: a third of the bytes of a PNG. */
const toWebp = async (page: Page, png: Buffer): Promise<Buffer> => {
  const webp = await page.evaluate(async (text) => {
    const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
    const bitmap = await createImageBitmap(new Blob([bytes], { type: 'image/png' }));
    const canvas = new OffscreenCanvas(bitmap.width, bitmap.height);
    canvas.getContext('2d')?.drawImage(bitmap, 0, 0);
    const blob = await canvas.convertToBlob({ type: 'image/webp', quality: 0.9 });
    const address = await new Promise<string>((resolve) => {
      const reader = new FileReader();
      reader.onload = () => resolve(reader.result as string);
      reader.readAsDataURL(blob);
    });
    return address.slice(address.indexOf(',') + 1);
  }, png.toString('base64'));
  return Buffer.from(webp, 'base64');
};

const drawAll = async (browser: Browser, url: string): Promise<void> => {
  const context = await browser.newContext({
    locale: 'en-US',
    colorScheme: 'light',
    reducedMotion: 'reduce',
    timezoneId: 'Asia/Shanghai',
  });
  context.setDefaultTimeout(patienceMs);
  await context.addCookies([{ name: 'language', value: 'en-US', domain: new URL(url).hostname, path: '/' }]);
  const [page, tool] = [await context.newPage(), await context.newPage()];
  await signIn(page, url);
  await furnished(page);
  for (const { name, address, width, height, ready } of pictures) {
    await page.setViewportSize({ width, height });
    await page.goto(url + address);
    await page.locator(ready).first().waitFor();
    await page.locator('[aria-busy="true"]').first().waitFor({ state: 'detached' });
    await page.locator('main .line-state.is-stale').first().waitFor({ state: 'detached' });
    // The overview counts unknown lines; those of the few offline devices stay unknown.
    await page.waitForFunction(
      () => !/\d{2,} unknown/.test(document.querySelector('main')?.textContent ?? ''),
    );
    const picture = await toWebp(tool, await page.screenshot());
    await writeFile(path.join(root, 'docs/pictures', `${name}.webp`), picture);
    console.log(`docs/pictures/${name}.webp: ${Math.round(picture.length / 1000)} kB`);
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
