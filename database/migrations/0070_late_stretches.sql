-- Late readings of a line that were not judged yet, from the time when its device was offline.
create table late_stretches (
  line_id integer primary key,
  since timestamptz not null,
  until timestamptz not null,
  first_received_at timestamptz not null,
  last_received_at timestamptz not null
);

-- Found in late readings. The event_id contains the time of the beginning, and the end has the same event_id.
alter table alarm_events add column late boolean not null default false;
