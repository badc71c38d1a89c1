import type pg from 'pg';
import { countsInProject, loadOf } from '#server/core/metered-lines.ts';

const hoursAtOnce = 500;

/**
 * Sums up the quarters of these hours for whole projects (part 0) and for their parts. A line counts for its
 * owner at the beginning of the quarter. While a project has an incoming line, only such lines count for it.
 */
const loadSql = `
  with claimed as (
    delete from load_dirty using (
      select project_id, hour from load_dirty order by project_id, hour limit ${hoursAtOnce} for update skip locked) mine
    where load_dirty.project_id = mine.project_id and load_dirty.hour = mine.hour
    returning load_dirty.project_id, load_dirty.hour),
  held as materialized (
    select held.* from (select distinct project_id from claimed) mine
    cross join lateral (select * from metered_times m where m.project_id = mine.project_id offset 0) held),
  feeders as materialized (select distinct project_id, since, until from held where incoming),
  figures as materialized (
    select held.project_id, q.bucket, held.part_id, held.in_parts,
      ${countsInProject('held', 'q.bucket', 'feeders')} as in_project, q.covered_s, q.energy_kwh, q.energy_flags,
      ${loadOf('q')} as power_w
    from claimed
    join held on held.project_id = claimed.project_id and held.since < claimed.hour + interval '1 hour' and held.until > claimed.hour
    join rollup_quarter q on q.line_id = held.line_id and q.bucket >= greatest(claimed.hour, held.since)
      and q.bucket < least(claimed.hour + interval '1 hour', held.until)),
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

const newestSql = `
  with due as (select project_id, before from load_rebuild order by project_id limit 1 for update skip locked)
  select due.project_id, greatest(
    (select max(bucket) from load_quarter s where s.project_id = due.project_id and s.part_id = 0 and s.bucket < due.before),
    (select max(q.bucket) from metered_times m cross join lateral (
       select bucket from rollup_quarter q where q.line_id = m.line_id and q.bucket >= m.since
         and q.bucket < least(m.until, due.before) order by bucket desc limit 1) q
     where m.project_id = due.project_id)) as newest
  from due`;
const weekSql = `
  with moved as (update load_rebuild set before = date_trunc('hour', $2::timestamptz, 'UTC') - interval '167 hours' where project_id = $1)
  insert into load_dirty (project_id, hour)
  select $1::int, date_trunc('hour', $2::timestamptz, 'UTC') - i * interval '1 hour' from generate_series(0, 167) i
  on conflict do nothing`;

/** Sums up some of the marked hours; returns false if none was left. */
export const sumLoad = async (client: pg.ClientBase): Promise<boolean> => {
  const { rows } = await client.query<{ claimed: number }>(loadSql);
  return (rows[0]?.claimed ?? 0) > 0;
};

/** Marks a week of a project whose sums are calculated again, the newest first; false: no project is left. */
export const markWeek = async (client: pg.ClientBase): Promise<boolean> => {
  const { rows } = await client.query<{ project_id: number; newest: Date | null }>(newestSql);
  const due = rows[0];
  if (!due) return false;
  if (due.newest === null)
    await client.query('delete from load_rebuild where project_id = $1', [due.project_id]);
  else await client.query(weekSql, [due.project_id, due.newest]);
  return true;
};
