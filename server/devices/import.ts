import { deviceTypeWords } from '#contract/columns.ts';
import { type deviceEndpoints, expiryDay, linesOfType } from '#contract/devices.ts';
import type { BodyOf, ReplyOf } from '#contract/endpoint.ts';
import { type FaultCode, sentence } from '#contract/faults/codes.ts';
import { type Language, languages } from '#contract/languages.ts';
import { type DeviceType, deviceNumberPattern, deviceTypes } from '#contract/telemetry.ts';
import type { Db } from '#database/connect.ts';
import { Fault } from '#server/core/fault.ts';
import type { ForeignNames } from '#server/core/foreign-names.ts';
import { notDeleted } from '#server/core/not-deleted.ts';
import { inScope, projectInScope, type Scope } from '#server/core/scope.ts';
import { deviceChanges, numbersInScope, type Place, placeFor } from './changes.ts';
import type { ImportColumn } from './import-headings.ts';
import { readRowsWithinLimits } from './import-limits.ts';
import type { Given } from './import-read.ts';

type Body = BodyOf<typeof deviceEndpoints.import>;
type Reply = ReplyOf<typeof deviceEndpoints.import>;
type Result = Reply['results'][number];
const typeNamed = (text: string): DeviceType | null => {
  const byNumber = deviceTypes.find((type) => String(type) === text);
  const name = text.toLowerCase();
  const isName = (type: DeviceType) =>
    languages.some((language) => deviceTypeWords[type][language].toLowerCase() === name);
  return byNumber ?? deviceTypes.find(isName) ?? null;
};

/** Number of characters shown of an invalid device number: enough to find it in the file. */
const longestShown = 64;
const longestAddress = 200;

interface Flaw {
  field: ImportColumn;
  code: FaultCode;
  with?: Readonly<Record<string, string | number>>;
}

/**
 * Adds devices row by row, each by itself: a refused row gets its reason and does not affect others. A
 * preview does not reveal devices outside the scope.
 */
export const importDevices = async (
  trx: Db,
  scope: Scope,
  body: Body,
  at: Date,
  language: Language,
  { signal, foreign }: { signal: AbortSignal; foreign: ForeignNames },
): Promise<Pick<Reply, 'results' | 'unread'> & { added: number[] }> => {
  foreign.admit();
  const { rows, unread } = await readRowsWithinLimits(body, signal);
  const placeOf = await placesNamed(trx, scope, rows, body);
  const taken = await numbersInScope(
    trx,
    scope,
    rows.map((row) => row.number),
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
  if (!body.preview) foreign.met(adding.length - made.length);
  const madeOf = new Map(made.map((one) => [one.number, one]));
  const results = rows.map((row, index): Result => {
    const answer = { row: row.row, number: row.number.slice(0, longestShown) };
    const device = flaws[index] === null ? madeOf.get(row.number) : undefined;
    const flaw: Flaw | null =
      flaws[index] ?? (body.preview || device ? null : { field: 'number', code: 'device.elsewhere' });
    return {
      ...answer,
      result: flaw ? 'refused' : 'done',
      device_id: device?.device_id ?? null,
      secret: device?.secret ?? null,
      field: flaw?.field ?? null,
      message: flaw && sentence(flaw.code, language, flaw.with),
    };
  });
  return {
    results,
    unread: unread.map(({ column, heading, code }) => ({
      column,
      heading,
      message: sentence(code, language, { column, heading }),
    })),
    added: made.map((one) => one.device_id),
  };
};

/** The target of rows with the same project and part, looked up once. */
const placesFor = (trx: Db, scope: Scope) => {
  const known = new Map<string, Promise<Place | Flaw>>();
  return (named: { project_id?: number; part_id?: number }): Promise<Place | Flaw> => {
    const key = `${named.project_id}/${named.part_id}`;
    const asked =
      known.get(key) ??
      placeFor(trx, scope, named).catch((error: unknown): Flaw => {
        if (!(error instanceof Fault)) throw error;
        const [field, code] = Object.entries(error.details.fields ?? { project: error.code })[0]!;
        return { field: field.replace('_id', '') as ImportColumn, code };
      });
    known.set(key, asked);
    return asked;
  };
};

/** A long number as spreadsheets display it: its last digits are lost. */
const isRounded = (text: string): boolean => /^\d([.,]\d+)?E\+?\d+$/i.test(text);

const flawOf = (
  row: Given,
  type: DeviceType | null,
  seen: ReadonlySet<string>,
  taken: ReadonlySet<string>,
): Flaw | null => {
  if (!deviceNumberPattern.test(row.number))
    return { field: 'number', code: isRounded(row.number) ? 'import.rounded' : 'device.number' };
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

/** Projects and parts by the names in the rows; the body's project if a row names none. */
const placesNamed = async (trx: Db, scope: Scope, rows: readonly Given[], body: Body) => {
  const names = [...new Set(rows.map((row) => row.project).filter((name) => name !== ''))];
  const projects =
    names.length === 0
      ? []
      : await trx
          .selectFrom('projects')
          .select(['id', 'name'])
          .where('name', 'in', names)
          .where(notDeleted('projects'))
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
          .where(inScope(scope, 'project_parts.project_id', 'project_parts.id'))
          .execute();
  const partByName = new Map(parts.map((part) => [`${part.project_id} ${part.name}`, part]));
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
    const part = partByName.get(`${project_id} ${row.part}`);
    if (!part || project_id === undefined) return { field: 'part', code: 'part.missing' };
    return { project_id, part_id: part.id };
  };
};
