import { enabledWords, moreWords, sheetNames, userColumns, yesWords } from '#contract/columns.ts';
import type { Language } from '#contract/languages.ts';
import type { UserRow } from '#contract/users.ts';
import type { Cell } from '#server/core/spreadsheet.ts';
import { sheetOf } from '#server/core/table.ts';

type Column = keyof typeof userColumns;

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

export const userSheet = sheetOf(
  sheetNames.users,
  userColumns,
  { created_at: 'instant', password_changed_at: 'instant' },
  cellOf,
);
