/** Which part of the server writes and reads each table, taken from Kysely calls and SQL texts. */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

interface Uses {
  writes: string[];
  reads: string[];
}

const isProduct = (file: string) => file.endsWith('.ts') && !/\.(test|world)\.ts$/.test(file);
/** The folder of a feature; files outside the folders only connect features. */
const partOf = (file: string): string | null => (file.includes('/') ? file.split('/')[0]! : null);

/** A table's name as a whole word in SQL, not as the prefix of a column. */
const named = (table: string) => `${table}\\b(?!\\s*\\.|\\()`;
const writing = (table: string) =>
  new RegExp(
    `(?:insertInto|updateTable|deleteFrom|mergeInto)\\(\\s*'${table}\\b` +
      `|\\b(?:insert into|update|delete from|truncate(?: table)?|merge into|copy)\\s+${named(table)}`,
    'i',
  );
const reading = (table: string) =>
  new RegExp(
    `(?:selectFrom|[jJ]oin|[jJ]oinLateral|using|from)\\(\\s*'${table}\\b` +
      `|\\b(?<!delete )(?:from|join|using|lock table|table)\\s+(?:only\\s+)?\\(?${named(table)}`,
    'i',
  );

/** The tables and views in the schema's types. */
const tablesOf = (root: string): string[] =>
  [...readFileSync(path.join(root, 'database/connect.ts'), 'utf8').matchAll(/^ {2}(\w+): \w+\.\w+;$/gm)].map(
    (match) => match[1]!,
  );

export const uses = (root: string): Map<string, Uses> => {
  const server = path.join(root, 'server');
  const files = readdirSync(server, { recursive: true, encoding: 'utf8' })
    .map((file) => file.replaceAll('\\', '/'))
    .filter((file) => isProduct(file) && partOf(file) !== null)
    .map((file) => ({ part: partOf(file)!, text: readFileSync(path.join(server, file), 'utf8') }));
  const partsWith = (pattern: RegExp) =>
    [...new Set(files.filter(({ text }) => pattern.test(text)).map(({ part }) => part))].sort();
  return new Map(
    tablesOf(root).map((table) => [
      table,
      { writes: partsWith(writing(table)), reads: partsWith(reading(table)) },
    ]),
  );
};
