/** A quote that is not closed within so many characters is a character like any other. */
const longestQuoted = 2000;

/** Cells of pasted text; a quoted one may hold the parting character, doubled quotes and line breaks. */
export const cellsOf = (text: string, parting: string): string[][] => {
  const table: string[][] = [];
  let row: string[] = [];
  let at = 0;
  const inQuotes = new RegExp(`[ ]*"((?:[^"]|""){0,${longestQuoted}})"[ ]*(?=${parting}|[\\r\\n]|$)`, 'y');
  const lineEnd = /[\r\n]|$/g;
  const endOfLine = (from: number): number => {
    lineEnd.lastIndex = from;
    return lineEnd.exec(text)?.index ?? text.length;
  };
  const endRow = () => {
    table.push(row);
    row = [];
  };
  while (at < text.length) {
    inQuotes.lastIndex = at;
    const quoted = inQuotes.exec(text);
    const end = quoted ? at + quoted[0].length : endOfLine(at);
    if (quoted) row.push(quoted[1]!.replaceAll('""', '"').trim());
    else {
      const cut = text.slice(at, end).indexOf(parting);
      if (cut >= 0) {
        row.push(text.slice(at, at + cut).trim());
        at += cut + 1;
        if (at === text.length) row.push('');
        continue;
      }
      row.push(text.slice(at, end).trim());
    }
    at = end;
    if (text[at] === parting) {
      at += 1;
      if (at < text.length) continue;
      row.push('');
    }
    if (text[at] === '\r') at += 1;
    if (text[at] === '\n') at += 1;
    endRow();
  }
  if (row.length > 0) endRow();
  return table;
};
