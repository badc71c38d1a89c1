import { readFileSync } from 'node:fs';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';

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
const door = ['index.html', 'features/door/words/ru-RU.ts'];
const inside = [...door, 'app/Console.tsx', 'app/words/ru-RU.ts'];
const chart = 'parts/chart/engine.ts';

/** Compressed kilobytes in the language with the longest words, from an empty cache to a working screen. */
const budgets: readonly [screen: string, budget: number, sources: readonly string[]][] = [
  ['sign-in', 150, door],
  ['alarm list', 450, [...inside, 'features/alarms/AlarmListPage.tsx']],
  ['device list', 440, [...inside, 'features/devices/DeviceListPage.tsx']],
  ['project list', 425, [...inside, 'features/projects/ProjectListPage.tsx']],
  ['overview', 600, [...inside, 'features/dashboard/DatascreenPage.tsx', chart]],
  ['device', 490, [...inside, 'app/pages/DevicePage.tsx']],
];

it.each(budgets)('%s arrives in at most %i kB', (_screen, budget, sources) => {
  expect(kilobytes(...sources)).toBeLessThanOrEqual(budget);
});
