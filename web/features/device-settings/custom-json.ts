export type CheckedJson =
  | { kind: 'object'; value: Readonly<Record<string, unknown>> }
  | { kind: 'broken'; line: number; column: number }
  | { kind: 'notObject' };

const placeOf = (text: string, message: string): { line: number; column: number } => {
  const named = /line (\d+) column (\d+)/.exec(message);
  if (named) return { line: Number(named[1]), column: Number(named[2]) };
  const position = /position (\d+)/.exec(message);
  const before = text.slice(0, position ? Number(position[1]) : text.length).split('\n');
  return { line: before.length, column: before.at(-1)!.length + 1 };
};

/** What is written: an object, something else, or no JSON at all, and where it breaks. */
export const checkJson = (text: string): CheckedJson => {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return { kind: 'broken', ...placeOf(text, error instanceof Error ? error.message : '') };
  }
  return value !== null && typeof value === 'object' && !Array.isArray(value)
    ? { kind: 'object', value: value as Record<string, unknown> }
    : { kind: 'notObject' };
};
