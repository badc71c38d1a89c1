-- Each fact of a line carries the time, boot and sequence of the report that brought it. A fact that a report lacks
-- keeps its value and its own time; a fact whose sensor reports `null` becomes null with the time of that report.
-- The channels always belong to the row's own report (at, boot, seq).
alter table line_latest
  add column position_boot bigint,
  add column position_seq bigint,
  add column trip_at timestamptz,
  add column trip_boot bigint,
  add column trip_seq bigint,
  add column lock_at timestamptz,
  add column lock_boot bigint,
  add column lock_seq bigint;

-- For stored rows, the report of the row itself is assumed to have brought each fact.
update line_latest set
  position_at = coalesce(position_at, at), position_boot = boot, position_seq = seq
  where position is not null;
update line_latest set trip_at = at, trip_boot = boot, trip_seq = seq where trip is not null;
update line_latest set lock_at = at, lock_boot = boot, lock_seq = seq where lock is not null;
