import type { RefusalCode } from './refusal.ts';

const deepest = 32;
const [quote, backslash, u, colon] = [0x22, 0x5c, 0x75, 0x3a];
const [openList, closeList, openObject, closeObject] = [0x5b, 0x5d, 0x7b, 0x7d];

/** The UTF-16 unit of an escape whose `u` is at `index`; NaN if it is not one. */
const unitAt = (payload: Buffer, index: number): number =>
  Number.parseInt(payload.toString('latin1', index + 1, index + 5), 16);
const isHigh = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdbff;
const isLow = (unit: number): boolean => unit >= 0xdc00 && unit <= 0xdfff;

/** Index of the last byte of a storable escape whose backslash is at `index`; -1 if it is not storable. */
const endOfEscape = (payload: Buffer, index: number): number => {
  if (payload[index + 1] !== u) return index + 1;
  const unit = unitAt(payload, index + 1);
  if (unit === 0 || isLow(unit)) return -1;
  if (!isHigh(unit)) return index + 5;
  const isPair =
    payload[index + 6] === backslash && payload[index + 7] === u && isLow(unitAt(payload, index + 7));
  return isPair ? index + 11 : -1;
};

/**
 * Number of names in the objects of a JSON text. Returns a refusal if it is nested too deeply for its
 * readers, or escapes U+0000 or half of a surrogate pair, for which the database would refuse the whole group
 * of messages.
 */
const countNamesOfText = (payload: Buffer): number | RefusalCode => {
  let depth = 0;
  let names = 0;
  let inText = false;
  for (let index = 0; index < payload.length; index += 1) {
    const byte = payload[index];
    if (byte === quote) inText = !inText;
    else if (inText) {
      if (byte !== backslash) continue;
      index = endOfEscape(payload, index);
      if (index < 0) return 'not_storable';
    } else if (byte === colon) names += 1;
    else if (byte === openObject || byte === openList) {
      depth += 1;
      if (depth > deepest) return 'not_storable';
    } else if (byte === closeObject || byte === closeList) depth -= 1;
  }
  return names;
};

const countNames = (value: unknown): number => {
  if (typeof value !== 'object' || value === null) return 0;
  let names = 0;
  if (Array.isArray(value)) for (const entry of value) names += countNames(entry);
  else for (const name in value) names += 1 + countNames((value as Record<string, unknown>)[name]);
  return names;
};

/**
 * Parses JSON that can be stored, is not nested too deeply, and is unambiguous: no name twice in an object.
 */
export const parseJson = (payload: Buffer): { value: unknown } | RefusalCode => {
  const names = countNamesOfText(payload);
  if (typeof names === 'string') return names;
  let value: unknown;
  try {
    value = JSON.parse(payload.toString());
  } catch {
    return 'not_json';
  }
  return countNames(value) === names ? { value } : 'duplicate_name';
};
