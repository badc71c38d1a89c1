import { projectColumns, projectKindWords, sheetNames } from '#contract/columns.ts';
import type { Language } from '#contract/languages.ts';
import type { SheetColumn } from '#server/core/spreadsheet.ts';
import { sheetOf } from '#server/core/table.ts';
import type { ProjectRow } from './projects.store.ts';

type Key = keyof typeof projectColumns;
const kinds: Partial<Record<Key, NonNullable<SheetColumn['kind']>>> = {
  joined_at: 'instant',
  ...{
    area_m2: 'number',
    contract_kw: 'number',
    devices: 'number',
    devices_online: 'number',
    online_rate: 'number',
  },
  ...{ lines_closed: 'number', lines_open: 'number', lines_unknown: 'number', lines_tripped: 'number' },
  ...{ unprocessed: 'number', month_raised: 'number', month_handling_rate: 'number' },
  month_unprocessed_rate: 'number',
};
const percent = (share: number | null) => (share === null ? null : Math.round(share * 1000) / 10);
const cellOf = (row: ProjectRow, key: Key, language: Language) => {
  if (key === 'joined_at') return new Date(row.joined_at);
  if (key === 'kind') return projectKindWords[row.kind as 'other']?.[language] ?? row.kind;
  if (key === 'online_rate' || key === 'month_handling_rate' || key === 'month_unprocessed_rate')
    return percent(row[key]);
  return row[key];
};

export const projectSheet = sheetOf(sheetNames.projects, projectColumns, kinds, cellOf);
