import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { readConfig } from '#server/core/config.ts';
import { withDrawing } from '../scripts/drawing.ts';

const root = path.resolve(import.meta.dirname, '..');
const read = (file: string) => readFileSync(path.join(root, file), 'utf8');
const skipped = new Set(['node_modules', 'data', 'test-results', '.git', 'dist']);
const listed = (folder: string): string[] =>
  readdirSync(path.join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    if (skipped.has(entry.name)) return [];
    const name = folder === '.' ? entry.name : `${folder}/${entry.name}`;
    return entry.isDirectory() ? [name, ...listed(name)] : [name];
  });
const tree = listed('.');
const documents = tree.filter((file) => file.endsWith('.md'));
const sources = tree.filter((file) => /\.(ts|tsx|mjs|sql)$/.test(file));

/** `server/link/*.test.ts`, `<Name>Page.tsx`: a star or angle brackets match any name. */
const patternOf = (text: string) =>
  new RegExp(
    `^${text
      .split(/\*\*?|<[^>]+>/)
      .map((part) => part.replace(/[.+?^${}()|[\]\\]/g, '\\$&'))
      .join('.*')}$`,
  );
const folders = new Set(tree.map((file) => file.split('/')[0]));

describe('the documents', () => {
  it('the documents name only files and folders that exist', () => {
    const missing = documents.flatMap((document) =>
      [...read(document).matchAll(/`([\w.@<>*{}/-]+)`/g)]
        .map(([, text]) => text!.replace(/\/$/, ''))
        .filter((text) => text.includes('/') && folders.has(text.split('/')[0]))
        .filter((text) => !text.includes('NNNN') && !text.includes('postgres.location'))
        .filter((text) => !tree.some((file) => patternOf(text).test(file)))
        .map((text) => `${document}: ${text}`),
    );
    expect(missing).toEqual([]);
  });

  it('documents name only existing source files, with or without their folder', () => {
    const missing = documents.flatMap((document) =>
      [...read(document).matchAll(/`([\w./-]+\.(?:ts|tsx|mjs|sql))`/g)]
        .map(([, name]) => name!)
        .filter((name) => !name.includes('NNNN') && !tree.some((file) => `/${file}`.endsWith(`/${name}`)))
        .map((name) => `${document}: ${name}`),
    );
    expect(missing).toEqual([]);
  });

  const decisions = tree.filter((file) => /^docs\/decisions\/\d{4}-/.test(file));
  const numberOf = (file: string) => path.basename(file).slice(0, 4);

  it('each decision has its own number', () => {
    const numbers = decisions.map(numberOf);
    expect(numbers.filter((number, index) => numbers.indexOf(number) !== index)).toEqual([]);
  });

  it('the index of decisions names each decision once, with its title', () => {
    const indexed = [
      ...read('docs/decisions/README.md').matchAll(/^- \[(\d{4})\]\((\S+)\) \*\*(.+)\.\*\* \S/gm),
    ].map(([, number, file, title]) => `${number} ${file} ${title}`);
    const written = decisions.map(
      (file) => `${numberOf(file)} ${path.basename(file)} ${/^# (.+)$/m.exec(read(file))?.[1]}`,
    );
    expect(indexed.toSorted()).toEqual(written.toSorted());
  });

  it('documents and sources refer only to decisions that exist', () => {
    const numbers = new Set(decisions.map(numberOf));
    const referring = [...documents, ...sources].flatMap((file) =>
      [...read(file).matchAll(/\bdecisions?\s((?:(?:,| and| or| to)?\s?\d{4}\b)+)/gi)].flatMap(([, list]) =>
        [...list!.matchAll(/\d{4}/g)].map(([number]) => ({ file, number })),
      ),
    );
    expect(referring.length).toBeGreaterThan(50);
    expect(referring.filter(({ number }) => !numbers.has(number))).toEqual([]);
  });

  it('the documents list every dependency', () => {
    const { dependencies, devDependencies } = JSON.parse(read('package.json')) as Record<
      'dependencies' | 'devDependencies',
      Record<string, string>
    >;
    const named = read('docs/decisions/0004-dependencies.md');
    const missing = Object.keys({ ...dependencies, ...devDependencies }).filter(
      (name) => !name.startsWith('@types/') && !named.includes(name),
    );
    expect(missing).toEqual([]);
  });

  it('the documents contain the up-to-date drawing of the imports', () => {
    const document = read('docs/ARCHITECTURE.md');
    expect(document, 'run: npm run draw').toBe(withDrawing(document));
  });

  it('the documents link only to existing pages', () => {
    const broken = documents.flatMap((document) =>
      [...read(document).matchAll(/\]\((?!https?:|#|mailto:)([^)#\s]+)[^)]*\)/g)]
        .map(([, target]) => path.posix.normalize(path.posix.join(path.posix.dirname(document), target!)))
        .filter((target) => !tree.includes(target.replace(/\/$/, '')))
        .map((target) => `${document} → ${target}`),
    );
    expect(broken).toEqual([]);
  });

  it('the documents promise only what a test checks', () => {
    const promised = [...read('docs/PROOF.md').matchAll(/`([^`]+\.test\.tsx?)`: "([^"]+)"/g)];
    expect(promised.length).toBeGreaterThan(50);
    const missing = promised
      .filter(([, file, title]) => !tree.includes(file!) || !read(file!).includes(title!))
      .map(([, file, title]) => `${file}: ${title}`);
    expect(missing).toEqual([]);
  });
});

describe('the configuration', () => {
  const variables = [...read('server/core/config.ts').matchAll(/^ {2}([A-Z][A-Z_]+): variable\(/gm)].map(
    ([, name]) => name!,
  );

  it('the configuration is explained, variable by variable', () => {
    expect(variables.length).toBeGreaterThan(10);
    const explained = read('docs/OPERATING.md');
    expect(variables.filter((name) => !explained.includes(`\`${name}\``))).toEqual([]);
  });

  it('the configuration has no variable that nothing reads', () => {
    const used = sources
      .filter((file) => /^(server|scripts|demo)\//.test(file) && !/config(\.test)?\.ts$/.test(file))
      .map(read)
      .join('\n');
    const leaves = Object.entries(readConfig({})).flatMap(([name, value]) =>
      name === 'map' ? Object.keys(value as object) : [name],
    );
    // These variables are only used together with street tiles.
    const awaited = ['tileCrs', 'tileAttribution'];
    expect(
      leaves.filter((name) => !awaited.includes(name) && !new RegExp(`\\b${name}\\b`).test(used)),
    ).toEqual([]);
  });

  it('the configuration is read in one place', () => {
    const readers = sources.filter(
      (file) =>
        /^(server|database|simulator)\//.test(file) &&
        !/\.(test|world)\.ts$/.test(file) &&
        /process\.env\[/.test(read(file)),
    );
    // Finds PostgreSQL's helper programs.
    expect(readers).toEqual(['database/embedded-place.ts']);
  });
});
