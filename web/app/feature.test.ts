import { expect, test } from 'vitest';

const sources = import.meta.glob<string>('../**/*.{ts,tsx}', {
  eager: true,
  query: '?raw',
  import: 'default',
});
/** Sources by their path below web/, which is how this folder's imports are resolved. */
const files = new Map(
  Object.entries(sources).map(([path, text]) => [new URL(path, 'file:///app/').pathname, text]),
);
const resolve = (from: string, to: string) => new URL(to.replace(/^#web\//, '/'), `file://${from}`).pathname;

/** Namespaces of words that a source and its static imports may use. */
const namespacesOf = (path: string, seen = new Set<string>()): Set<string> => {
  const text = files.get(path);
  if (text === undefined || seen.has(path)) return new Set();
  seen.add(path);
  const own = [...text.matchAll(/useTranslation\('(\w+)'\)/g)].map(([, name]) => name!);
  const brought = [
    ...text.matchAll(/^(?:import|export) (?!type )[^;]*?from '((?:\.|#web\/)[^']+)'/gm),
  ].flatMap(([, to]) => [...namespacesOf(resolve(path, to!), seen)]);
  return new Set([...own, ...brought]);
};
const namespaceOf = (feature: string) =>
  feature.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
const everywhere = ['common', 'shell', 'messages', 'popups'];

const parts = [...files].flatMap(([from, text]) =>
  [
    ...text.matchAll(/(?:withWords\(\s*\[([^\]]*)\],\s*)?async \(\) => \(await import\('([^']+\.tsx)'\)\)/g),
  ].map(([, names, to]) => ({
    from,
    part: resolve(from, to!),
    features: [...(names ?? '').matchAll(/'([^']+)'/g)].map(([, name]) => name!),
  })),
);

test('a part of a screen that loads later brings its own texts', () => {
  expect(parts.length).toBeGreaterThan(25);
  for (const { from, part, features } of parts) {
    const feature = /^\/features\/([^/]+)\//.exec(from)?.[1];
    const had = [...everywhere, ...[...features, ...(feature ? [feature] : [])].map(namespaceOf)];
    const missing = [...namespacesOf(part)].filter((name) => !had.includes(name));
    expect({ from, part, missing }).toEqual({ from, part, missing: [] });
  }
});

test('the texts of the frame are loaded from the start', () => {
  for (const part of ['/app/Console.tsx', '/app/shell/extras.ts']) {
    const missing = [...namespacesOf(part)].filter((name) => !everywhere.includes(name));
    expect({ part, missing }).toEqual({ part, missing: [] });
  }
});
