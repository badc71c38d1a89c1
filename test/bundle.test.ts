import { existsSync, readFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { request } from 'node:http';
import path from 'node:path';
import { brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib';
import cookie from '@fastify/cookie';
import Fastify from 'fastify';
import { expect, it } from 'vitest';
import { readConfig } from '#server/core/config.ts';
import { serveConsole } from '#server/core/console.ts';
import { contentPolicyOf } from '#server/core/content-policy.ts';
import { screens } from '#web/app/screens.ts';
import { firstViews, manyParts, mostParts, tightViews } from '#web/first-views.ts';
import { facadeIn } from '../scripts/console-files.ts';

interface Chunk {
  file: string;
  imports?: string[];
  css?: string[];
}
const built = path.resolve(import.meta.dirname, '../dist/web');
const manifest: Record<string, Chunk> = JSON.parse(
  readFileSync(path.join(built, '.vite/manifest.json'), 'utf8'),
);

/** Files that a source loads immediately, including styles. */
const filesOf = (key: string, seen = new Set<string>()): Set<string> => {
  const chunk = manifest[key];
  if (!chunk) throw new Error(`${key} is not in the build`);
  if (seen.has(chunk.file)) return seen;
  seen.add(chunk.file);
  for (const style of chunk.css ?? []) seen.add(style);
  for (const each of chunk.imports ?? []) filesOf(each, seen);
  return seen;
};
const kilobytes = (...sources: string[]): number => {
  const files = new Set(sources.flatMap((source) => [...filesOf(source)]));
  const bytes = [...files].reduce(
    (sum, file) => sum + gzipSync(readFileSync(path.join(built, file))).length,
    0,
  );
  return Math.round(bytes / 1000);
};
/** The words of a device page are one file. */
const words = (...features: string[]) =>
  features.map((feature) => {
    const source = `features/${feature}/words/ru-RU.ts`;
    if (manifest[source]) return source;
    const joined = Object.keys(manifest).find((key) => key.startsWith('_words-device-ru-RU-'));
    if (joined === undefined) throw new Error(`${source} is not in the build`);
    return joined;
  });
const door = ['index.html', ...words('sign-in')];
const inside = ['index.html', 'app/Console.tsx', 'app/words/ru-RU.ts'];

/**
 * Maximum number of files from an empty cache to a screen; the reader also waits for the calls and the page
 * itself.
 */
const mostFiles: readonly [screen: string, most: number, sources: readonly string[]][] = [
  ['sign-in', 4, door],
  ['alarm list', 12, [...inside, 'features/alarms/AlarmListPage.tsx', ...words('alarms')]],
  ['device list', 12, [...inside, 'features/devices/DeviceListPage.tsx', ...words('devices')]],
  ['project list', 13, [...inside, 'features/projects/ProjectListPage.tsx', ...words('projects')]],
  ['overview', 10, [...inside, 'features/dashboard/DatascreenPage.tsx', ...words('dashboard')]],
  ['users', 16, [...inside, 'features/users/UserListPage.tsx', ...words('users')]],
];

it.each(mostFiles)('%s arrives in at most %i files', (_screen, most, sources) => {
  expect(new Set(sources.flatMap((source) => [...filesOf(source)])).size).toBeLessThanOrEqual(most);
});

/** A screen also requests the page itself, its words and at most six calls: 25 requests in total. */
const mostFilesOfView = 18;
it('each screen with the parts that it shows at once arrives in few files', () => {
  // A part that shares a file with others is not in the manifest: it loads with that file.
  const known = (source: string) => manifest[source] !== undefined;
  const many = [...firstViews, ...manyParts, ...mostParts, ...tightViews].flatMap((view) => {
    const sources = [...inside, 'app/shell/extras.ts', ...view.filter(known)];
    const files = new Set(sources.flatMap((source) => [...filesOf(source)]));
    return files.size > mostFilesOfView ? [`${view.join(' + ')}: ${files.size}`] : [];
  });
  expect(many).toEqual([]);
});
it('every file that another one requests exists', async () => {
  const files = await readdir(path.join(built, 'assets'));
  const missing: string[] = [];
  for (const file of files.filter((name) => name.endsWith('.js')))
    for (const [, asked = ''] of readFileSync(path.join(built, 'assets', file), 'utf8').matchAll(
      /["'`](?:\.\/|\/?assets\/)([\w.-]+\.(?:js|css))["'`]/g,
    ))
      if (!files.includes(asked)) missing.push(`${file} asks for ${asked}`);
  expect(missing).toEqual([]);
});

it('no file only re-exports from another one', async () => {
  const scripts = (await readdir(path.join(built, 'assets'))).filter((name) => name.endsWith('.js'));
  const facades = scripts.filter((name) => facadeIn(readFileSync(path.join(built, 'assets', name), 'utf8')));
  expect(facades).toEqual([]);
  const kept = readFileSync(path.join(built, 'sw.js'), 'utf8').matchAll(/"url":"(assets\/[^"]+)"/g);
  expect([...kept].filter(([, file]) => !existsSync(path.join(built, file!)))).toEqual([]);
});

/** Compressed kilobytes in the language with the longest words, from an empty cache to a working screen. */
const budgets: readonly [screen: string, budget: number, sources: readonly string[]][] = [
  ['sign-in', 130, door],
  [
    'overview with its charts and map',
    460,
    [
      ...inside,
      'features/dashboard/DatascreenPage.tsx',
      'parts/chart/CategoryChart.tsx',
      'parts/map/offline-ground.ts',
      ...words('dashboard'),
    ],
  ],
  ['chart engine, only where there is a chart over time', 230, ['parts/chart/engine.ts']],
  ['street map, only where tiles are configured', 440, ['parts/map/street-ground.ts']],
];
it.each(budgets)('%s arrives in at most %i kB', (_screen, budget, sources) => {
  expect(kilobytes(...sources)).toBeLessThanOrEqual(budget);
});

/** Maximum size of a page of the menu, kB; all lists keep it, and the exceptions are named below. */
const pageBudget = 400;
const otherBudgets: Readonly<Record<string, number>> = {
  DatascreenPage: 330,
  // The page shows everything about a device.
  DevicePage: 420,
  // Statistics with charts.
  EnergyPage: 430,
  AlarmQualityPage: 415,
  ProjectAnalysis: 415,
  // Pages that are a form themselves.
  AccessPage: 485,
  FeedbackPage: 470,
  WhatIfPage: 512,
  // The page draws the codes itself.
  PanelCodesPage: 410,
};
/** Every page, with its words. */
const menuPages = [...new Map(Object.values(screens).map((screen) => [screen.file, screen])).values()].map(
  ({ file, words: features }) => {
    const page = path.basename(file, '.tsx');
    return { page, budget: otherBudgets[page] ?? pageBudget, sources: [file, ...words(...features)] };
  },
);

it('each size that is allowed to a page is that of a page', () => {
  expect(menuPages.map(({ page }) => page)).toEqual(expect.arrayContaining(Object.keys(otherBudgets)));
});
it.each(menuPages)('$page arrives in at most $budget kB', ({ budget, sources }) => {
  expect(kilobytes(...inside, ...sources)).toBeLessThanOrEqual(budget);
});

it('the offline copy is bounded, and holds the console of each language', () => {
  const worker = readFileSync(path.join(built, 'sw.js'), 'utf8');
  const files = [...new Set([...worker.matchAll(/assets\/[\w.-]+\.(?:js|css)/g)].map(([file]) => file))];
  const others = /\/(?:words-device-)?(?:zh-CN|en-US)-/;
  const kept = files.filter((file) => !others.test(file));
  for (const source of [...inside, 'features/alarms/AlarmListPage.tsx', 'app/pages/LineListPage.tsx'])
    for (const file of filesOf(source)) expect(kept).toContain(file);
  const bytes = kept.map((file) => gzipSync(readFileSync(path.join(built, file))).length);
  expect(bytes.reduce((sum, each) => sum + each, 0) / 1000).toBeLessThanOrEqual(1400);
});

it('an installed console offers shortcuts in the language of the browser, and each leads to a page', async () => {
  const app = Fastify();
  await serveConsole(app, async () => contentPolicyOf(readConfig({}).map));
  for (const [language, alarms] of [
    ['en-GB,en;q=0.9', 'Alarms'],
    ['ru', 'Сигналы'],
    ['zh-CN', '报警'],
  ]) {
    const { json, headers } = await app.inject({
      url: '/manifest.webmanifest',
      headers: { 'accept-language': language },
    });
    expect(headers['content-type']).toContain('application/manifest+json');
    const { shortcuts, icons } = json<{ shortcuts: { name: string; url: string }[]; icons: unknown[] }>();
    expect(icons.length).toBeGreaterThan(0);
    expect(shortcuts[0]).toMatchObject({ name: alarms, url: '/home/alarmList' });
    for (const { url } of shortcuts) expect((await app.inject(url)).statusCode).toBe(200);
  }
  await app.close();
});

it('the page of an address asks for all files of its screen, in the language of the reader, and for no other screen', async () => {
  const app = Fastify();
  await app.register(cookie);
  await serveConsole(app, async () => contentPolicyOf(readConfig({}).map));
  const asked = async (url: string, language: string): Promise<Set<string>> => {
    const { body } = await app.inject({
      url,
      headers: { 'accept-language': 'en', cookie: `language=${language}` },
    });
    return new Set([...body.matchAll(/ (?:src|href)="\/(assets\/[^"]+)"/g)].map(([, file]) => file!));
  };
  // The styles of the sign-in page are in the page itself.
  const needed = (...sources: string[]) => new Set(sources.flatMap((source) => [...filesOf(source)]));
  for (const [address, { file, words: features }] of Object.entries(screens)) {
    const frame = address.startsWith('configinfo/') ? ['app/pages/ProjectFrame.tsx'] : [];
    expect([...(await asked(`/home/${address}?page=2`, 'ru-RU'))].sort(), address).toEqual(
      [...needed(...inside, ...frame, file, ...words(...features))].sort(),
    );
  }
  expect([...(await asked('/home', 'ru-RU'))].sort()).toEqual([...needed(...inside)].sort());
  expect(await asked('/home/news', 'zh-CN')).toContain(manifest['app/words/zh-CN.ts']?.file);
  expect([...(await asked('/', 'ru-RU'))].sort()).toEqual([...needed('index.html')].sort());
  await app.close();
});

it('an unknown address shows the console to a reader, and gives the fault to a program', async () => {
  const app = Fastify();
  await serveConsole(app, async () => contentPolicyOf(readConfig({}).map));
  const asked = (accept: string) => app.inject({ url: '/nowhere/else', headers: { accept } });
  const page = await asked('text/html,*/*;q=0.8');
  expect(page.statusCode).toBe(404);
  expect(page.headers['content-type']).toContain('text/html');
  expect(page.headers['content-security-policy']).toContain('nonce-');
  const fault = await asked('*/*');
  expect(fault.statusCode).toBe(404);
  expect(fault.headers['content-type']).toContain('application/json');
  await app.close();
});

it.each([
  '//',
  '//[',
  '//a:b',
  '/\\',
  '/nowhere/..//',
  '/home/__proto__',
  '/home/constructor',
  '/home/toString',
])('the address %s, which is no address of a page, shows the console to a reader', async (url) => {
  const app = Fastify();
  await serveConsole(app, async () => contentPolicyOf(readConfig({}).map));
  const { port } = new URL(await app.listen({ port: 0, host: '127.0.0.1' }));
  // As it is: what parses an address first would change it.
  const [status, type] = await new Promise<[number | undefined, string | undefined]>((resolve, reject) => {
    request({ host: '127.0.0.1', port, path: url, headers: { accept: 'text/html' } }, (answer) => {
      answer.resume();
      resolve([answer.statusCode, answer.headers['content-type']]);
    })
      .on('error', reject)
      .end();
  });
  expect([status, type]).toEqual([url.startsWith('/home/') ? 200 : 404, 'text/html; charset=utf-8']);
  await app.close();
});

it('the code of every screen is compiled while it is downloaded, not while the screen is drawn', () => {
  const scripts = [...filesOf('app/Console.tsx')].filter((file) => file.endsWith('.js'));
  const codes = scripts.map((file) => readFileSync(path.join(built, file), 'utf8'));
  const large = codes.filter((code) => code.length > 100_000);
  expect(large.length).toBeGreaterThan(0);
  const engine = readFileSync(path.join(built, manifest['parts/chart/engine.ts']!.file), 'utf8');
  for (const code of [...large, engine])
    expect(code.slice(0, 60)).toMatch(/^\/\/# allFunctionsCalledOnLoad\n/);
});

it('assets are sent compressed', async () => {
  const app = Fastify();
  await serveConsole(app, async () => contentPolicyOf(readConfig({}).map));
  const url = `/${manifest['app/Console.tsx']?.file}`;
  const plain = await app.inject({ url });
  for (const [encoding, decompress] of [
    ['br', brotliDecompressSync],
    ['gzip', gunzipSync],
  ] as const) {
    const reply = await app.inject({ url, headers: { 'accept-encoding': encoding } });
    expect(reply.headers['content-encoding']).toBe(encoding);
    expect(reply.headers['content-type']).toBe(plain.headers['content-type']);
    expect(reply.headers['cache-control']).toContain('immutable');
    expect(decompress(reply.rawPayload).toString()).toBe(plain.body);
  }
  await app.close();
});
