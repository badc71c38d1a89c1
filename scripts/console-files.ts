import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import * as path from 'node:path';
import type { FirstFiles } from '#contract/first-files.ts';
import { type Language, languages } from '#contract/languages.ts';
import type { Screen } from '#web/app/screens.ts';

/** A facade: a file that only re-exports from another one, `export{t as InfoTab}from"./shared-88.js";`. */
const facadeForm = /^export\{([^}]+)\}from["'`]\.\/([^"'`]+)["'`];?\s*$/;
/** The link to the styles of the sign-in page in the built page. */
const doorStyles = /<link rel="stylesheet"[^>]* href="\/(assets\/index-[\w-]+\.css)"([^>]*)>/;

interface Facade {
  /** The file whose exports it passes on. */
  target: string;
  /** Source of a function that renames the exports of `target` to those of the facade. */
  rename: string;
}
interface ManifestChunk {
  file: string;
  imports?: string[];
  css?: string[];
}

export const facadeIn = (code: string): Facade | null => {
  const [, names, target] = facadeForm.exec(code) ?? [];
  if (names === undefined || target === undefined) return null;
  const fields = names.split(',').map((pair) => {
    const [inside, outside = inside] = pair.trim().split(' as ');
    return `${outside}:e.${inside}`;
  });
  return { target, rename: `e=>({${fields.join(',')}})` };
};

/**
 * The code of the file `name` with direct imports instead of facades; `facades` lists them by file name. A
 * facade that is imported for its names stays.
 */
const withoutFacades = (name: string, code: string, facades: ReadonlyMap<string, Facade>): string =>
  code
    // Imports without names, which only run the file; their order stays.
    .replace(/import(["'`])\.\/([^"'`]+)\1;?/g, (whole, quote: string, asked: string) => {
      const found = facades.get(asked);
      if (!found) return whole;
      return found.target === name ? '' : `import${quote}./${found.target}${quote};`;
    })
    .replace(/import\((["'`])\.\/([^"'`]+)\1\)/g, (whole, _quote, name: string) => {
      const found = facades.get(name);
      return found ? `import(\`./${found.target}\`).then(${found.rename})` : whole;
    })
    // Files that the browser fetches along with this one.
    .replace(/(["'`])assets\/([^"'`]+)\1/g, (whole, quote: string, name: string) => {
      const found = facades.get(name);
      return found ? `${quote}assets/${found.target}${quote}` : whole;
    });

const changeManifest = async (
  folder: string,
  change: (chunks: ManifestChunk[], manifest: Record<string, ManifestChunk>) => void,
): Promise<void> => {
  const file = path.join(folder, '.vite/manifest.json');
  const manifest: Record<string, ManifestChunk> = JSON.parse(await readFile(file, 'utf8'));
  change(Object.values(manifest), manifest);
  await writeFile(file, JSON.stringify(manifest, null, 2));
};

/** Deletes files of the build, and takes them out of the list that the service worker keeps. */
const removeFiles = async (folder: string, files: ReadonlySet<string>): Promise<void> => {
  for (const file of files) await rm(path.join(folder, file));
  const worker = path.join(folder, 'sw.js');
  const code = await readFile(worker, 'utf8');
  await writeFile(
    worker,
    code.replace(/\{[^{}]*"url":"(assets\/[^"]+)"[^{}]*\},?/g, (entry, file: string) =>
      files.has(file) ? '' : entry,
    ),
  );
};

/**
 * If a part shares a file with others, the bundler adds a facade for it: one more request for 50 bytes, nine on
 * a device's page. This makes importers request the real file.
 */
export const dropFacades = async (folder: string): Promise<void> => {
  const assets = path.join(folder, 'assets');
  const names = (await readdir(assets)).filter((name) => name.endsWith('.js'));
  const codes = new Map<string, string>();
  const facades = new Map<string, Facade>();
  for (const name of names) {
    const code = await readFile(path.join(assets, name), 'utf8');
    const facade = facadeIn(code);
    if (facade) facades.set(name, facade);
    else codes.set(name, code);
  }
  // A facade that leads to another facade stays as it is.
  for (const [name, { target }] of [...facades])
    if (facades.has(target)) {
      facades.delete(name);
      codes.set(name, await readFile(path.join(assets, name), 'utf8'));
    }
  const asked = new Set<string>();
  for (const [name, code] of codes) {
    const changed = withoutFacades(name, code, facades);
    if (changed !== code) await writeFile(path.join(assets, name), changed);
    for (const [, file] of changed.matchAll(/["'`](?:\.\/|assets\/)([^"'`]+\.js)["'`]/g)) asked.add(file!);
  }
  for (const name of asked) facades.delete(name);
  await changeManifest(folder, (chunks) => {
    const byFile = new Map(chunks.map((chunk) => [chunk.file, chunk]));
    for (const chunk of chunks) {
      const target = facades.get(path.basename(chunk.file))?.target;
      const real = target === undefined ? undefined : byFile.get(`assets/${target}`);
      if (real) Object.assign(chunk, { file: real.file, imports: real.imports ?? [], css: real.css ?? [] });
    }
  });
  await removeFiles(folder, new Set([...facades.keys()].map((name) => `assets/${name}`)));
};

const runtimeImport = /import\{([^}]+)\}from["'`]\.\/(rolldown-runtime-[\w-]+\.js)["'`];?/;

/**
 * The bundler puts its helpers (400 bytes) into a separate file, which costs every screen a request. This moves
 * them into the first file of the page; a file that loads without it, such as the chart engine, gets a copy.
 */
export const foldRuntime = async (folder: string): Promise<void> => {
  const assets = path.join(folder, 'assets');
  const names = (await readdir(assets)).filter((name) => name.endsWith('.js'));
  const codes = new Map<string, string>();
  for (const name of names) codes.set(name, await readFile(path.join(assets, name), 'utf8'));
  const runtime = names.find((name) => name.startsWith('rolldown-runtime-'));
  const [, body, exported] =
    /^([\s\S]*?);?export\{([^}]+)\};?\s*$/.exec(codes.get(runtime ?? '') ?? '') ?? [];
  if (runtime === undefined || body === undefined || exported === undefined)
    throw new Error('the helpers of the bundler have another form');
  codes.delete(runtime);
  const importsOf = (name: string) =>
    [...(codes.get(name) ?? '').matchAll(/(?:from|import)["'`]\.\/([^"'`]+\.js)["'`]/g)].map(
      ([, file]) => file!,
    );
  const reaches = (from: string, to: string, seen = new Set([from])): boolean =>
    importsOf(from).some((name) => {
      if (name === to) return true;
      if (seen.has(name)) return false;
      seen.add(name);
      return reaches(name, to, seen);
    });
  const page = await readFile(path.join(folder, 'index.html'), 'utf8');
  // The first file of the page that imports nothing but the helpers.
  const host = [...page.matchAll(/assets\/([\w.-]+\.js)/g)]
    .map(([, name]) => name!)
    .find((name) => importsOf(name).join() === runtime);
  if (host === undefined) throw new Error('each file of the page needs another one');
  const fields = exported.split(',').map((pair) => {
    const [inside, outside = inside] = pair.trim().split(' as ');
    return `${outside}:${inside}`;
  });
  const own = `const $helpers=(()=>{${body};return{${fields.join(',')}}})();`;
  const taken = (wanted: string) => `const{${wanted.replaceAll(' as ', ':')}}=$helpers;`;
  for (const [name, code] of codes) {
    const [whole, wanted] = runtimeImport.exec(code) ?? [];
    const isHost = name === host;
    const isApart = !isHost && !reaches(name, host);
    const from = isHost || isApart ? own : `import{$helpers}from"./${host}";`;
    const here = from + (isHost ? 'export{$helpers};' : '') + taken(wanted ?? '');
    const changed: string = (whole === undefined ? code : code.replace(whole, () => here))
      .replaceAll(`import"./${runtime}";`, '')
      .replaceAll(`assets/${runtime}`, `assets/${host}`);
    if (changed.includes(runtime)) throw new Error(`${name} asks for the helpers in another form`);
    if (changed !== code) await writeFile(path.join(assets, name), changed);
  }
  await writeFile(
    path.join(folder, 'index.html'),
    page.replace(new RegExp(`\\s*<link[^>]*${runtime}[^>]*>`), ''),
  );
  const key = `_${runtime}`;
  await changeManifest(folder, (chunks, manifest) => {
    delete manifest[key];
    for (const chunk of chunks)
      if (chunk.imports) chunk.imports = chunk.imports.filter((each) => each !== key);
  });
  await removeFiles(folder, new Set([`assets/${runtime}`]));
};

/**
 * Puts the styles of the sign-in page (4 kB) into the page itself, because the browser paints nothing before
 * they are loaded.
 */
export const inlineDoorStyles = async (folder: string): Promise<void> => {
  const pageFile = path.join(folder, 'index.html');
  const page = await readFile(pageFile, 'utf8');
  const [link, file, attributes] = doorStyles.exec(page) ?? [];
  if (link === undefined || file === undefined) throw new Error('the page asks for no styles of the door');
  const styles = await readFile(path.join(folder, file), 'utf8');
  await writeFile(
    pageFile,
    page.replace(link, () => `<style${attributes}>${styles.trim()}</style>`),
  );
  await changeManifest(folder, (chunks) => {
    for (const chunk of chunks) if (chunk.css) chunk.css = chunk.css.filter((each) => each !== file);
  });
  await removeFiles(folder, new Set([file]));
};

/** Read by Chromium alone, and only from the beginning of a file. */
const compileHint = '//# allFunctionsCalledOnLoad\n';
/** Smaller files get no hint, because the hint itself adds 35 bytes. */
const hintFromBytes = 10_000;
/** Files without code, and the street map, most of which a first view does not use. */
const compiledLate = /^(street-ground|maplibre|[a-z]{2}-[A-Z]{2}|words)\b/;

/**
 * Lets the browser compile the functions of each file beside the page, while the file comes, instead of one by one in
 * the middle of the first drawing.
 */
export const compileEarly = async (folder: string): Promise<void> => {
  const assets = path.join(folder, 'assets');
  for (const name of await readdir(assets)) {
    if (!name.endsWith('.js') || compiledLate.test(name)) continue;
    const file = path.join(assets, name);
    const code = await readFile(file, 'utf8');
    if (code.length >= hintFromBytes) await writeFile(file, compileHint + code);
  }
};

/** The words of the features that a device's page shows together are one file of a language. */
const wordsIn = (manifest: Record<string, ManifestChunk>, feature: string, language: Language): string => {
  const source = `features/${feature}/words/${language}.ts`;
  if (manifest[source]) return source;
  const joined = Object.keys(manifest).find((key) => key.startsWith(`_words-device-${language}-`));
  if (joined === undefined) throw new Error(`${source} is not in the build`);
  return joined;
};
/** Lists the files that each screen needs at first, for the server, which names them in the page itself. */
export const noteFirstFiles = async (
  folder: string,
  screens: Readonly<Record<string, Screen>>,
): Promise<void> => {
  const manifest: Record<string, ManifestChunk> = JSON.parse(
    await readFile(path.join(folder, '.vite/manifest.json'), 'utf8'),
  );
  const filesOf = (from: readonly string[]): string[] => {
    const sources = new Set(from);
    for (const each of sources) {
      if (!manifest[each]) throw new Error(`${each} is not in the build`);
      for (const needed of manifest[each].imports ?? []) sources.add(needed);
    }
    return [
      ...new Set([...sources].flatMap((each) => [manifest[each]!.file, ...(manifest[each]!.css ?? [])])),
    ];
  };
  const needed = (
    there: readonly string[],
    sources: readonly string[],
    wordsOf: (language: Language) => string[],
  ) => {
    const files = filesOf(sources).filter((file) => !there.includes(file));
    const words = languages.map(
      (language) =>
        [
          language,
          filesOf(wordsOf(language)).filter((file) => ![...there, ...files].includes(file)),
        ] as const,
    );
    return { files, words: Object.fromEntries(words) as Record<Language, string[]> };
  };
  const page = filesOf(['index.html']);
  const frame = needed(page, ['app/Console.tsx'], (language) => [`app/words/${language}.ts`]);
  const first: FirstFiles = {
    frame,
    screens: Object.fromEntries(
      Object.entries(screens).map(([address, { file, words }]) => [
        address,
        needed(
          [...page, ...frame.files],
          address.startsWith('configinfo/') ? ['app/pages/ProjectFrame.tsx', file] : [file],
          (language) => words.map((feature) => wordsIn(manifest, feature, language)),
        ),
      ]),
    ),
  };
  await writeFile(path.join(folder, '.vite/first-files.json'), JSON.stringify(first));
};
