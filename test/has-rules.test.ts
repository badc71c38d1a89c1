import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

const root = path.resolve(import.meta.dirname, '..');
const inBrackets = /\([^()]*\)/g;
/** Without what stands in brackets, however deep. */
const plain = (selector: string): string => {
  const shorter = selector.replace(inBrackets, '');
  return shorter === selector ? selector : plain(shorter);
};
/** A last part without a name makes browsers restyle all of the page for each new element (decision 0544). */
const isDear = (selector: string): boolean => {
  const last = plain(selector)
    .trim()
    .split(/[\s>+~]+/)
    .at(-1);
  return !/^[a-z.#]/.test(last ?? '');
};

test('a rule with :has ends in a part that has a name', () => {
  expect(isDear('body:has(.one) *')).toBe(true);
  expect(isDear('.one:has(.two, .three) .four > :first-child')).toBe(true);
  const dear = globSync('web/**/*.css', { cwd: root }).flatMap((file) =>
    readFileSync(path.join(root, file), 'utf8')
      .replaceAll(/\/\*[\s\S]*?\*\//g, '')
      .split('\n')
      .filter((line) => line.includes(':has(') && isDear(line.replace(/[{,]\s*$/, '')))
      .map((line) => `${file}: ${line.trim()}`),
  );
  expect(dear).toEqual([]);
});

/** The frame surrounds every screen: browsers would look at it again after each change in any of them. */
const ofFrame = /(?:^|[\s,])(?:\.shell[\w-]*|main|html)[^\s,]*:has\(/;

test('no rule asks what the frame of the console contains', () => {
  expect(ofFrame.test('.shell-page:not(:has(.queue))')).toBe(true);
  const asking = globSync('web/**/*.css', { cwd: root }).flatMap((file) =>
    readFileSync(path.join(root, file), 'utf8')
      .split('\n')
      .filter((line) => ofFrame.test(line))
      .map((line) => `${file}: ${line.trim()}`),
  );
  expect(asking).toEqual([]);
});
