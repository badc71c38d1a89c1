import { globSync } from 'node:fs';
import type { ThemeConfig } from 'antd';
import { build, type Plugin, type Rolldown } from 'vite';

const antd = new URL('../node_modules/antd/es/', import.meta.url).pathname;
const engine = new URL('theme/antd-engine.ts', import.meta.url).pathname;
/** The functions by which a part of antd says how to write its rules. */
const makers = new Set(['genStyleHooks', 'genSubStyleComponent', 'genComponentStyleHook']);

interface Node {
  type: string;
  start: number;
  end: number;
}
const writersIn = (program: unknown): Node[] => {
  const found: Node[] = [];
  const walk = (value: unknown): void => {
    if (Array.isArray(value)) value.forEach(walk);
    else if (typeof value === 'object' && value !== null) {
      const node = value as Node & { callee?: { name?: string }; arguments?: Node[] };
      const [, writer] = node.arguments ?? [];
      if (node.type === 'CallExpression' && makers.has(node.callee?.name ?? '') && writer) found.push(writer);
      Object.values(value).forEach(walk);
    }
  };
  walk(program);
  return found;
};

interface Parser {
  parse(code: string): unknown;
}
/** Replaces the functions that write rules in a module of antd. */
const replaceWriters = (
  { parse }: Parser,
  code: string,
  id: string,
  replaced: (name: string, writer: string) => string,
): string | null => {
  if (!id.startsWith(antd) || id.startsWith(`${antd}theme/`) || !/\bgen\w+(Hooks?|Component)\(/.test(code))
    return null;
  return [...writersIn(parse(code)).entries()].reverse().reduce((changed, [index, { start, end }]) => {
    const text = replaced(`${id.slice(antd.length)}#${index}`, code.slice(start, end));
    return changed.slice(0, start) + text + changed.slice(end);
  }, code);
};

/** Rules as `theme/antd-engine.ts` reads them: the text, its place among the others, and keyframes by name. */
type Rules = readonly [css: string, order: number, frames: Readonly<Record<string, string>>];
/** The rules by the name of their writer, the same for every theme: colours and sizes are variables in them. */
type Write = (theme?: ThemeConfig) => Record<string, Rules>;

/**
 * A script that runs each style function of antd once, in antd's own engine, and keeps what it writes. `§`, `¤`
 * and `¶` stand for the class names of the part, of its root, and of antd's version.
 */
const scriptOf = (files: readonly string[]): string => `
import { createElement } from 'react';
import { renderToString } from 'react-dom/server.edge';
import { createCache, StyleProvider } from '@ant-design/cssinjs';
import { normalizeStyle } from '@ant-design/cssinjs/es/hooks/useStyleRegister.js';
import ConfigProvider from 'antd/es/config-provider/index.js';
${files.map((file, index) => `import * as part${index} from '${file}';`).join('\n')}
// The styles of a part share its units, which the first of them sets: only the main one knows them all.
let uses = [${files.map((file, index) => `['${file}', part${index}]`).join(', ')}]
  .flatMap(([file, part]) =>
    Object.entries(part).map(([name, use]) => ({ use, isMain: name === 'default' && file.endsWith('/index.js') })),
  )
  .filter(({ use }) => typeof use === 'function')
  .toSorted((a, b) => Number(b.isMain) - Number(a.isMain));
export const write = (theme) => {
  const all = {};
  const keep = (name, hash, [css, , frames, , order]) => {
    const named = (text) => text.replaceAll(hash, '¶');
    const ready = Object.entries(frames).map(([key, text]) => [named(key), named(normalizeStyle(text, false))]);
    all[name] = [named(css), order, Object.fromEntries(ready)];
  };
  const run = (use) => {
    const cache = createCache();
    const Use = () => {
      try {
        use();
      } catch {}
      return null;
    };
    globalThis.antdWriter = undefined;
    let isWriter = false;
    const part = createElement(ConfigProvider, { theme }, createElement(Use));
    renderToString(createElement(StyleProvider, { cache }, part));
    for (const [path, [, kept]] of cache.cache) {
      const [kind, hash, ...rest] = path.split('%');
      if (kind !== 'style') continue;
      if (rest[0] === 'Shared') keep('shared', hash, kept);
      else if (rest[0] === 'ant-design-icons') keep('icons', '¶', kept);
      else if (rest.includes('§') && globalThis.antdWriter) {
        keep(globalThis.antdWriter, hash, kept);
        isWriter = true;
      }
    }
    return isWriter;
  };
  uses = uses.filter(({ use }) =>
    [() => use('§', '¤'), () => use({ prefixCls: '§', rootCls: '¤' })].map(run).includes(true),
  );
  return all;
};
`;
export const loadWriter = async (): Promise<Write> => {
  const entry = '\0antd-writer';
  const files = globSync(`${antd}**/style/*.js`).concat(`${antd}_util/wave/style.js`);
  const { output } = (await build({
    configFile: false,
    logLevel: 'error',
    mode: 'production',
    define: { 'process.env.NODE_ENV': '"production"' },
    ssr: { noExternal: true },
    plugins: [
      {
        name: 'antd-writer',
        resolveId: (source) => (source === entry ? entry : null),
        load: (id) => (id === entry ? scriptOf(files) : null),
        transform(code, id) {
          return replaceWriters(
            this,
            code,
            id,
            (name, writer) =>
              `(...all) => { globalThis.antdWriter = '${name}'; return (${writer})(...all); }`,
          );
        },
      },
    ],
    build: { ssr: true, write: false, minify: false, rolldownOptions: { input: entry } },
  })) as Rolldown.RolldownOutput;
  const code = output.flatMap((each) => (each.type === 'chunk' ? [each.code] : [])).join('\n');
  const script = `data:text/javascript;base64,${Buffer.from(code).toString('base64')}`;
  return ((await import(script)) as { write: Write }).write;
};

let written: Promise<Record<string, Rules>> | undefined;
const rulesOf = async (name: string): Promise<string> => {
  written ??= loadWriter().then((write) => write());
  const rules = (await written)[name];
  if (!rules) throw new Error(`web/antd-rules.ts cannot write the rules of antd/es/${name}`);
  return JSON.stringify(rules);
};

const sharedRules = 'virtual:antd-shared-rules';
const iconHook = '\0antd-icon-hook';
/**
 * Writes the rules of antd's parts when the console is built. Its own engine would do so in the browser, while the
 * first screen is drawn.
 */
export const antdRules: Plugin = {
  name: 'antd-rules',
  apply: 'build',
  enforce: 'pre',
  async resolveId(source, importer, options) {
    if (source === sharedRules) return `\0${source}`;
    if (!/(^|\/)(genStyleUtils|useResetIconStyle)$/.test(source)) return null;
    const found = await this.resolve(source, importer, { ...options, skipSelf: true });
    if (!found?.id.startsWith(`${antd}theme/util/`)) return found;
    return source.endsWith('genStyleUtils') ? engine : iconHook;
  },
  async load(id) {
    if (id === iconHook) return `export { useResetIconStyle as default } from '${engine}';`;
    if (id !== `\0${sharedRules}`) return null;
    return `export const shared = ${await rulesOf('shared')}; export const icons = ${await rulesOf('icons')};`;
  },
  async transform(code, id) {
    if (id === `${antd}config-provider/index.js`) {
      // Each icon would put the rules of icons into the page again.
      const changed = code.replace('zeroRuntime: !!layer || mergedTheme?.zeroRuntime', 'zeroRuntime: true');
      if (changed === code) throw new Error('antd has another form than web/antd-rules.ts expects');
      return changed;
    }
    const names: string[] = [];
    const changed = replaceWriters(this, code, id, (name) => `antdRules${names.push(name) - 1}`);
    if (changed === null || names.length === 0) return null;
    const rules = await Promise.all(names.map(rulesOf));
    return [...rules.map((each, index) => `const antdRules${index} = ${each};`), changed].join('\n');
  },
  generateBundle(_options, bundle) {
    // The rules of a TreeSelect contain the class name of its tree, which is known only in the browser.
    const treeSelect = `${antd}tree-select/style/index.js`;
    for (const each of Object.values(bundle))
      if (each.type === 'chunk' && each.moduleIds.includes(treeSelect))
        throw new Error('web/antd-rules.ts cannot write the rules of a TreeSelect');
  },
};
