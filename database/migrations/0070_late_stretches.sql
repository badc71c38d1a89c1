-- Readings of a line that came late and are still to be judged: what happened while its device was offline.
create table late_stretches (
  line_id integer primary key,
  since timestamptz not null,
  until timestamptz not null,
  first_received_at timestamptz not null,
  last_received_at timestamptz not null
);

-- Found in late readings; the time of its beginning is in event_id, which its end has as well.
alter table alarm_events add column late boolean not null default false;
