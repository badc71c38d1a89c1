-- Lines whose energy adds up, in their part or device: an incoming line of a device in place of the lines that it
-- supplies. A deleted device keeps its place in the past of its projects. Which lines count for a whole project depends
-- on the project that had them at the time (server/core/metered-lines.ts), no longer on their present one.
drop view energy_lines;
create view energy_lines as
select l.id as line_id, l.device_id, d.project_id, d.part_id,
  l.supplies is distinct from 'project' and (l.supplies = 'device'
    or not exists (select from lines o where o.device_id = l.device_id and o.supplies = 'device')) as in_parts
from lines l join devices d on d.id = l.device_id
where l.n > 0;

-- Sums of projects are calculated again by 0255_metered_times.sql.
-- Days of devices that moved to another time zone are cut anew.
insert into rollup_rebuild (line_id)
select distinct l.id from device_past_owners past join lines l on l.device_id = past.device_id where l.n > 0
on conflict do nothing;
