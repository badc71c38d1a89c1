/**
 * Length of the server's functions. A nested function is counted separately if it has its own name, or if it
 * handles a call (`serve`) or an event (`on`). So a store, a list of routes and a worker are not one long
 * function each.
 */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { parseAst } from 'vite';
import { expect, it } from 'vitest';

const longest = 80;
/** At least this share of all functions has at most this many lines. */
const typical = { lines: 35, share: 0.95 };

interface Node {
  type: string;
  start: number;
  end: number;
  [key: string]: unknown;
}
interface Measured {
  name: string;
  lines: number;
}
const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && typeof (value as Node).type === 'string';
const isFunction = ({ type }: Node) =>
  type === 'FunctionDeclaration' || type === 'FunctionExpression' || type === 'ArrowFunctionExpression';
const childrenOf = (node: Node): Node[] =>
  Object.entries(node).flatMap(([key, value]) =>
    key === 'id' || key === 'key' ? [] : (Array.isArray(value) ? value : [value]).filter(isNode),
  );

const measure = (file: string, text: string): Measured[] => {
  const measured: Measured[] = [];
  const linesOf = ({ start, end }: Node) => text.slice(start, end).split('\n').length;
  /** Returns the lines inside the node that are counted elsewhere. */
  const walk = (node: Node, name: string, isApart: boolean): number => {
    const named = [node['id'], node['key']].find(isNode);
    const own = named ? text.slice(named.start, named.end).split(':')[0]! : isFunction(node) ? name : '';
    const callee = node.type === 'CallExpression' && isNode(node['callee']) ? node['callee'] : null;
    const handles = callee !== null && /(^|\.)(serve|on)$/.test(text.slice(callee.start, callee.end));
    const elsewhere = childrenOf(node).reduce(
      (sum, child) => sum + walk(child, own, isFunction(child) && (own !== '' || handles)),
      0,
    );
    if (!isFunction(node)) return elsewhere;
    const line = text.slice(0, node.start).split('\n').length;
    const isOwn = isApart || node.type === 'FunctionDeclaration';
    if (isOwn) measured.push({ name: `${file} ${own || `line ${line}`}`, lines: linesOf(node) - elsewhere });
    return isOwn ? linesOf(node) - 1 : elsewhere;
  };
  walk(parseAst(text, { lang: 'ts' }) as unknown as Node, '', false);
  return measured;
};

const server = path.resolve(import.meta.dirname, '../server');
const all = readdirSync(server, { recursive: true, encoding: 'utf8' })
  .map((file) => file.replaceAll('\\', '/'))
  .filter((file) => file.endsWith('.ts') && !/\.(test|world)\.ts$/.test(file))
  .flatMap((file) => measure(file, readFileSync(path.join(server, file), 'utf8')));

it(`no function of the server is longer than ${longest} lines`, () => {
  const long = all.filter(({ lines }) => lines > longest);
  expect(long.map(({ name, lines }) => `${lines} ${name}`)).toEqual([]);
});
it('most functions are short', () => {
  expect(all.length).toBeGreaterThan(1000);
  const short = all.filter(({ lines }) => lines <= typical.lines).length;
  expect(short / all.length).toBeGreaterThan(typical.share);
});
