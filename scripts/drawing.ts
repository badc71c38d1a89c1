import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import * as path from 'node:path';
import { root } from './console.ts';

const roots = ['contract', 'database', 'demo', 'server', 'simulator', 'web'];
const isTest = (file: string) => /\.test\.tsx?$|\.world\.ts$|test-setup/.test(file);

const filesOf = (folder: string): string[] =>
  readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' })
    .map((file) => `${folder}/${file.replaceAll('\\', '/')}`)
    .filter((file) => /\.tsx?$/.test(file) && !isTest(file));

/** Project files that a file imports, types included, as paths from the root. */
const importsOf = (file: string): string[] =>
  [...readFileSync(path.join(root, file), 'utf8').matchAll(/(?:from|import)\s*\(?\s*'([#.][^']+)'/g)].map(
    ([, name]) =>
      name!.startsWith('#')
        ? name!.slice(1)
        : path.posix.normalize(path.posix.join(path.posix.dirname(file), name!)),
  );

/** The node of a file in the drawing: a root, or a folder of the server. */
const partOf = (file: string): string => {
  const [top, folder, ...rest] = file.split('/');
  if (top !== 'server') return top!;
  return rest.length === 0 ? 'server/main' : `server/${folder}`;
};
const idOf = (part: string) => part.replaceAll(/\W/g, '_');

const edgesWithin = (included: (from: string, to: string) => boolean): string[] => {
  const existing = roots.filter((folder) => readdirSync(root).includes(folder));
  const edges = new Set<string>();
  for (const file of existing.flatMap(filesOf))
    for (const target of importsOf(file)) {
      const [from, to] = [partOf(file), partOf(target)];
      if (from !== to && existing.includes(target.split('/')[0]!) && included(from, to))
        edges.add(`  ${idOf(from)}["${from}"] --> ${idOf(to)}["${to}"]`);
    }
  return [...edges].sort();
};
const collapsed = (part: string) => (part.startsWith('server/') ? 'server' : part);

/** The imports as Mermaid graphs: between the roots, and between the features of the server. */
const drawing = (): string => {
  const ofRoots = edgesWithin((from, to) => collapsed(from) !== collapsed(to))
    .map((edge) => edge.replaceAll(/server_\w+\["server\/[^"]+"\]/g, 'server["server"]'))
    .filter((edge, index, all) => all.indexOf(edge) === index);
  const everywhere = new Set(['server/core', 'server/main', 'server/start']);
  const ofFeatures = edgesWithin(
    (from, to) =>
      from.startsWith('server/') && to.startsWith('server/') && !everywhere.has(from) && !everywhere.has(to),
  );
  const graph = (edges: string[]) => ['```mermaid', 'graph LR', ...edges, '```'].join('\n');
  return `${graph(ofRoots)}\n\nBetween features of the server (all import \`server/core/\`):\n\n${graph(ofFeatures)}`;
};

export const [begin, end] = ['<!-- drawing: npm run draw -->', '<!-- end of the drawing -->'];
/** The document with the drawing between its marks. */
export const withDrawing = (document: string): string => {
  const [from, to] = [document.indexOf(begin) + begin.length, document.indexOf(end)];
  return `${document.slice(0, from)}\n\n${drawing()}\n\n${document.slice(to)}`;
};

if (process.argv[1] === import.meta.filename) {
  const file = path.join(root, 'docs/ARCHITECTURE.md');
  writeFileSync(file, withDrawing(readFileSync(file, 'utf8')));
}
