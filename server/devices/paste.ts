/** A quote that is not closed within this number of characters is a plain character. */
const longestQuoted = 2000;

/**
 * The next position found by `find` at or after a cursor that only moves forward. The last result is reused
 * until the cursor has passed it, so that the text is read only once.
 */
const nextOf = (find: (from: number) => number): ((from: number) => number) => {
  let known = -1;
  return (from) => {
    if (known < from) known = find(from);
    return known;
  };
};

/**
 * Cells of pasted text. A quoted cell may contain the separator, doubled quotes and line breaks. The time is
 * linear in the length of the text.
 */
export const cellsOf = (text: string, separator: string): string[][] => {
  const table: string[][] = [];
  let row: string[] = [];
  let at = 0;
  const inQuotes = new RegExp(`[ ]*"((?:[^"]|""){0,${longestQuoted}})"[ ]*(?=${separator}|[\\r\\n]|$)`, 'y');
  const positionOf = (part: string) => (from: number) => {
    const found = text.indexOf(part, from);
    return found < 0 ? text.length : found;
  };
  const separatorFrom = nextOf(positionOf(separator));
  const returnFrom = nextOf(positionOf('\r'));
  const newlineFrom = nextOf(positionOf('\n'));
  while (at < text.length) {
    inQuotes.lastIndex = at;
    const quoted = inQuotes.exec(text);
    const end = quoted
      ? at + quoted[0].length
      : Math.min(separatorFrom(at), returnFrom(at), newlineFrom(at), text.length);
    row.push(quoted ? quoted[1]!.replaceAll('""', '"').trim() : text.slice(at, end).trim());
    at = end;
    if (text[at] === separator) {
      at += 1;
      if (at < text.length) continue;
      row.push('');
    }
    if (text[at] === '\r') at += 1;
    if (text[at] === '\n') at += 1;
    table.push(row);
    row = [];
  }
  return table;
};
