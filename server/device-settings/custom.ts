import { isDeepStrictEqual } from 'node:util';
import type { FaultCode } from '#contract/faults/codes.ts';

const mostBytes = 4096;
const mostLevels = 8;
/** All keys and values of nested objects and lists, each once; `level` starts at 1. */
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
 * The fault of an object that a device should store unchanged: parts that would not come back unchanged, or
 * too much data.
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

/** Number of names in the text of valid JSON; a name that occurs twice in one object counts twice. */
const namesIn = (text: string): number => text.replace(/"(?:[^"\\]|\\.)*"/g, '').split(':').length - 1;
const namesOf = (value: object): number => {
  let names = 0;
  for (const part of partsOf(value)) if (isTree(part.value)) names += Object.keys(part.value).length;
  return names;
};
/**
 * The object, or the one parsed from its text; null if the text is invalid. `flaw`: an error that only the
 * text shows.
 */
export const readCustom = (given: unknown): { value: unknown; flaw: FaultCode | null } => {
  if (typeof given !== 'string') return { value: given, flaw: null };
  try {
    const value = JSON.parse(given) as unknown;
    return { value, flaw: isTree(value) && namesIn(given) !== namesOf(value) ? 'setting.twice' : null };
  } catch {
    return { value: null, flaw: null };
  }
};

/** A name in the path of a value; an ambiguous one is quoted. */
const step = (path: string, key: string): string => {
  if (!/^[\p{L}\p{N}_$-]+$/u.test(key)) return `${path}[${JSON.stringify(key)}]`;
  return path === '' ? key : `${path}.${key}`;
};
const own = (tree: Record<string, unknown>, key: string): unknown =>
  Object.hasOwn(tree, key) ? tree[key] : undefined;

/** Differences of two JSON objects, one per leaf: path, before, after; undefined if it does not exist. */
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
