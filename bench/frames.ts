import { chromium, type Page } from '@playwright/test';
import { sql } from 'kysely';
import { connect, connectPool, type Db } from '#database/connect.ts';
import { openSession } from '#server/core/session.ts';
import { findChromium } from '#test/chromium.ts';
import { makeDevices, makeProject } from '#test/factories.ts';
import { buildConsole } from '../scripts/console.ts';
import type { Figure } from './figure.ts';
import { startProduct } from './product-bench.ts';
import { take, watch } from './storm-page.ts';

const points = 100_000;
const gestures = 150;
const tableLines = 1000;
const percentile = (times: readonly number[], share: number): number =>
  [...times].sort((a, b) => a - b)[Math.ceil(share * times.length) - 1] ?? Number.NaN;

/** Number of points that the chart of readings gets, whatever range it requests. */
const fillWithPoints = (page: Page) =>
  page.route('**/device_line/get_series', async (route) => {
    const asked = route.request().postDataJSON() as { from: string; to: string; channels: string[] };
    const [from, to] = [Date.parse(asked.from), Date.parse(asked.to)];
    const at = Array.from({ length: points }, (_, index) =>
      Math.round(from + ((to - from) * index) / points),
    );
    const values = Object.fromEntries(
      asked.channels.map((channel, place) => [
        channel,
        at.map((_, index) => 900 + 100 * place + 300 * Math.sin(index / 700) + ((index * 7919) % 101)),
      ]),
    );
    await route.fulfill({
      json: {
        ...{ code: 200, msg: '' },
        data: {
          resolution: 'raw',
          step_s: Math.max(1, Math.round((to - from) / points / 1000)),
          channels: asked.channels,
          ...{ at, values, estimated: [], kept_from: null },
        },
      },
    });
  });

/**
 * Frame times of the page while the wheel turns or the pointer drags: one movement per frame, as a mouse sends
 * them.
 */
const framesWhile = async (page: Page, act: (step: number) => Promise<void>): Promise<number[]> => {
  await take(page);
  for (let step = 0; step < gestures; step += 1) await act(step);
  return (await take(page)).frames;
};

/** A project of 1,000 lines with a value each. Returns its id. */
const furnish = async (db: Db): Promise<number> => {
  const { id } = await makeProject(db);
  await makeDevices(db, tableLines, id);
  await sql`
    insert into line_latest (line_id, at, received_at, boot, seq, position, position_at, energy, channels)
    select l.id, now(), now(), 1, 1, 1, now(), 12, array[230, l.id % 40, 1200, 1, 12, 25, 26, 0, 0, 0, 50, 0, 0, 0]::real[]
    from lines l join devices d on d.id = l.device_id where d.project_id = ${id} and l.n > 0`.execute(db);
  return id;
};
/** Frames while the wheel scrolls the table of these lines down and up again. */
const scrollLines = async (page: Page, url: string, project: number): Promise<number[]> => {
  await page.goto(`${url}/home/configinfo/lines?project_id=${project}`);
  const row = page.locator('.long-grid tbody tr').nth(5);
  await row.waitFor();
  const box = (await row.boundingBox())!;
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  await watch(page);
  return framesWhile(page, (step) => page.mouse.wheel(0, step < gestures / 2 ? 240 : -240));
};

/**
 * Zoom by wheel and pan by hand over a chart of 100,000 points, and a scrolled table of 1,000 lines, in Chromium on
 * the same machine.
 */
export const run = async (): Promise<Figure[]> => {
  const found = await findChromium();
  if (!found) throw new Error('There is no Chromium: `npm test` installs one.');
  await buildConsole(console.log);
  const product = await startProduct({ DEMO: '1' });
  const pool = connectPool(product.databaseUrl, 2);
  const db = connect(pool);
  const browser = await chromium.launch(found);
  try {
    const { rows } = await pool.query<{ admin: number; device: number }>(
      `select (select id from users where username = 'admin') as admin, (select min(id) from devices where type = 3) as device`,
    );
    const { admin, device } = rows[0]!;
    const { token } = await openSession(db, admin, Date.now(), { address: '', agent: 'bench' });
    const context = await browser.newContext({
      viewport: { width: 1440, height: 900 },
      locale: 'en-US',
      reducedMotion: 'reduce',
    });
    await context.addCookies([{ name: 'PHPSESSID', value: token, url: product.url }]);
    const page = await context.newPage();
    await fillWithPoints(page);
    await page.goto(`${product.url}/home/devicedetails?device_id=${device}&tab=readings&hours=24&q=P`);
    const canvas = page.locator('.chart-canvas canvas').first();
    await canvas.waitFor();
    const box = (await canvas.boundingBox())!;
    const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
    await page.mouse.move(x, y);
    await watch(page);
    const still = await framesWhile(page, () =>
      page.evaluate(() => new Promise<void>((done) => requestAnimationFrame(() => done()))),
    );
    await page.keyboard.down('Alt');
    // The wheel zooms in and out again, so that the range ends where it began.
    const zoomed = await framesWhile(page, (step) => page.mouse.wheel(0, step % 20 < 10 ? -100 : 100));
    await page.keyboard.up('Alt');
    await page.keyboard.down('Shift');
    await page.mouse.down();
    const dragged = await framesWhile(page, (step) => page.mouse.move(x + 200 * Math.sin(step / 12), y));
    await page.mouse.up();
    await page.keyboard.up('Shift');
    await page.unrouteAll({ behavior: 'ignoreErrors' });
    const scrolled = await scrollLines(page, product.url, await furnish(db));
    const anchor = `at rest ${percentile(still, 0.95).toFixed(1)} ms`;
    const shared = { unit: 'ms', goal: '≤ 16.7 ms (60 a second)', anchor };
    return [
      {
        name: `zoom over ${points.toLocaleString('en')} points, frames p95`,
        figure: percentile(zoomed, 0.95),
        ...shared,
      },
      { name: '… pan by hand, frames p95', figure: percentile(dragged, 0.95), ...shared },
      {
        name: `scroll of ${tableLines.toLocaleString('en')} lines in a table, frames p95`,
        figure: percentile(scrolled, 0.95),
        ...shared,
      },
    ];
  } finally {
    await browser.close();
    await db.destroy();
    await product.stop();
  }
};
