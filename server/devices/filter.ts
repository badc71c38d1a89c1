import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type * as z from 'zod';
import type { deviceEndpoints } from '#contract/devices.ts';
import { containing } from '#server/core/containing.ts';
import { notDeleted } from '#server/core/not-deleted.ts';
import { inScope, type Scope } from '#server/core/scope.ts';

export type DeviceFilters = z.output<(typeof deviceEndpoints)['export']['body']>;

/** Condition on `devices` alone, so that a count needs no join. */
export const deviceCondition = (scope: Scope, filters: DeviceFilters): RawBuilder<SqlBool> => {
  const conditions: RawBuilder<unknown>[] = [
    notDeleted('devices'),
    sql`${inScope(scope, 'devices.project_id', 'devices.part_id')}`,
  ];
  if (filters.project_id !== undefined) conditions.push(sql`devices.project_id = ${filters.project_id}`);
  if (filters.project_name !== undefined)
    conditions.push(
      sql`devices.project_id in (select id from projects where name ilike ${containing(filters.project_name)})`,
    );
  if (filters.number !== undefined) conditions.push(sql`devices.number ilike ${containing(filters.number)}`);
  if (filters.category_id !== undefined) conditions.push(sql`devices.category_id = ${filters.category_id}`);
  if (filters.type !== undefined) conditions.push(sql`devices.type = ${filters.type}`);
  if (filters.bound !== undefined)
    conditions.push(filters.bound ? sql`devices.project_id is not null` : sql`devices.project_id is null`);
  if (filters.status !== undefined)
    conditions.push(
      sql`exists (select from device_state where device_id = devices.id and online = ${filters.status === 'online'})`,
    );
  return sql<SqlBool>`${sql.join(conditions, sql` and `)}`;
};

interface Order {
  state: boolean;
  ascending: RawBuilder<unknown>;
  descending: RawBuilder<unknown>;
}
const byColumn = (column: string): Order => {
  const by = sql.ref(`devices.${column}`);
  return {
    state: false,
    ascending: sql`${by}, devices.id`,
    descending: sql`${by} desc, devices.id desc`,
  };
};
const orders: Record<string, Order> = {
  number: {
    state: false,
    ascending: sql`devices.number`,
    descending: sql`devices.number desc`,
  },
  name: byColumn('name'),
  type: byColumn('type'),
  registered_at: byColumn('registered_at'),
  status: {
    state: true,
    ascending: sql`s.online, s.device_id`,
    descending: sql`s.online desc, s.device_id desc`,
  },
  last_seen: {
    state: true,
    ascending: sql`s.last_seen nulls first, s.device_id`,
    descending: sql`s.last_seen desc nulls last, s.device_id desc`,
  },
};

/** Order of the list, and whether it needs `device_state s`. */
const deviceOrder = (sort = 'number'): { state: boolean; by: RawBuilder<unknown> } => {
  const order = orders[sort.replace(/^-/, '')]!;
  return { state: order.state, by: sort.startsWith('-') ? order.descending : order.ascending };
};

/**
 * Counts the rows of a filter, and finds the ids of a page. Every device has a row in `device_state`, so if
 * only the status matters that table is enough.
 */
export const deviceQueries = (
  scope: Scope,
  filters: DeviceFilters,
  sort: string | undefined,
  { limit, offset }: { limit: number; offset: number },
): { counting: RawBuilder<{ total: number }>; finding: RawBuilder<{ id: number }> } => {
  const { status, ...others } = filters;
  const all = scope.all && Object.values(others).every((filter) => filter === undefined);
  const { state, by } = deviceOrder(sort);
  const page = sql`order by ${by} limit ${limit} offset ${offset}`;
  const ofStatus = status === undefined ? sql`true` : sql`s.online = ${status === 'online'}`;
  return {
    counting:
      all && status !== undefined
        ? sql`select count(*) as total from device_state s where ${ofStatus}`
        : sql`select count(*) as total from devices where ${deviceCondition(scope, filters)}`,
    finding: !state
      ? sql`select devices.id from devices where ${deviceCondition(scope, filters)} ${page}`
      : all
        ? sql`select s.device_id as id from device_state s where ${ofStatus} ${page}`
        : sql`
          select devices.id from devices join device_state s on s.device_id = devices.id
          where ${deviceCondition(scope, others)} and ${ofStatus} ${page}`,
  };
};
