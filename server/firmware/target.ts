import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Db } from '#database/connect.ts';
import { notDeleted } from '#server/core/not-deleted.ts';
import { inScope, type Scope } from '#server/core/scope.ts';
import { openStates } from './firmware.rules.ts';

interface TargetFilter {
  project_ids?: readonly number[] | undefined;
  numbers?: readonly string[] | undefined;
  from_versions?: readonly string[] | undefined;
}

/** Condition on `devices`: of the type, bound, in scope and matching the filter. */
const matching = (scope: Scope, type: number, given: TargetFilter): RawBuilder<SqlBool> => {
  const conditions: RawBuilder<unknown>[] = [
    sql`${notDeleted('devices')} and devices.project_id is not null and devices.type = ${type}`,
    sql`${inScope(scope, 'devices.project_id', 'devices.part_id')}`,
  ];
  if (given.project_ids) conditions.push(sql`devices.project_id = any(${[...given.project_ids]}::int[])`);
  if (given.numbers) conditions.push(sql`devices.number = any(${[...given.numbers]}::text[])`);
  if (given.from_versions) conditions.push(sql`devices.firmware = any(${[...given.from_versions]}::text[])`);
  return sql<SqlBool>`${sql.join(conditions, sql` and `)}`;
};
const inRollout = sql`exists (select from rollout_devices rd join rollouts r on r.id = rd.rollout_id
  where rd.device_id = devices.id and rd.state in (${sql.join(openStates.map((state) => sql.lit(state)))})
    and r.state in ('running', 'paused'))`;

interface Found {
  id: number;
  firmware: string;
  project_id: number;
}
/** Devices that a rollout would update, online ones first, because they become the canaries. */
export const findTargets = async (
  db: Db,
  scope: Scope,
  { type, version, most }: { type: number; version: string; most: number },
  given: TargetFilter,
): Promise<Found[]> =>
  (
    await sql<Found>`
      select devices.id, devices.firmware, devices.project_id from devices left join device_state s on s.device_id = devices.id
      where ${matching(scope, type, given)} and devices.firmware <> ${version} and not ${inRollout}
      order by coalesce(s.online, false) desc, md5(devices.id::text || ${version}) limit ${most + 1}`.execute(
      db,
    )
  ).rows;

export const previewTargets = async (
  db: Db,
  scope: Scope,
  { type, version }: { type: number; version: string },
  given: TargetFilter,
) => {
  const counted = await sql<
    Record<'devices' | 'online' | 'already' | 'busy' | 'tagged' | 'critical', number>
  >`
    select count(*) filter (where is_target)::int as devices,
      count(*) filter (where is_target and online)::int as online,
      count(*) filter (where already)::int as already,
      count(*) filter (where busy and not already)::int as busy,
      count(*) filter (where is_target and tagged)::int as tagged,
      count(*) filter (where is_target and critical)::int as critical
    from (
      select *, not already and not busy as is_target from (
        select devices.firmware = ${version} as already, ${inRollout} as busy, coalesce(s.online, false) as online,
          exists (select from active_tags tag join lines on lines.id = tag.line_id where lines.device_id = devices.id) as tagged,
          exists (select from lines where device_id = devices.id and critical) as critical
        from devices left join device_state s on s.device_id = devices.id
        where ${matching(scope, type, given)}) each) judged`.execute(db);
  const versions = await sql<{ version: string; devices: number }>`
    select firmware as version, count(*)::int as devices from devices
    where ${matching(scope, type, given)} group by 1 order by 2 desc, 1 limit 50`.execute(db);
  return { ...counted.rows[0]!, versions: versions.rows };
};
