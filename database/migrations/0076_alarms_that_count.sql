-- The one definition of which alarms count. The functions return rows of the table, so a new column needs no
-- change here. PostgreSQL inlines them into the calling query, so indexes apply.

-- Alarms that are neither deleted nor explained by another alarm. Figures of past days count these.
create function counted_alarms() returns setof alarms language sql stable as $$
  select * from alarms where deleted_at is null and suppressed_by is null
$$;

-- Shelved alarms, with the user and the time. A rise in level, the end of the alarm and its handling end the
-- shelving.
create view shelvings as
  select s.alarm_id, s.line_id, s.until, s.user_id, s.reason
  from shelved_alarms s join alarms a on a.line_id = s.line_id and a.id = s.alarm_id
  where s.level >= a.level and a.cleared_at is null and not a.processed;

-- The alarms that lists show at a time: counted alarms that are not shelved.
create function shown_alarms(now timestamptz) returns setof alarms language sql stable as $$
  select * from counted_alarms() a
  where not exists (select from shelvings s where s.alarm_id = a.id and s.until > now)
$$;

-- Counts of these alarms without reading the table. The queries now also need the id, the project and the
-- line of an alarm.
create index alarms_waiting_device on alarms (device_id) include (level, cleared_at, id, project_id, part_id, line_id)
  where handled_at is null and deleted_at is null and suppressed_by is null;
create index alarms_waiting_project on alarms (project_id, part_id, level) include (cleared_at, id, line_id)
  where handled_at is null and deleted_at is null and suppressed_by is null;
drop index alarms_unprocessed_device, alarms_unprocessed_project;
