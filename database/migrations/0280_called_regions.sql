-- The region whose administrators were called about an alarm; null: none were. After a move of the project the new ones are called, too.
alter table alarm_notices add column called_in integer;
update alarm_notices n set called_in = p.region_id from alarms a join projects p on p.id = a.project_id
where a.line_id = n.line_id and a.id = n.alarm_id and not a.processed and a.level = 2
  and n.planned_at < now() - case when a.severity = 1 then interval '15 minutes' when a.severity = 2 then interval '4 hours' end;
