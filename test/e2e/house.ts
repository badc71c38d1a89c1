import path from 'node:path';
import { type Browser, type BrowserContext, chromium, type Page } from '@playwright/test';
import type pg from 'pg';
import { inject } from 'vitest';
import { connect, connectPool, type Db } from '#database/connect.ts';
import { openSession } from '#server/core/session.ts';
import { findChromium } from '../chromium.ts';
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
  /** The id of the administrator, whom the first start makes. */
  admin: number;
  /** A page of a user who is signed in already, in their own language and window. */
  pageOf(
    userId: number,
    options?: { language?: string; width?: number; height?: number; dark?: boolean; touch?: boolean },
  ): Promise<Page>;
  /** A page of a stranger. */
  stranger(language?: string): Promise<Page>;
  stop(): Promise<void>;
}

/** The addresses among what a product prints until it is ready. */
const addressesIn = (said: string): { url: string; mqttUrl: string } => {
  const [, url] = /ready after .*?(http:\S+)/.exec(said) ?? [];
  const [, mqttPort] = /MQTT to port (\d+)/.exec(said) ?? [];
  if (!url || !mqttPort) throw new Error(`no addresses in:\n${said}`);
  return { url, mqttUrl: `mqtt://127.0.0.1:${mqttPort}` };
};

/** With E2E_SHOTS set, what each page shows in the end is kept there to be looked at. */
const photograph = async (contexts: readonly BrowserContext[]) => {
  const folder = process.env['E2E_SHOTS'];
  if (!folder) return;
  for (const [index, page] of contexts.flatMap((context) => context.pages()).entries())
    await page.screenshot({ path: path.join(folder, `${index}.png`) });
};

/** The whole product as a separate process on a separate database, and a real browser in front of it. */
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

/** The run's demo product, which other tests use at the same time: for tests that mind nothing that others do there. */
export const openDemoHouse = async (): Promise<House> => {
  const response = await fetch(inject('demoProductUrl'), { signal: AbortSignal.timeout(startPatienceMs) });
  if (!response.ok) throw new Error(await response.text());
  const { said, databaseUrl } = (await response.json()) as DemoAddresses;
  return visit(await launch(), said, databaseUrl, async () => {});
};

const launch = async (more: readonly string[] = []): Promise<Browser> => {
  const found = await findChromium();
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
  const open = async (
    { language, width, height, dark, touch }: Required<NonNullable<Parameters<House['pageOf']>[1]>>,
    token?: string,
  ) => {
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
    async pageOf(
      userId,
      { language = 'en-US', width = 1440, height = 900, dark = false, touch = false } = {},
    ) {
      const { token } = await openSession(db, userId, Date.now(), { address: '127.0.0.1', agent: 'test' });
      return open({ language, width, height, dark, touch }, token);
    },
    stranger: (language = 'en-US') => open({ language, width: 1440, height: 900, dark: false, touch: false }),
    async stop() {
      await photograph(contexts);
      for (const context of contexts) await context.close();
      await browser.close();
      await db.destroy();
      await leave();
    },
  };
};
