import type pg from 'pg';
import { countsInProject, loadOf } from '#server/core/metered-lines.ts';

const hoursAtOnce = 500;

/**
 * Sums up the quarters of these hours for whole projects (part 0) and for their parts. A device counts for
 * its owner at that time; an incoming line counts in place of the lines that it supplies.
 */
const loadSql = `
  with claimed as (
    delete from load_dirty using (
      select project_id, hour from load_dirty order by project_id, hour limit ${hoursAtOnce} for update skip locked) mine
    where load_dirty.project_id = mine.project_id and load_dirty.hour = mine.hour
    returning load_dirty.project_id, load_dirty.hour),
  held as materialized (
    select d.project_id, d.id as device_id from devices d where d.project_id in (select project_id from claimed)
    union select past.project_id, past.device_id from device_past_owners past
    where past.project_id in (select project_id from claimed)),
  figures as materialized (
    select held.project_id, q.bucket, owner.part_id, e.in_parts, ${countsInProject('held.project_id')} as in_project, q.covered_s, q.energy_kwh, q.energy_flags,
      ${loadOf('q')} as power_w
    from claimed
    join held on held.project_id = claimed.project_id
    join energy_lines e on e.device_id = held.device_id join lines l on l.id = e.line_id
    join rollup_quarter q on q.line_id = e.line_id and q.bucket >= claimed.hour and q.bucket < claimed.hour + interval '1 hour'
    cross join lateral (
      select o.project_id, o.part_id from (
        select project_id, part_id, until from device_past_owners past
        where past.device_id = held.device_id and past.until > q.bucket
        union all select d.project_id, d.part_id, 'infinity' from devices d where d.id = held.device_id) o
      order by o.until limit 1) owner
    where owner.project_id = held.project_id),
  summed as (
    select project_id, part_id, bucket, count(*) as lines, sum(covered_s) as covered_s, sum(energy_kwh) as energy_kwh,
      bit_or(energy_flags) as energy_flags, sum(power_w)::double precision as power_w
    from (
      select project_id, 0 as part_id, bucket, covered_s, energy_kwh, energy_flags, power_w from figures where in_project
      union all
      select project_id, part_id, bucket, covered_s, energy_kwh, energy_flags, power_w from figures
      where in_parts and part_id is not null) counted
    group by project_id, part_id, bucket),
  gone as (delete from load_quarter b using claimed
    where b.project_id = claimed.project_id and b.bucket >= claimed.hour and b.bucket < claimed.hour + interval '1 hour'
      and not exists (select from summed s
        where s.project_id = b.project_id and s.part_id = b.part_id and s.bucket = b.bucket)),
  written as (
    insert into load_quarter (project_id, part_id, bucket, lines, covered_s, energy_kwh, energy_flags, power_w)
    select project_id, part_id, bucket, lines, covered_s, energy_kwh, energy_flags, power_w from summed
    on conflict (project_id, part_id, bucket) do update set lines = excluded.lines, covered_s = excluded.covered_s,
      energy_kwh = excluded.energy_kwh, energy_flags = excluded.energy_flags, power_w = excluded.power_w)
  select count(*)::int as claimed from claimed`;

/** Sums up some of the marked hours; returns false if none was left. */
export const sumLoad = async (client: pg.ClientBase): Promise<boolean> => {
  const { rows } = await client.query<{ claimed: number }>(loadSql);
  return (rows[0]?.claimed ?? 0) > 0;
};
