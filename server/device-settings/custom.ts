import { isDeepStrictEqual } from 'node:util';
import type { FaultCode } from '#contract/faults/codes.ts';

const mostBytes = 4096;
const mostLevels = 8;
/** Of nested objects and lists, each key and each value once; `level` from 1. */
function* partsOf(root: object): Generator<{ value: unknown; level: number }> {
  const waiting: { value: unknown; level: number }[] = [{ value: root, level: 0 }];
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    yield next;
    const { value, level } = next;
    if (typeof value !== 'object' || value === null) continue;
    for (const [key, inner] of Object.entries(value)) {
      if (!Array.isArray(value)) yield { value: key, level };
      waiting.push({ value: inner, level: level + 1 });
    }
  }
}
const isTree = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * What is wrong with an object that a device is to keep as it is: what could not come back from it as it was sent, or is
 * too much.
 */
export const customFlaw = (given: unknown): FaultCode | null => {
  if (!isTree(given)) return 'setting.notObject';
  for (const { value, level } of partsOf(given)) {
    if (level >= mostLevels && typeof value === 'object' && value !== null) return 'setting.tooBig';
    if (typeof value === 'string' && (!value.isWellFormed() || value.includes('\0')))
      return 'field.characters';
    if (
      typeof value === 'number' &&
      !(Number.isInteger(value) ? Number.isSafeInteger(value) : Number.isFinite(value))
    )
      return 'setting.inexact';
  }
  return Buffer.byteLength(JSON.stringify(given)) > mostBytes ? 'setting.tooBig' : null;
};

/** Names in the text of an object that is valid JSON; those that occur twice in one object count twice. */
const namesIn = (text: string): number => text.replace(/"(?:[^"\\]|\\.)*"/g, '').split(':').length - 1;
const namesOf = (value: object): number => {
  let names = 0;
  for (const part of partsOf(value)) if (isTree(part.value)) names += Object.keys(part.value).length;
  return names;
};
/** The object as it came, or read from its text; null where the text is none. `flaw`: what only the text shows. */
export const readCustom = (given: unknown): { value: unknown; flaw: FaultCode | null } => {
  if (typeof given !== 'string') return { value: given, flaw: null };
  try {
    const value = JSON.parse(given) as unknown;
    return { value, flaw: isTree(value) && namesIn(given) !== namesOf(value) ? 'setting.twice' : null };
  } catch {
    return { value: null, flaw: null };
  }
};

/** A name on the way to a value; one that could be taken for several is quoted. */
const step = (path: string, key: string): string => {
  if (!/^[\p{L}\p{N}_$-]+$/u.test(key)) return `${path}[${JSON.stringify(key)}]`;
  return path === '' ? key : `${path}.${key}`;
};
const own = (tree: Record<string, unknown>, key: string): unknown =>
  Object.hasOwn(tree, key) ? tree[key] : undefined;

/** Differences of two JSON objects, one line a leaf: path, before, after; undefined where there is none. */
export const differences = (
  before: unknown,
  after: unknown,
  path = '',
): { path: string; before?: unknown; after?: unknown }[] => {
  if (isDeepStrictEqual(before, after)) return [];
  if (isTree(before) && isTree(after))
    return [...new Set([...Object.keys(before), ...Object.keys(after)])].flatMap((key) =>
      differences(own(before, key), own(after, key), step(path, key)),
    );
  return [{ path, ...(before === undefined ? {} : { before }), ...(after === undefined ? {} : { after }) }];
};
