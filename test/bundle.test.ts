import { readFileSync } from 'node:fs';
import path from 'node:path';
import { brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib';
import Fastify from 'fastify';
import { expect, it } from 'vitest';
import { serveConsole } from '#server/core/console.ts';
import { contentPolicyOf } from '#server/core/content-policy.ts';

interface Chunk {
  file: string;
  imports?: string[];
  css?: string[];
}
const built = path.resolve(import.meta.dirname, '../dist/web');
const manifest: Record<string, Chunk> = JSON.parse(
  readFileSync(path.join(built, '.vite/manifest.json'), 'utf8'),
);

/** Files that a source brings with it at once, styles too. */
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
/** Those of a device's page are one file. */
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

/** Files from an empty cache to a screen: with the calls and the page itself they are what a reader waits for. */
const mostFiles: readonly [screen: string, most: number, sources: readonly string[]][] = [
  ['sign-in', 5, door],
  ['alarm list', 16, [...inside, 'features/alarms/AlarmListPage.tsx', ...words('alarms')]],
  ['device list', 16, [...inside, 'features/devices/DeviceListPage.tsx', ...words('devices')]],
  ['project list', 18, [...inside, 'features/projects/ProjectListPage.tsx', ...words('projects')]],
  ['overview', 13, [...inside, 'features/dashboard/DatascreenPage.tsx', ...words('dashboard')]],
  ['users', 23, [...inside, 'features/users/UserListPage.tsx', ...words('users')]],
];

it.each(mostFiles)('%s arrives in at most %i files', (_screen, most, sources) => {
  expect(new Set(sources.flatMap((source) => [...filesOf(source)])).size).toBeLessThanOrEqual(most);
});

/** Compressed kilobytes in the language with the longest words, from an empty cache to a working screen. */
const budgets: readonly [screen: string, budget: number, sources: readonly string[]][] = [
  ['sign-in', 130, door],
  ['alarm list', 400, [...inside, 'features/alarms/AlarmListPage.tsx', ...words('alarms')]],
  ['device list', 400, [...inside, 'features/devices/DeviceListPage.tsx', ...words('devices')]],
  ['project list', 400, [...inside, 'features/projects/ProjectListPage.tsx', ...words('projects')]],
  ['overview', 340, [...inside, 'features/dashboard/DatascreenPage.tsx', ...words('dashboard')]],
  ['chart engine, after the overview stands', 230, ['parts/chart/engine.ts']],
  ['street map, only where tiles are configured', 440, ['parts/map/street-ground.ts']],
  [
    'device',
    460,
    [...inside, 'app/pages/DevicePage.tsx', ...words('access', 'devices', 'lines', 'one-key', 'tags')],
  ],
];

it.each(budgets)('%s arrives in at most %i kB', (_screen, budget, sources) => {
  expect(kilobytes(...sources)).toBeLessThanOrEqual(budget);
});

it('an installed console offers its places in the language of the browser, and each leads somewhere', async () => {
  const app = Fastify();
  await serveConsole(
    app,
    contentPolicyOf({ tileUrl: undefined, tileCrs: 'wgs84', tileAttribution: undefined, script: undefined }),
  );
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

it('assets are sent compressed', async () => {
  const app = Fastify();
  await serveConsole(
    app,
    contentPolicyOf({ tileUrl: undefined, tileCrs: 'wgs84', tileAttribution: undefined, script: undefined }),
  );
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
