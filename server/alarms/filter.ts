/** A filter of the alarm list as SQL conditions within the caller's scope. */

import { type RawBuilder, sql } from 'kysely';
import type { AlarmFilter } from '#contract/alarms.ts';
import type { Db } from '#database/connect.ts';
import { alarmsInScope } from '#server/core/alarm-scope.ts';
import { containing } from '#server/core/containing.ts';
import { notDeleted } from '#server/core/not-deleted.ts';
import type { Scope } from '#server/core/scope.ts';
import { unexplained } from '#server/core/unexplained.ts';

export type Condition = RawBuilder<unknown>;

const mostNamed = 2000;

/**
 * Conditions on `a` (alarms). Names are looked up first, so that the alarm query uses only numbers; if a part
 * of a number matches more than 2,000 devices, it is so frequent that checking row by row fills a page at
 * once.
 */
export const conditionsOf = async (db: Db, scope: Scope, filter: AlarmFilter): Promise<Condition[]> => {
  const conditions: Condition[] = [
    notDeleted('a'),
    filter.suppressed === true ? sql`not ${unexplained('a')}` : unexplained('a'),
  ];
  if (!scope.all) conditions.push(alarmsInScope(scope));
  if (filter.status !== undefined) conditions.push(sql`a.processed = ${filter.status === 'processed'}`);
  if (filter.level !== undefined) conditions.push(sql`a.level = ${filter.level}`);
  if (filter.severity !== undefined) conditions.push(sql`a.severity = ${filter.severity}`);
  const [onlyCode, ...moreCodes] = filter.typeNumber ?? [];
  if (onlyCode !== undefined)
    conditions.push(
      moreCodes.length === 0
        ? sql`a.code = ${onlyCode}`
        : sql`a.code = any(${filter.typeNumber}::smallint[])`,
    );
  if (filter.project_id !== undefined) conditions.push(sql`a.project_id = ${filter.project_id}`);
  if (filter.device_id !== undefined) conditions.push(sql`a.device_id = ${filter.device_id}`);
  if (filter.line_id !== undefined) conditions.push(sql`a.line_id = ${filter.line_id}`);
  if (filter.from !== undefined) conditions.push(sql`a.raised_at >= ${filter.from}::timestamptz`);
  if (filter.to !== undefined) conditions.push(sql`a.raised_at < ${filter.to}::timestamptz`);
  if (filter.active !== undefined)
    conditions.push(filter.active ? sql`a.cleared_at is null` : sql`a.cleared_at is not null`);
  if (filter.work_order !== undefined)
    conditions.push(sql`a.work_order = ${filter.work_order.toUpperCase()}`);
  if (filter.project_name !== undefined)
    conditions.push(sql`a.project_id = any(${await projectsNamed(db, filter.project_name)}::int[])`);
  if (filter.number !== undefined) {
    // Without letters no case must be folded, which would take most of the time.
    const fits = /[^\d_-]/.test(filter.number)
      ? sql`named.number ilike ${containing(filter.number)}`
      : sql`named.number like ${containing(filter.number)}`;
    const named = await sql<{ id: number }>`
      select named.id from devices named where ${fits} limit ${mostNamed + 1}`.execute(db);
    conditions.push(
      named.rows.length > mostNamed
        ? sql`exists (select from devices named where named.id = a.device_id and ${fits})`
        : sql`a.device_id = any(${named.rows.map((device) => device.id)}::int[])`,
    );
  }
  return conditions;
};

/** Ids of the projects whose name contains this text. */
export const projectsNamed = async (db: Db, name: string): Promise<number[]> => {
  const named = await db
    .selectFrom('projects')
    .select('id')
    .where('name', 'ilike', containing(name))
    .execute();
  return named.map((project) => project.id);
};

export const all = (conditions: readonly Condition[]): Condition => sql.join(conditions, sql` and `);
