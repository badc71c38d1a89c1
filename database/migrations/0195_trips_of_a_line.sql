-- A line's newest grave trip and its newest other one are kept beside each other: each is inspected for itself, in
-- whatever order their reports come.
alter table line_trips drop constraint line_trips_pkey, add primary key (line_id, grave);
