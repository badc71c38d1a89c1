-- The newest serious trip of a line and its newest other trip have separate rows, because each needs its own
-- inspection, in whatever order they are reported.
alter table line_trips drop constraint line_trips_pkey, add primary key (line_id, grave);
