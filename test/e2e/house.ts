import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type Browser, type BrowserContext, chromium, type Page } from '@playwright/test';
import { connect, connectPool, type Db } from '#database/connect.ts';
import { openSession } from '#server/core/session.ts';
import { findChromium } from '../chromium.ts';
import { freshDatabase } from '../database.ts';
import { patienceMs, startPatienceMs } from '../patience.ts';

export interface House {
  db: Db;
  url: string;
  mqttUrl: string;
  browser: Browser;
  adminPassword: string;
  /** A page of a user who is signed in already, in their own language and window. */
  pageOf(
    userId: number,
    options?: { language?: string; width?: number; height?: number; dark?: boolean },
  ): Promise<Page>;
  /** A page of a stranger. */
  stranger(language?: string): Promise<Page>;
  stop(): Promise<void>;
}

const adminPassword = 'house12345';

const readyUrls = (server: ChildProcess): Promise<{ url: string; mqttPort: string }> =>
  new Promise((resolve, reject) => {
    let said = '';
    const late = setTimeout(() => reject(new Error(`the server was not ready:\n${said}`)), startPatienceMs);
    server.stdout?.on('data', (chunk: Buffer) => {
      said += chunk.toString();
      const url = /ready after .*?(http:\S+)/.exec(said)?.[1];
      const mqttPort = /MQTT to port (\d+)/.exec(said)?.[1];
      if (!url || !mqttPort) return;
      clearTimeout(late);
      resolve({ url, mqttPort });
    });
    server.stderr?.on('data', (chunk: Buffer) => {
      said += chunk.toString();
    });
    server.on('exit', (code) => reject(new Error(`the server ended with ${code}:\n${said}`)));
  });

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
  const found = await findChromium();
  if (!found) throw new Error('There is no Chromium: `npm test` installs one.');
  const database = await freshDatabase();
  const dataDir = await mkdtemp(path.join(tmpdir(), 'ampwatch-house-'));
  const server = spawn(process.execPath, ['scripts/start.ts', '--without-console'], {
    env: {
      ...process.env,
      NODE_ENV: 'production',
      LOG_LEVEL: 'warn',
      DATA_DIR: dataDir,
      DATABASE_URL: database.url,
      DATABASE_APP_URL: database.appUrl,
      PORT: '0',
      MQTT_PORT: '0',
      DEMO: '0',
      CAPTCHA: 'off',
      ADMIN_PASSWORD: adminPassword,
      ...environment,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const { url, mqttPort } = await readyUrls(server).catch(async (error) => {
    server.kill('SIGKILL');
    await database.drop();
    throw error;
  });
  const pool = connectPool(database.url, 4);
  const db = connect(pool);
  const browser = await chromium.launch({ ...found, args: [...found.args, ...browserArguments] });
  const contexts: BrowserContext[] = [];
  const open = async (language: string, width: number, height: number, dark: boolean, token?: string) => {
    const context = await browser.newContext({
      viewport: { width, height },
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
    url,
    browser,
    adminPassword,
    mqttUrl: `mqtt://127.0.0.1:${mqttPort}`,
    async pageOf(userId, { language = 'en-US', width = 1440, height = 900, dark = false } = {}) {
      const { token } = await openSession(db, userId, Date.now(), { address: '127.0.0.1', agent: 'test' });
      return open(language, width, height, dark, token);
    },
    stranger: (language = 'en-US') => open(language, 1440, 900, false),
    async stop() {
      await photograph(contexts);
      for (const context of contexts) await context.close();
      await browser.close();
      await db.destroy();
      const ended = new Promise((resolve) => server.once('exit', resolve));
      server.kill('SIGTERM');
      await ended;
      await database.drop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
};
