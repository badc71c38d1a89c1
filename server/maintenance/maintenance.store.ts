import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { BodyOf } from '#contract/endpoint.ts';
import type { MaintenanceRow, maintenanceEndpoints } from '#contract/maintenance.ts';
import type { Db } from '#database/connect.ts';
import { containing } from '#server/core/containing.ts';
import { displayNameOf } from '#server/core/display-name.ts';
import { fault } from '#server/core/fault.ts';
import { notDeleted } from '#server/core/not-deleted.ts';
import { inScope, type Scope } from '#server/core/scope.ts';

type Filters = BodyOf<typeof maintenanceEndpoints.export>;
/** Number of rows that an export reads at once. */
const exportPage = 500;

const conditionOf = (scope: Scope, filters: Filters): RawBuilder<SqlBool> => {
  const { project_id, device_id, device_number, alarm_id, kind, handler, keyword, from, to } = filters;
  const conditions: RawBuilder<unknown>[] = [
    notDeleted('record'),
    sql`${inScope(scope, 'record.project_id', 'record.part_id')}`,
  ];
  if (project_id !== undefined) conditions.push(sql`record.project_id = ${project_id}`);
  if (device_id !== undefined) conditions.push(sql`record.device_id = ${device_id}`);
  if (device_number !== undefined)
    conditions.push(sql`record.device_number ilike ${containing(device_number)}`);
  if (alarm_id !== undefined)
    conditions.push(sql`record.alarms @> ${JSON.stringify([{ id: alarm_id }])}::jsonb`);
  if (kind !== undefined) conditions.push(sql`record.kind = ${kind}`);
  if (handler !== undefined) conditions.push(sql`record.handler_name ilike ${containing(handler)}`);
  if (keyword !== undefined)
    conditions.push(
      sql`(record.content || ' ' || record.fault_content || ' ' || record.result || ' ' || record.suggestion)
        ilike ${containing(keyword)}`,
    );
  if (from !== undefined) conditions.push(sql`record.maintenance_time >= ${from}`);
  if (to !== undefined) conditions.push(sql`record.maintenance_time <= ${to}`);
  return sql<SqlBool>`${sql.join(conditions, sql` and `)}`;
};
const records = (db: Db) =>
  db
    .selectFrom('maintenance_records as record')
    .innerJoin('projects', 'projects.id', 'record.project_id')
    .innerJoin('users', 'users.id', 'record.author_id')
    .selectAll('record')
    .select(['projects.name as project_name'])
    .select(displayNameOf('users').as('author'));
type Stored = Awaited<ReturnType<ReturnType<typeof records>['executeTakeFirstOrThrow']>>;

const onWire = ({
  id,
  maintenance_time,
  created_at,
  author_id: _,
  deleted_at: __,
  place: ___,
  ...row
}: Stored): MaintenanceRow => ({
  ...row,
  record_id: id,
  maintenance_time: maintenance_time.toISOString(),
  created_at: created_at.toISOString(),
});

export const maintenanceStore = (db: Db) => ({
  async list(scope: Scope, body: BodyOf<typeof maintenanceEndpoints.list>) {
    const { page, limit, sort = '-maintenance_time' } = body;
    const where = conditionOf(scope, body);
    const direction = sort.startsWith('-') ? 'desc' : 'asc';
    const order = sql.raw(direction);
    const [counted, rows] = await Promise.all([
      sql<{ total: number }>`select count(*) as total from maintenance_records record where ${where}`.execute(
        db,
      ),
      records(db)
        .where(
          sql<SqlBool>`record.id in (
            select record.id from maintenance_records record where ${where}
            order by record.maintenance_time ${order}, record.id ${order} limit ${limit} offset ${(page - 1) * limit})`,
        )
        .orderBy('record.maintenance_time', direction)
        .orderBy('record.id', direction)
        .execute(),
    ]);
    return { list: rows.map(onWire), total: counted.rows[0]!.total, page, limit };
  },

  /**
   * All records that the filter shows, newest first; each page continues after the last row of the previous
   * one.
   */
  async *every(scope: Scope, filters: Filters): AsyncGenerator<MaintenanceRow> {
    let after: Stored | null = null;
    for (;;) {
      let query = records(db).where(conditionOf(scope, filters));
      if (after !== null)
        query = query.where(
          sql<SqlBool>`(record.maintenance_time, record.id) < (${after.maintenance_time}, ${after.id})`,
        );
      const rows: Stored[] = await query
        .orderBy('record.maintenance_time', 'desc')
        .orderBy('record.id', 'desc')
        .limit(exportPage)
        .execute();
      for (const row of rows) yield onWire(row);
      after = rows.at(-1) ?? null;
      if (rows.length < exportPage) return;
    }
  },

  /** Throws `maintenance.missing` outside the scope, as for an unknown id. */
  async read(scope: Scope, recordId: number): Promise<MaintenanceRow> {
    const row = await records(db)
      .where('record.id', '=', recordId)
      .where(notDeleted('record'))
      .where(inScope(scope, 'record.project_id', 'record.part_id'))
      .executeTakeFirst();
    return row ? onWire(row) : fault('maintenance.missing');
  },

  /** A record with its row locked until commit. */
  async hold(scope: Scope, recordId: number): Promise<MaintenanceRow> {
    await db.selectFrom('maintenance_records').select('id').where('id', '=', recordId).forUpdate().execute();
    return this.read(scope, recordId);
  },
});
