-- Thresholds of all devices of a type, where neither the device nor its line has its own: of one project, or of the
-- whole installation (project 0).
create table default_thresholds (
  project_id integer not null,
  device_type smallint not null check (device_type between 1 and 7),
  thresholds jsonb not null,
  updated_at timestamptz not null,
  updated_by integer not null,
  primary key (project_id, device_type)
);

-- What retention takes away.
create index messages_at on messages (at);
create index alarm_notices_checked on alarm_notices (checked_at) where next_at is null;
create index alarm_events_at on alarm_events (at);
