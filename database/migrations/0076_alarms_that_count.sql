-- Which alarms count, said once. Functions that return rows of the table, so that a column added to it needs no change
-- here; PostgreSQL puts their text into the query that calls them, and its indexes apply.

-- What happened: neither deleted nor explained by another alarm. Figures of past days count these.
create function counted_alarms() returns setof alarms language sql stable as $$
  select * from alarms where deleted_at is null and suppressed_by is null
$$;

-- Alarms that are put aside, and by whom, as long as it holds: a rise in level, an end or the handling takes it back.
create view shelvings as
  select s.alarm_id, s.line_id, s.until, s.user_id, s.reason
  from shelved_alarms s join alarms a on a.line_id = s.line_id and a.id = s.alarm_id
  where s.level >= a.level and a.cleared_at is null and not a.processed;

-- What waits for somebody at that time, and what the lists show: of those that count, all that are not put aside.
create function shown_alarms(now timestamptz) returns setof alarms language sql stable as $$
  select * from counted_alarms() a
  where not exists (select from shelvings s where s.alarm_id = a.id and s.until > now)
$$;

-- Counts of these without touching the table, now that they ask for the alarm's id and whose it is.
create index alarms_waiting_device on alarms (device_id) include (level, cleared_at, id, project_id, part_id, line_id)
  where handled_at is null and deleted_at is null and suppressed_by is null;
create index alarms_waiting_project on alarms (project_id, part_id, level) include (cleared_at, id, line_id)
  where handled_at is null and deleted_at is null and suppressed_by is null;
drop index alarms_unprocessed_device, alarms_unprocessed_project;
