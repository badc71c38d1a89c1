import { globSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

/** Everything outside of media queries for paper, which no browser calculates on a screen. */
const selectorsOf = (file: string): string[] =>
  [
    ...readFileSync(file, 'utf8')
      .replaceAll(/\/\*[\s\S]*?\*\//g, '')
      .split('@media print')[0]!
      .matchAll(/([^{};]+)\{/g),
  ].map(([, selector]) => selector!.trim());

const files = globSync('web/**/*.css');

it('has no selector for which browsers calculate a whole page again after each change in it', () => {
  expect(files.length).toBeGreaterThan(20);
  const found = files.flatMap((file) =>
    selectorsOf(file).filter((selector) =>
      /(?:^|[\s,])(?:\.shell[\w-]*|main|html)[^\s,]*:has\(/.test(selector),
    ),
  );
  expect(found).toEqual([]);
});
