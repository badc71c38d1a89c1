-- Thresholds of all devices of a type, for one project or for the whole installation (project 0). They apply
-- where neither the device nor its line has its own value.
create table default_thresholds (
  project_id integer not null,
  device_type smallint not null check (device_type between 1 and 7),
  thresholds jsonb not null,
  updated_at timestamptz not null,
  updated_by integer not null,
  primary key (project_id, device_type)
);

-- Indexes for the rows that retention deletes.
create index messages_at on messages (at);
create index alarm_notices_checked on alarm_notices (checked_at) where next_at is null;
create index alarm_events_at on alarm_events (at);
