-- The time of each owner has a beginning too: what a device measures between two projects belongs to none. Which
-- lines supplied the whole project is noted with the time in which they did: a device leaves the mark behind.
alter table device_past_owners
  add column since timestamptz,
  add column incoming integer[] not null default '{}';
-- When devices were bound was not noted until now: earlier times begin where the one before ended.
update device_past_owners past set since = coalesce(
  (select max(former.until) from device_past_owners former where former.device_id = past.device_id and former.until < past.until),
  'epoch');
alter table device_past_owners alter column since set not null;

-- Each time in which a project or part had a device, and the lines that supplied the whole project then.
create view device_ownerships as
select device_id, project_id, part_id, since, until, incoming from device_past_owners
union all
select d.id, d.project_id, d.part_id,
  greatest(coalesce(d.bound_at, 'epoch'),
    (select max(past.until) from device_past_owners past where past.device_id = d.id)),
  'infinity', array(select l.id from lines l where l.device_id = d.id and l.supplies = 'project')
from devices d where d.project_id is not null;

-- The same of each line. `in_parts`: its energy adds up for the part.
create view metered_times as
select l.id as line_id, o.device_id, o.project_id, o.part_id, o.since, o.until, l.id = any(o.incoming) as incoming,
  l.id <> all(o.incoming) and (l.supplies is not distinct from 'device'
    or not exists (select from lines other where other.device_id = l.device_id and other.supplies = 'device')) as in_parts
from device_ownerships o join lines l on l.device_id = o.device_id
where l.n > 0;

-- Projects whose sums are calculated again, from their newest quarter of an hour before `before` back to the oldest.
create table load_rebuild (
  project_id integer primary key references projects (id),
  before timestamptz not null default 'infinity'
);
-- Sums until now counted time without a project, left out power of lines that measure energy alone, and applied an
-- incoming line to all times of its project. Days and months are sums of lines and stay as they are.
insert into load_rebuild (project_id)
select past.project_id from device_past_owners past
union select d.project_id from devices d join lines l on l.device_id = d.id
where d.project_id is not null and l.n > 0 and (
  l.supplies = 'project'
  or exists (select from rollup_month m where m.line_id = l.id and m.power_avg is null and m.covered_s > 0)
  or exists (select from rollup_quarter q where q.line_id = l.id and q.bucket < d.bound_at));
