-- Quarters of an hour are the base of hours, days and months: the offset of every zone is a multiple of 15
-- minutes, so days can be calculated again from them. They are kept forever, like hours, days and months.
alter table rollup_minute
  add column estimated_kwh double precision not null default 0, -- part of energy_kwh that no reading assigns to this time
  add column corrected_kwh double precision not null default 0, -- part of energy_kwh that corrections added
  add column loss_kwh double precision,                         -- of a filter: input minus output
  add column resets smallint not null default 0,
  add column current_a real, add column current_b real, add column current_c real; -- mean currents by phase
alter table rollup_hour
  add column estimated_kwh double precision not null default 0,
  add column corrected_kwh double precision not null default 0,
  add column loss_kwh double precision,
  add column resets smallint not null default 0,
  add column current_a real, add column current_b real, add column current_c real;
alter table rollup_day
  add column estimated_kwh double precision not null default 0,
  add column corrected_kwh double precision not null default 0,
  add column loss_kwh double precision,
  add column resets smallint not null default 0,
  add column current_a real, add column current_b real, add column current_c real;
comment on column rollup_minute.energy_flags is
  '1 estimated over a gap, 2 register reset, 4 integrated from power, 8 spike quarantined, 16 unallocated gap, 32 above the rating, 64 corrected by hand';
create table rollup_quarter (like rollup_minute including all);
create table rollup_month (like rollup_minute including all);

insert into rollup_quarter (line_id, bucket, samples, covered_s, energy_kwh, energy_flags, power_min, power_avg, power_max,
  current_max, voltage_min, voltage_max, leakage_max, temperature_max, energy_first, energy_last, first_at, last_at)
select line_id, date_bin('15 minutes', bucket, '2000-01-01T00:00:00Z'), sum(samples), sum(covered_s), sum(energy_kwh),
  bit_or(energy_flags), min(power_min), avg(power_avg), max(power_max), max(current_max), min(voltage_min),
  max(voltage_max), max(leakage_max), max(temperature_max),
  (array_agg(energy_first order by bucket) filter (where energy_first is not null))[1],
  (array_agg(energy_last order by bucket desc) filter (where energy_last is not null))[1], min(first_at), max(last_at)
from rollup_minute group by 1, 2;
-- Hours whose minutes were deleted: each quarter gets a fourth of the energy, marked as estimated.
insert into rollup_quarter (line_id, bucket, samples, covered_s, energy_kwh, energy_flags, estimated_kwh, power_min, power_avg,
  power_max, current_max, voltage_min, voltage_max, leakage_max, temperature_max, energy_first, energy_last, first_at, last_at)
select h.line_id, h.bucket + i * interval '15 minutes', h.samples / 4, h.covered_s / 4, h.energy_kwh / 4, h.energy_flags | 1,
  h.energy_kwh / 4, h.power_min, h.power_avg, h.power_max, h.current_max, h.voltage_min, h.voltage_max, h.leakage_max,
  h.temperature_max, h.energy_first, h.energy_last, h.first_at, h.last_at
from rollup_hour h cross join generate_series(0, 3) i
where not exists (select from rollup_quarter q where q.line_id = h.line_id and q.bucket >= h.bucket
  and q.bucket < h.bucket + interval '1 hour');
insert into rollup_month (line_id, bucket, samples, covered_s, energy_kwh, energy_flags, power_min, power_avg, power_max,
  current_max, voltage_min, voltage_max, leakage_max, temperature_max, energy_first, energy_last, first_at, last_at)
select day.line_id, date_trunc('month', day.bucket, coalesce(p.time_zone, 'Asia/Shanghai')), sum(samples), sum(covered_s),
  sum(energy_kwh), bit_or(energy_flags), min(power_min), avg(power_avg), max(power_max), max(current_max), min(voltage_min),
  max(voltage_max), max(leakage_max), max(temperature_max),
  (array_agg(energy_first order by bucket) filter (where energy_first is not null))[1],
  (array_agg(energy_last order by bucket desc) filter (where energy_last is not null))[1], min(first_at), max(last_at)
from rollup_day day join lines l on l.id = day.line_id join devices d on d.id = l.device_id
left join projects p on p.id = d.project_id group by 1, 2;

-- Lines whose days and months must be calculated again, because the zone of their project changed.
create table rollup_rebuild (
  line_id integer primary key references lines (id) on delete cascade
);

-- An incoming line, which also meters other lines: those of its device, or of the whole project.
alter table lines add column supplies text check (supplies in ('device', 'project'));
create index lines_supplies on lines (device_id) where supplies is not null;
-- Lines whose energy is added up for their device and part (`in_parts`) and for their project. An incoming
-- line counts in place of the lines that it supplies, never together with them.
create view energy_lines as
select l.id as line_id, l.device_id, d.project_id, d.part_id,
  l.supplies is distinct from 'project' and (l.supplies = 'device'
    or not exists (select from lines o where o.device_id = l.device_id and o.supplies = 'device')) as in_parts,
  case when exists (select from lines o join devices od on od.id = o.device_id
      where o.supplies = 'project' and od.project_id = d.project_id and od.deleted_at is null)
    then l.supplies is not distinct from 'project'
    else l.supplies = 'device'
      or not exists (select from lines o where o.device_id = l.device_id and o.supplies = 'device') end as in_project
from lines l join devices d on d.id = l.device_id
where l.n > 0 and d.deleted_at is null;

-- Energy of a whole project (part 0) and of each part in a quarter of an hour. A device counts for its owner
-- at that time.
create table load_quarter (
  project_id integer not null references projects (id),
  part_id integer not null,
  bucket timestamptz not null,
  lines integer not null,        -- number of lines that have figures
  covered_s double precision not null, -- sum over these lines
  energy_kwh double precision not null,
  energy_flags smallint not null,
  power_w double precision,      -- mean over the quarter
  primary key (project_id, part_id, bucket)
);
create table load_dirty (
  project_id integer not null,
  hour timestamptz not null,
  primary key (project_id, hour)
);
create index device_past_owners_project on device_past_owners (project_id);
insert into load_dirty
select distinct project_id, date_trunc('hour', q.bucket, 'UTC')
from rollup_quarter q join energy_lines e on e.line_id = q.line_id where project_id is not null
union select distinct past.project_id, date_trunc('hour', q.bucket, 'UTC')
from rollup_quarter q join lines l on l.id = q.line_id join device_past_owners past on past.device_id = l.device_id
where q.bucket < past.until;
