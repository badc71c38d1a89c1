import { sql } from 'kysely';
import type { alarmEndpoints } from '#contract/alarms.ts';
import type { ReplyOf } from '#contract/endpoint.ts';
import type { Db } from '#database/connect.ts';
import { alarmsInScope } from '#server/core/alarm-scope.ts';
import type { Scope } from '#server/core/scope.ts';

const windowMs = 10 * 60_000;
const beginsAbove = 10;
const endsBelow = 5;
const lookBackMs = 6 * 3_600_000;
const mostTimes = 20_000;

/**
 * A flood begins with the eleventh alarm within ten minutes and ends when there are fewer than five
 * (ISA-18.2, see domain reference §3.2 rule 4). `times` are in order; returns the beginning of the present
 * flood, or null.
 */
export const floodSince = (times: readonly number[], now: number): number | null => {
  let since: number | null = null;
  let oldest = 0;
  for (const [index, at] of times.entries()) {
    while (at - (times[oldest] ?? at) >= windowMs) oldest += 1;
    if (index - oldest < endsBelow) since = null;
    if (since === null && index - oldest + 1 > beginsAbove) since = at;
  }
  const recent = times.filter((at) => now - at < windowMs).length;
  return recent < endsBelow ? null : since;
};

type Flood = ReplyOf<typeof alarmEndpoints.flood>;

/** The flood in a scope, by project and device; groups are returned only during a flood. */
export const floodOf = async (db: Db, scope: Scope, now: number): Promise<Flood> => {
  const fresh = (since: number) => sql`a.raised_at > ${new Date(since)} and a.raised_at <= ${new Date(now)}
    and ${alarmsInScope(scope)}`;
  const { rows } = await sql<{ at: Date }>`
    select a.raised_at as at from counted_alarms() a where ${fresh(now - lookBackMs)} order by a.raised_at desc
    limit ${mostTimes}`.execute(db);
  const times = rows.map((row) => row.at.getTime()).reverse();
  const since = floodSince(times, now);
  const count = times.filter((at) => now - at < windowMs).length;
  if (since === null) return { active: false, since: null, count, groups: [] };
  const found = await sql<Flood['groups'][number]>`
    with counted_devices as (
      select a.project_id, a.device_id, count(*)::int as n, count(*) filter (where a.severity = 1)::int as critical
      from counted_alarms() a where ${fresh(now - windowMs)} group by 1, 2)
    select t.project_id, coalesce(p.name, '') as project_name, sum(t.n)::int as count, sum(t.critical)::int as critical,
      (array_agg(jsonb_build_object('device_id', t.device_id, 'number', coalesce(d.number, ''), 'count', t.n)
        order by t.n desc, t.device_id))[1:20] as devices
    from counted_devices t left join projects p on p.id = t.project_id left join devices d on d.id = t.device_id
    group by 1, 2 order by 3 desc limit 50`.execute(db);
  return { active: true, since: new Date(since).toISOString(), count, groups: found.rows };
};
