import { deviceColumns } from '#contract/columns.ts';

export const importColumns = [
  'number',
  'name',
  'type',
  'project',
  'part',
  'address',
  'lines',
  'expires_on',
] as const;
export type ImportColumn = (typeof importColumns)[number];

/** Headings that name a column: its key, the export's heading in every language, and what people write for short. */
const headings: Record<ImportColumn, readonly string[]> = {
  number: [
    ...['number', 'no', 'no.', 'sn', 'serial number', '编号', '设备号', '序列号'],
    ...['номер', 'серийный номер', '№', ...Object.values(deviceColumns.number)],
  ],
  name: ['name', '名称', 'название', 'наименование', ...Object.values(deviceColumns.name)],
  type: ['type', '类型', 'тип', ...Object.values(deviceColumns.type)],
  project: [
    ...['project', 'project_name', 'project name', '项目', '项目名称', 'объект', 'проект'],
    ...Object.values(deviceColumns.project_name),
  ],
  part: ['part', 'part_name', 'part name', '区域名称', ...Object.values(deviceColumns.part_name)],
  address: ['address', '地址', ...Object.values(deviceColumns.address)],
  lines: [
    ...['lines', 'number of lines', '线路', '线路数量', 'линии', 'число линий', 'количество линий'],
    ...Object.values(deviceColumns.lines),
  ],
  expires_on: [
    ...['expires_on', 'expires', 'service until', '到期', '到期日期', '服务到期'],
    ...['срок', 'срок действия', 'обслуживание до', ...Object.values(deviceColumns.expires_on)],
  ],
};

/** Invisible characters that come with copied text. */
export const unseen = /[\u200b-\u200f\u2060\ufeff]/g;
const plain = (heading: string): string =>
  heading
    .replace(unseen, '')
    .replace(/\s+/g, ' ')
    .replace(/[ :：*]+$/, '')
    .trim()
    .toLowerCase();
const columnByHeading = new Map(
  importColumns.flatMap((column) => headings[column].map((heading) => [plain(heading), column] as const)),
);
const longestHeading = 60;
/** The column that a heading names. */
export const columnOf = (heading: string): ImportColumn | undefined =>
  heading.length > 2 * longestHeading ? undefined : columnByHeading.get(plain(heading));

/** A column of a list that is not imported, and why; `column` counts from 1. */
export interface UnreadColumn {
  column: number;
  heading: string;
  code: 'import.heading' | 'import.headless' | 'import.sameHeading';
}
const mostUnread = 100;

/**
 * Which column of a table is read as what, the first one of a heading; and the columns that are not read
 * although they have a heading or content.
 */
export const columnsOf = (heading: readonly string[] | null, below: readonly (readonly string[])[]) => {
  const indexOf = new Map<ImportColumn, number>();
  const unread: UnreadColumn[] = [];
  const named: readonly (ImportColumn | undefined)[] = heading ? heading.map(columnOf) : importColumns;
  const filled = new Set<number>();
  let width = named.length;
  for (const row of below) {
    width = Math.max(width, row.length);
    for (let index = 0; index < row.length; index += 1) if (row[index] !== '') filled.add(index);
  }
  for (let index = 0; index < width && unread.length < mostUnread; index += 1) {
    const column = named[index];
    const text = (heading?.[index] ?? '').replace(unseen, '').trim().slice(0, longestHeading);
    if (column && !indexOf.has(column)) indexOf.set(column, index);
    else if (column) unread.push({ column: index + 1, heading: text, code: 'import.sameHeading' });
    else if (text !== '') unread.push({ column: index + 1, heading: text, code: 'import.heading' });
    else if (filled.has(index)) unread.push({ column: index + 1, heading: '', code: 'import.headless' });
  }
  return { indexOf, unread };
};
