import { sql } from 'kysely';
import type { BodyOf } from '#contract/endpoint.ts';
import type { statisticsEndpoints } from '#contract/statistics.ts';
import type { Db } from '#database/connect.ts';
import { fault } from '#server/core/fault.ts';
import { notDeleted } from '#server/core/not-deleted.ts';
import { seenFrom } from '#server/core/ownership.ts';
import { inScope, type Scope } from '#server/core/scope.ts';
import { correctQuarters } from '#server/rollups/correct.ts';
import type { Span } from './range.ts';
import { rounded } from './sums.ts';
import { type MeteredLine, targetOf } from './target.ts';

const quarterMs = 900_000;
/** Maximum difference between equal sums of binary fractions, kWh. */
const alikeKWh = 0.005;
/** A rating may be exceeded for a while; energy far beyond it is a typing error. */
const mostOverRating = 10;

interface Row {
  id: number;
  line_id: number;
  line_name: string;
  device_number: string;
  from_at: Date;
  to_at: Date;
  before_kwh: number;
  after_kwh: number;
  reason: string;
  undoes: number | null;
  undone_by: number | null;
  operator: string;
  created_at: Date;
}
const shown = ({ from_at, to_at, created_at, ...row }: Row) => ({
  ...row,
  from: from_at.toISOString(),
  to: to_at.toISOString(),
  time: created_at.toISOString(),
});
interface Wanted {
  id?: number;
  line_id?: number | undefined;
  project_id?: number | undefined;
  within?: Span;
}
/** Corrections of lines that the caller sees, from the time at which the caller's access to their history begins. */
const matching = (scope: Scope, { id, line_id, project_id, within }: Wanted) => sql`
  from energy_corrections c join lines l on l.id = c.line_id join devices on devices.id = l.device_id
  where ${notDeleted('devices')} and ${inScope(scope, 'devices.project_id', 'devices.part_id')}
    and c.from_at >= ${seenFrom(scope, 'devices.id')}
    and ${id === undefined ? sql`true` : sql`c.id = ${id}`}
    and ${line_id === undefined ? sql`true` : sql`c.line_id = ${line_id}`}
    and ${project_id === undefined ? sql`true` : sql`devices.project_id = ${project_id}`}
    and ${within === undefined ? sql`true` : sql`c.from_at < ${new Date(within.to)} and c.to_at > ${new Date(within.from)}`}`;
const rowsOf = async (
  db: Db,
  scope: Scope,
  wanted: Wanted,
  page: { order: 'asc' | 'desc'; limit: number; offset: number },
) => {
  const { rows } = await sql<Row>`
    select c.*, case when l.name = '' then '#' || l.n else l.name end as line_name, devices.number as device_number,
      (select u.id from energy_corrections u where u.undoes = c.id) as undone_by
    ${matching(scope, wanted)} order by c.id ${sql.raw(page.order)} limit ${page.limit} offset ${page.offset}`.execute(
    db,
  );
  return rows.map(shown);
};

const mostOfRange = 200;
export const correctionsOf = (db: Db, scope: Scope, wanted: { line_id: number; within: Span }) =>
  rowsOf(db, scope, wanted, { order: 'desc', limit: mostOfRange, offset: 0 });

export const listCorrections = async (
  db: Db,
  scope: Scope,
  { page, limit, sort, line_id, project_id }: BodyOf<typeof statisticsEndpoints.corrections>,
) => {
  const wanted = { line_id, project_id };
  const [list, counted] = await Promise.all([
    rowsOf(db, scope, wanted, { order: sort === 'id' ? 'asc' : 'desc', limit, offset: (page - 1) * limit }),
    sql<{ total: number }>`select count(*) as total ${matching(scope, wanted)}`.execute(db),
  ]);
  return { list, total: counted.rows[0]!.total, page, limit };
};

interface Part {
  bucket: number;
  kwh: number;
}
/** What a correction adds to each quarter: in proportion to its energy, evenly if there is none. */
export const dividedCorrection = (quarters: readonly Part[], span: Span, afterKWh: number): Part[] => {
  const beforeKWh = quarters.reduce((sum, { kwh }) => sum + kwh, 0);
  if (beforeKWh > 0)
    return quarters
      .filter(({ kwh }) => kwh !== 0)
      .map(({ bucket, kwh }) => ({ bucket, kwh: (kwh * (afterKWh - beforeKWh)) / beforeKWh }));
  const count = (span.to - span.from) / quarterMs;
  return Array.from({ length: count }, (_, index) => ({
    bucket: span.from + index * quarterMs,
    kwh: afterKWh / count,
  }));
};

const quartersOf = async (db: Db, lineId: number, { from, to }: Span): Promise<Part[]> => {
  const rows = await db
    .selectFrom('rollup_quarter')
    .select(['bucket', 'energy_kwh'])
    .where('line_id', '=', lineId)
    .where('bucket', '>=', new Date(from))
    .where('bucket', '<', new Date(to))
    .orderBy('bucket')
    .execute();
  return rows.map(({ bucket, energy_kwh }) => ({ bucket: bucket.getTime(), kwh: energy_kwh }));
};
const sumOf = (parts: readonly Part[]) => parts.reduce((sum, { kwh }) => sum + kwh, 0);

interface Corrector {
  scope: Scope;
  userId: number;
  name: string;
}
const mostSpanMs = 400 * 86_400_000;
const spanOf = (
  { from, to }: { from: string; to: string },
  times: readonly MeteredLine[],
  now: number,
): Span => {
  const span = { from: Date.parse(from), to: Date.parse(to) };
  if (span.from >= span.to) fault('request.invalid', { fields: { to: 'range.order' } });
  if (span.from % quarterMs !== 0) fault('request.invalid', { fields: { from: 'energy.quarter' } });
  if (span.to % quarterMs !== 0) fault('request.invalid', { fields: { to: 'energy.quarter' } });
  if (span.to > now) fault('request.invalid', { fields: { to: 'energy.notOver' } });
  if (span.to - span.from > mostSpanMs)
    fault('request.invalid', { fields: { to: 'range.long' }, with: { days: mostSpanMs / 86_400_000 } });
  const line = times.find(({ since, until }) => since <= span.from && until >= span.to);
  if (!line || line.data_from === null || span.to <= line.data_from)
    fault('request.invalid', { fields: { from: 'energy.noFigures' } });
  return span;
};

const write = async (
  trx: Db,
  by: Corrector,
  given: {
    lineId: number;
    projectId: number | null;
    zone: string;
    span: Span;
    before: number;
    after: number;
    parts: readonly Part[];
    reason: string;
    undoes: number | null;
    now: number;
  },
) => {
  const { lineId, span, parts, now } = given;
  const { id } = await trx
    .insertInto('energy_corrections')
    .values({
      line_id: lineId,
      project_id: given.projectId,
      from_at: new Date(span.from),
      to_at: new Date(span.to),
      before_kwh: given.before,
      after_kwh: given.after,
      reason: given.reason,
      undoes: given.undoes,
      user_id: by.userId,
      operator: by.name,
      created_at: new Date(now),
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  await correctQuarters(trx, { lineId, correctionId: id, zone: given.zone, parts });
  const [row] = await rowsOf(trx, by.scope, { id }, { order: 'asc', limit: 1, offset: 0 });
  return row!;
};

/**
 * Sets the energy of a line between two instants: a row in the list of corrections, and its share in each
 * quarter of an hour. Throws errors at their fields, and `thing.changed` if the caller saw other figures.
 */
export const correctEnergy = async (
  trx: Db,
  by: Corrector,
  body: BodyOf<typeof statisticsEndpoints.correct>,
  now: number,
) => {
  // One correction of a line at a time, because each is based on the figures after the previous one.
  await trx.selectFrom('lines').select('id').where('id', '=', body.line_id).forNoKeyUpdate().execute();
  const target = await targetOf(trx, by.scope, { line_id: body.line_id });
  const [line] = target.lines;
  const span = spanOf(body, target.lines, now);
  const kW = Math.max(line!.rated_w / 1000, line!.proven_kw ?? 0);
  const limit = Math.ceil((mostOverRating * kW * (span.to - span.from)) / 3_600_000);
  if (body.kwh > limit) fault('request.invalid', { fields: { kwh: 'energy.capacity' }, with: { limit } });
  const quarters = await quartersOf(trx, body.line_id, span);
  const before = rounded(sumOf(quarters));
  if (Math.abs(before - body.expected_kwh) > alikeKWh) fault('thing.changed', { data: { kwh: before } });
  if (Math.abs(before - body.kwh) < alikeKWh)
    fault('request.invalid', { fields: { kwh: 'energy.unchanged' } });
  const row = await write(trx, by, {
    lineId: body.line_id,
    projectId: target.project_id,
    zone: target.zone,
    span,
    before,
    after: body.kwh,
    parts: dividedCorrection(quarters, span, body.kwh),
    reason: body.reason,
    undoes: null,
    now,
  });
  return { row, projectId: target.project_id, deviceId: line!.device_id };
};

/**
 * Reverses a correction by another row in the list. Throws `energy.negative` if later corrections forbid it.
 */
export const undoCorrection = async (
  trx: Db,
  by: Corrector,
  { id, reason }: { id: number; reason: string },
  now: number,
) => {
  const [known] = await rowsOf(trx, by.scope, { id }, { order: 'asc', limit: 1, offset: 0 });
  if (!known) return fault('thing.missing');
  await trx.selectFrom('lines').select('id').where('id', '=', known.line_id).forNoKeyUpdate().execute();
  const [fresh] = await rowsOf(trx, by.scope, { id }, { order: 'asc', limit: 1, offset: 0 });
  if (known.undoes !== null) fault('energy.isUndo');
  if (fresh!.undone_by !== null) fault('energy.undone');
  const target = await targetOf(trx, by.scope, { line_id: known.line_id });
  const span = { from: Date.parse(known.from), to: Date.parse(known.to) };
  const quarters = new Map(
    (await quartersOf(trx, known.line_id, span)).map(({ bucket, kwh }) => [bucket, kwh]),
  );
  const added = await trx
    .selectFrom('energy_correction_parts')
    .select(['bucket', 'kwh'])
    .where('correction_id', '=', id)
    .execute();
  const parts = added.map(({ bucket, kwh }) => ({ bucket: bucket.getTime(), kwh: -kwh }));
  if (parts.some(({ bucket, kwh }) => (quarters.get(bucket) ?? 0) + kwh < -1e-9))
    fault('request.invalid', { fields: { id: 'energy.negative' } });
  const before = [...quarters.values()].reduce((sum, kwh) => sum + kwh, 0);
  const row = await write(trx, by, {
    lineId: known.line_id,
    projectId: target.project_id,
    zone: target.zone,
    span,
    before: rounded(before),
    after: rounded(Math.max(0, before + sumOf(parts))),
    parts,
    reason,
    undoes: id,
    now,
  });
  return { row, projectId: target.project_id, deviceId: target.lines[0]!.device_id };
};
