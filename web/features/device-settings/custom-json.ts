type CheckedJson =
  | { kind: 'object'; value: Readonly<Record<string, unknown>> }
  | { kind: 'broken'; line: number; column: number }
  | { kind: 'notObject' };

const blank = /[ \t\r\n]*/y;
const text = /"(?:[^"\\\p{Cc}]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/uy;
const plain = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;

/** Position at which a text stops being JSON, because not every browser's parser reports it. */
const breakOf = (given: string): number => {
  let at = 0;
  const take = (pattern: RegExp): boolean => {
    pattern.lastIndex = at;
    const found = pattern.exec(given);
    if (found) at += found[0].length;
    return found !== null;
  };
  const takeSign = (sign: string): boolean => {
    take(blank);
    if (given[at] !== sign) return false;
    at += 1;
    return true;
  };
  /** Reads the members of an object or a list until its closing character; commas separate them. */
  const takeMembers = (close: string, takeOne: () => boolean): boolean => {
    if (takeSign(close)) return true;
    for (;;) {
      if (!takeOne()) return false;
      if (takeSign(close)) return true;
      if (!takeSign(',')) return false;
    }
  };
  const takeKey = (): boolean => {
    take(blank);
    return take(text);
  };
  const takeValue = (): boolean => {
    if (takeSign('{')) return takeMembers('}', () => takeKey() && takeSign(':') && takeValue());
    if (takeSign('[')) return takeMembers(']', takeValue);
    return take(text) || take(plain);
  };
  if (takeValue()) take(blank);
  return at;
};

/** The kind of text: an object, another value, or invalid JSON with the position of the error. */
export const checkJson = (given: string): CheckedJson => {
  let value: unknown;
  try {
    value = JSON.parse(given);
  } catch {
    const before = given.slice(0, breakOf(given)).split('\n');
    return { kind: 'broken', line: before.length, column: before.at(-1)!.length + 1 };
  }
  return value !== null && typeof value === 'object' && !Array.isArray(value)
    ? { kind: 'object', value: value as Record<string, unknown> }
    : { kind: 'notObject' };
};
