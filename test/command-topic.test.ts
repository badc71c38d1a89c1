import { glob, readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';

const root = new URL('../', import.meta.url);
const sources = async () => {
  const files: { path: string; text: string }[] = [];
  for await (const path of glob('{server,web,contract,database,scripts,bench}/**/*.{ts,tsx}', {
    cwd: root.pathname,
  }))
    if (!/\.test\.tsx?$/.test(path) && !path.includes('node_modules'))
      files.push({ path, text: await readFile(new URL(path, root), 'utf8') });
  return files;
};
const holding = async (pattern: RegExp, ...allowed: RegExp[]) =>
  (await sources())
    .filter(({ path, text }) => pattern.test(text) && !allowed.some((place) => place.test(path)))
    .map(({ path }) => path);

test('only server/control publishes commands, and only server/link carries them to a device', async () => {
  expect(
    await holding(
      /publishCommand/,
      /^server\/control\//,
      /^server\/link\//,
      /^server\/core\/group\.ts$/,
      /^bench\/timers\.ts$/,
    ),
  ).toEqual([]);
});

test('only the link builds the name of a command topic', async () => {
  expect(
    await holding(
      /topicOf\([^)]*['"]cmd|\/cmd['"`]/,
      /^server\/link\//,
      /^contract\/telemetry\.ts$/,
      // The device of these tests, which only listens.
      /^server\/control\/control\.world\.ts$/,
    ),
  ).toEqual([]);
});

test('only the store of server/control writes commands', async () => {
  expect(
    await holding(
      /(insertInto|updateTable|deleteFrom|mergeInto)\(\s*['"]commands['"]|(insert into|update|delete from|copy) commands\b/i,
      /^server\/control\/control\.store\.ts$/,
      /^database\/seed\//,
    ),
  ).toEqual([]);
});

test('only the guard of server/control publishes configurations, for settings and timers alike', async () => {
  expect(
    await holding(
      /publishConfig/,
      /^server\/control\/config-message\.ts$/,
      /^server\/link\//,
      /^server\/core\/group\.ts$/,
    ),
  ).toEqual([]);
});
