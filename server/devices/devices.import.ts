import { readXlsx } from 'hucre/xlsx';
import { deviceColumns, deviceTypeWords } from '#contract/columns.ts';
import { type deviceEndpoints, expiryDay, linesOfType, mostImported } from '#contract/devices.ts';
import type { BodyOf, ReplyOf } from '#contract/endpoint.ts';
import { type FaultCode, sentence } from '#contract/faults/codes.ts';
import { type Language, languages } from '#contract/languages.ts';
import { type DeviceType, deviceNumberPattern, deviceTypes } from '#contract/telemetry.ts';
import type { Db } from '#database/connect.ts';
import { unpacksWithin } from '#server/core/archive.ts';
import { Fault, fault } from '#server/core/fault.ts';
import { projectInScope, type Scope } from '#server/core/scope.ts';
import { deviceChanges, type Place, placeFor } from './devices.changes.ts';
import { cellsOf } from './devices.paste.ts';

type Body = BodyOf<typeof deviceEndpoints.import>;
type Result = ReplyOf<typeof deviceEndpoints.import>['results'][number];
/** One row as told, every cell as text; `row` is its number where it came from, from 1. */
type Given = { row: number } & Record<(typeof columns)[number], string>;

const columns = ['number', 'name', 'type', 'project', 'part', 'address', 'lines', 'expires_on'] as const;
type Column = (typeof columns)[number];
/** Headings that name a column: its key, and the export's heading in every language. */
const headings: Record<Column, readonly string[]> = {
  number: ['number', 'no', 'sn', ...Object.values(deviceColumns.number)],
  name: ['name', ...Object.values(deviceColumns.name)],
  type: ['type', ...Object.values(deviceColumns.type)],
  project: ['project', 'project_name', ...Object.values(deviceColumns.project_name)],
  part: ['part', 'part_name', ...Object.values(deviceColumns.part_name)],
  address: ['address', ...Object.values(deviceColumns.address)],
  lines: ['lines', ...Object.values(deviceColumns.lines)],
  expires_on: ['expires_on', 'expires', ...Object.values(deviceColumns.expires_on)],
};
const columnOf = (heading: string): Column | undefined =>
  columns.find((column) =>
    headings[column].some((one) => one.toLowerCase() === heading.trim().toLowerCase()),
  );

const textOf = (cell: unknown): string => {
  if (cell === null || cell === undefined) return '';
  if (cell instanceof Date) return cell.toISOString().slice(0, 10);
  return typeof cell === 'string' || typeof cell === 'number' || typeof cell === 'boolean'
    ? String(cell).trim()
    : '';
};
/** A table with or without a heading row; without one the columns are number, name, type, project … in that order. */
const fromTable = (table: readonly (readonly string[])[]): Given[] => {
  const first = table.findIndex((row) => row.some((cell) => cell !== ''));
  const heading = first < 0 ? [] : table[first]!.map(columnOf);
  const hasHeading =
    heading.filter((column) => column !== undefined).length > 0 && heading.includes('number');
  const looksLikeHeading = heading.some((column) => column !== undefined);
  if (looksLikeHeading && !hasHeading) fault('request.invalid', { fields: { text: 'import.columns' } });
  const order = hasHeading ? heading : columns;
  return table.flatMap((cells, index) => {
    if (index < first || (hasHeading && index === first) || cells.every((cell) => cell === '')) return [];
    const given: Given = {
      row: index + 1,
      ...(Object.fromEntries(columns.map((column) => [column, ''])) as Record<Column, string>),
    };
    order.forEach((column, place) => {
      if (column !== undefined) given[column] = cells[place] ?? '';
    });
    return [given];
  });
};
const fromText = (text: string): Given[] => {
  const parting = text.includes('\t') ? '\t' : text.includes(';') ? ';' : ',';
  return fromTable(cellsOf(text, parting));
};
/** Far above what the longest list needs; a file that unpacks to more is not read. */
const unpacked = { mostBytes: 16 * 1024 * 1024, mostEntries: 100 };
const readRange = `A1:Z${mostImported + 100}`;
const fromFile = async (content: Uint8Array): Promise<Given[]> => {
  const unreadable = () => fault('request.invalid', { fields: { file: 'import.file' } });
  if (!(await unpacksWithin(content, unpacked))) return unreadable();
  const book = await readXlsx(content, { sheets: [0], range: readRange }).catch(unreadable);
  const rows = book.sheets[0]?.rows ?? [];
  return fromTable(rows.map((row) => row.map(textOf)));
};
const givenRows = async (body: Body): Promise<Given[]> => {
  if (body.file) return fromFile(body.file.content);
  if (body.text !== undefined) return fromText(body.text);
  return (body.rows ?? []).map((row, index) => ({
    row: index + 1,
    ...(Object.fromEntries(columns.map((column) => [column, textOf(row[column])])) as Record<Column, string>),
  }));
};

const typeNamed = (text: string): DeviceType | null => {
  const byNumber = deviceTypes.find((type) => String(type) === text);
  const name = text.toLowerCase();
  const isName = (type: DeviceType) =>
    languages.some((language) => deviceTypeWords[type][language].toLowerCase() === name);
  return byNumber ?? deviceTypes.find(isName) ?? null;
};

/** Of a number that is none: enough to find it again. */
const longestTold = 64;
const longestAddress = 200;

interface Flaw {
  field: Column;
  code: FaultCode;
  with?: Readonly<Record<string, string | number>>;
}

/** Adds devices row by row, each by itself: a row that is refused says why and hinders no other. */
export const importDevices = async (
  trx: Db,
  scope: Scope,
  body: Body,
  at: Date,
  language: Language,
): Promise<{ results: Result[]; added: number[] }> => {
  const rows = await givenRows(body);
  if (rows.length === 0) fault('request.invalid', { fields: { text: 'import.empty' } });
  if (rows.length > mostImported)
    fault('request.invalid', { fields: { text: 'import.many' }, with: { most: mostImported } });
  const placeOf = await placesNamed(trx, scope, rows, body);
  const taken = new Set(
    (
      await trx
        .selectFrom('devices')
        .select('number')
        .where(
          'number',
          'in',
          rows.map((row) => row.number),
        )
        .where('deleted_at', 'is', null)
        .execute()
    ).map((row) => row.number),
  );
  const placed = placesFor(trx, scope);
  const seen = new Set<string>();
  const flaws: (Flaw | null)[] = [];
  const adding: Parameters<ReturnType<typeof deviceChanges>['addMany']>[0][number][] = [];
  for (const row of rows) {
    const type = row.type === '' ? (body.type as DeviceType | undefined) : typeNamed(row.type);
    const flaw = flawOf(row, type ?? null, seen, taken);
    seen.add(row.number);
    const named = placeOf(row);
    const place = flaw || 'code' in named ? null : await placed(named);
    const found = flaw ?? ('code' in named ? named : place && 'code' in place ? place : null);
    flaws.push(found);
    if (found || !type || !place || 'code' in place) continue;
    adding.push({
      number: row.number,
      name: row.name || row.number,
      type,
      address: row.address,
      place,
      lines: Array.from({ length: row.lines === '' ? 1 : Number(row.lines) }, () => ({})),
      expires_on: row.expires_on || null,
    });
  }
  const made = body.preview ? [] : await deviceChanges(trx).addMany(adding, at);
  const madeOf = new Map(made.map((one) => [one.number, one]));
  const results = rows.map((row, index): Result => {
    const answer = { row: row.row, number: row.number.slice(0, longestTold) };
    const device = flaws[index] === null ? madeOf.get(row.number) : undefined;
    const flaw: Flaw | null =
      flaws[index] ?? (body.preview || device ? null : { field: 'number', code: 'device.taken' });
    return {
      ...answer,
      result: flaw ? 'refused' : 'done',
      device_id: device?.device_id ?? null,
      secret: device?.secret ?? null,
      field: flaw?.field ?? null,
      message: flaw && sentence(flaw.code, language, flaw.with),
    };
  });
  return { results, added: made.map((one) => one.device_id) };
};

/** Where rows of the same project and part go, asked for once. */
const placesFor = (trx: Db, scope: Scope) => {
  const known = new Map<string, Promise<Place | Flaw>>();
  return (named: { project_id?: number; part_id?: number }): Promise<Place | Flaw> => {
    const key = `${named.project_id}/${named.part_id}`;
    const asked =
      known.get(key) ??
      placeFor(trx, scope, named).catch((error: unknown): Flaw => {
        if (!(error instanceof Fault)) throw error;
        const [field, code] = Object.entries(error.details.fields ?? { project: error.code })[0]!;
        return { field: field.replace('_id', '') as Column, code };
      });
    known.set(key, asked);
    return asked;
  };
};

const flawOf = (
  row: Given,
  type: DeviceType | null,
  seen: ReadonlySet<string>,
  taken: ReadonlySet<string>,
): Flaw | null => {
  if (!deviceNumberPattern.test(row.number)) return { field: 'number', code: 'device.number' };
  if (seen.has(row.number)) return { field: 'number', code: 'import.twice' };
  if (taken.has(row.number)) return { field: 'number', code: 'device.taken' };
  if (row.name.length > 60) return { field: 'name', code: 'device.name' };
  if (row.address.length > longestAddress)
    return { field: 'address', code: 'device.address', with: { most: longestAddress } };
  if (type === null) return { field: 'type', code: 'import.type' };
  const { most } = linesOfType[type];
  const count = row.lines === '' ? 1 : Number(row.lines);
  if (!Number.isInteger(count) || count < 1 || count > most)
    return { field: 'lines', code: 'device.lines', with: { most } };
  if (row.expires_on !== '' && !expiryDay.safeParse(row.expires_on).success)
    return { field: 'expires_on', code: 'date.invalid' };
  return null;
};

/** Projects and parts by their names, as the rows give them; the body's place where a row names none. */
const placesNamed = async (trx: Db, scope: Scope, rows: readonly Given[], body: Body) => {
  const names = [...new Set(rows.map((row) => row.project).filter((name) => name !== ''))];
  const projects =
    names.length === 0
      ? []
      : await trx
          .selectFrom('projects')
          .select(['id', 'name'])
          .where('name', 'in', names)
          .where('deleted_at', 'is', null)
          .where(projectInScope(scope, 'projects.id'))
          .orderBy('id', 'desc')
          .execute();
  const byName = new Map(projects.map((project) => [project.name, project.id]));
  const ids = [...byName.values(), ...(body.project_id === undefined ? [] : [body.project_id])];
  const parts =
    ids.length === 0
      ? []
      : await trx
          .selectFrom('project_parts')
          .select(['id', 'project_id', 'name'])
          .where('project_id', 'in', ids)
          .execute();
  return (row: Given): { project_id?: number; part_id?: number } | Flaw => {
    const project_id = row.project === '' ? body.project_id : byName.get(row.project);
    if (row.project !== '' && project_id === undefined) return { field: 'project', code: 'import.project' };
    if (row.part === '') {
      const part_id = row.project === '' ? body.part_id : undefined;
      return {
        ...(project_id === undefined ? {} : { project_id }),
        ...(part_id === undefined ? {} : { part_id }),
      };
    }
    const part = parts.find((one) => one.project_id === project_id && one.name === row.part);
    if (!part || project_id === undefined) return { field: 'part', code: 'part.missing' };
    return { project_id, part_id: part.id };
  };
};
