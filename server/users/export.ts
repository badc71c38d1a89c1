import { enabledWords, moreWords, sheetNames, userColumns, yesWords } from '#contract/columns.ts';
import type { Language } from '#contract/languages.ts';
import type { UserRow } from '#contract/users.ts';
import type { Cell, Sheet } from '#server/core/spreadsheet.ts';

type Column = keyof typeof userColumns;
const names = Object.keys(userColumns) as Column[];
const isInstant = (column: Column): boolean => column.endsWith('_at');

/** The first projects, and the number of the others, because a spreadsheet cell has a maximum length. */
const projectsOf = ({ projects, project_count }: UserRow, language: Language): string => {
  const names = projects.map(({ name, parts }) =>
    parts.length === 0 ? name : `${name} (${parts.map((part) => part.name).join(', ')})`,
  );
  const more = project_count - projects.length;
  return [...names, ...(more > 0 ? [moreWords[language].replace('{count}', String(more))] : [])].join('; ');
};

const cellOf = (row: UserRow, column: Column, language: Language): Cell => {
  switch (column) {
    case 'projects':
      return projectsOf(row, language);
    case 'status':
      return enabledWords[row.status][language];
    case 'auto_sign_in':
      return yesWords[row.auto_sign_in ? 'yes' : 'no'][language];
    case 'created_at':
    case 'password_changed_at':
      return new Date(row[column]);
    default:
      return row[column];
  }
};

export const userSheet = (rows: AsyncIterable<UserRow>, language: Language, zone: string): Sheet => ({
  name: sheetNames.users[language],
  zone,
  columns: names.map((column) => ({
    header: userColumns[column][language],
    kind: isInstant(column) ? 'instant' : 'text',
  })),
  rows: (async function* () {
    for await (const row of rows) yield names.map((column) => cellOf(row, column, language));
  })(),
});
