import { existsSync } from 'node:fs';
import path from 'node:path';
import { type Browser, type BrowserContext, chromium, type Page } from '@playwright/test';
import type pg from 'pg';
import { inject } from 'vitest';
import { connect, connectPool, type Db } from '#database/connect.ts';
import { openSession } from '#server/core/session.ts';
import { findChromium, findShell } from '../chromium.ts';
import { freshDatabase } from '../database.ts';
import type { DemoAddresses } from '../demo-product.ts';
import { patienceMs, startPatienceMs } from '../patience.ts';
import { adminPassword, startServer } from '../server-process.ts';

export interface House {
  db: Db;
  pool: pg.Pool;
  url: string;
  mqttUrl: string;
  browser: Browser;
  adminPassword: string;
  /** The id of the administrator of the first start. */
  admin: number;
  /** A page of a signed-in user, with the given language and window. */
  pageOf(userId: number, options?: Partial<Look>): Promise<Page>;
  /** A page without a session. */
  stranger(language?: string): Promise<Page>;
  stop(): Promise<void>;
}

interface Look {
  language: string;
  width: number;
  height: number;
  dark: boolean;
  touch: boolean;
  /**
   * Whether the page may register the console's service worker. In a separate browser context it stores a copy
   * of the whole console, which takes longer than most tests; the console also works without it.
   */
  worker: boolean;
}
const usual: Look = {
  ...{ language: 'en-US', width: 1440, height: 900 },
  ...{ dark: false, touch: false, worker: false },
};
/** Makes the page behave as in a browser that refuses service workers. */
function refuseWorkers() {
  // An empty page has no service workers.
  if (!('ServiceWorkerContainer' in window)) return;
  ServiceWorkerContainer.prototype.register = () =>
    Promise.reject(new DOMException('no worker in this test', 'SecurityError'));
}

/** The addresses in the output of a product that became ready. */
const addressesIn = (said: string): { url: string; mqttUrl: string } => {
  const [, url] = /ready after .*?(http:\S+)/.exec(said) ?? [];
  const [, mqttPort] = /MQTT to port (\d+)/.exec(said) ?? [];
  if (!url || !mqttPort) throw new Error(`no addresses in:\n${said}`);
  return { url, mqttUrl: `mqtt://127.0.0.1:${mqttPort}` };
};

/** With E2E_SHOTS set, a screenshot of the final state of each page is stored there. */
const photograph = async (contexts: readonly BrowserContext[]) => {
  const folder = process.env['E2E_SHOTS'];
  if (!folder) return;
  for (const [index, page] of contexts.flatMap((context) => context.pages()).entries())
    await page.screenshot({ path: path.join(folder, `${index}.png`) });
};

/** The whole product as a separate process on a separate database, with a real browser. */
export const openHouse = async (
  environment: Record<string, string> = {},
  browserArguments: readonly string[] = [],
): Promise<House> => {
  const browser = await launch(browserArguments);
  const database = await freshDatabase();
  const server = await startServer({
    DATABASE_URL: database.url,
    DATABASE_APP_URL: database.appUrl,
    ...environment,
  }).catch(async (error) => {
    await browser.close();
    await database.drop();
    throw error;
  });
  return visit(browser, server.said, database.url, async () => {
    await server.stop();
    await database.drop();
  });
};

/**
 * The shared demo product, which other tests use at the same time: for tests that are independent of others.
 */
export const openDemoHouse = async (): Promise<House> => {
  const response = await fetch(inject('demoProductUrl'), { signal: AbortSignal.timeout(startPatienceMs) });
  if (!response.ok) throw new Error(await response.text());
  const { said, databaseUrl } = (await response.json()) as DemoAddresses;
  return visit(await launch(), said, databaseUrl, async () => {});
};

const builtConsole = path.resolve(import.meta.dirname, '../../dist/web/index.html');

const launch = async (more: readonly string[] = []): Promise<Browser> => {
  if (!existsSync(builtConsole)) throw new Error('There is no console to show: run `vite build web`.');
  const found = (await findShell()) ?? (await findChromium());
  if (!found) throw new Error('There is no Chromium: `npm test` installs one.');
  return chromium.launch({ ...found, args: [...found.args, ...more] });
};

const visit = async (
  browser: Browser,
  said: string,
  databaseUrl: string,
  leave: () => Promise<void>,
): Promise<House> => {
  const { url, mqttUrl } = addressesIn(said);
  const pool = connectPool(databaseUrl, 4);
  const db = connect(pool);
  const { id: admin } = await db
    .selectFrom('users')
    .select('id')
    .where('username', '=', 'admin')
    .executeTakeFirstOrThrow();
  const contexts: BrowserContext[] = [];
  const open = async ({ language, width, height, dark, touch, worker }: Look, token?: string) => {
    const context = await browser.newContext({
      viewport: { width, height },
      hasTouch: touch,
      locale: language,
      colorScheme: dark ? 'dark' : 'light',
      reducedMotion: 'reduce',
      timezoneId: 'Asia/Shanghai',
    });
    contexts.push(context);
    context.setDefaultTimeout(patienceMs);
    if (!worker) await context.addInitScript(refuseWorkers);
    const host = new URL(url).hostname;
    await context.addCookies([
      { name: 'language', value: language, domain: host, path: '/' },
      ...(token
        ? [
            {
              name: 'PHPSESSID',
              value: token,
              domain: host,
              path: '/',
              httpOnly: true,
              sameSite: 'Strict' as const,
            },
          ]
        : []),
    ]);
    return context.newPage();
  };
  return {
    db,
    pool,
    url,
    browser,
    adminPassword,
    admin,
    mqttUrl,
    async pageOf(userId, look = {}) {
      const { token } = await openSession(db, userId, Date.now(), { address: '127.0.0.1', agent: 'test' });
      return open({ ...usual, ...look }, token);
    },
    stranger: (language = usual.language) => open({ ...usual, language }),
    async stop() {
      await photograph(contexts);
      for (const context of contexts) await context.close();
      await browser.close();
      await db.destroy();
      await leave();
    },
  };
};
