-- The newest protective trip of each line, whatever became of its alarm. Until somebody has written what they found
-- there, the line is not closed from afar (control.inspectAfter).
create table line_trips (
  line_id integer primary key,
  device_id integer not null,
  code smallint not null,     -- the cause that the device named; 701: it named none
  grave boolean not null,     -- contract/alarm-traits.ts, isGraveTrip
  at timestamptz not null,    -- by the device's clock
  received_at timestamptz not null
);
create index line_trips_device on line_trips (device_id);

insert into line_trips (line_id, device_id, code, grave, at, received_at)
select latest.line_id, lines.device_id, latest.trip, true, coalesce(latest.trip_at, latest.at), coalesce(latest.trip_at, latest.at)
from line_latest latest join lines on lines.id = latest.line_id
where latest.trip > 0;

-- Trips after which nobody has written a record that names the line. The trip that a leakage test asks for is none.
-- A record is written by the minute, and a device's clock may run ahead.
create view uninspected_trips as
select trip.*
from line_trips trip
where not exists (
    select from maintenance_records record
    where record.device_id = trip.device_id and record.deleted_at is null and record.kind <> 'routine'
      and record.created_at >= trip.received_at
      and record.maintenance_time >= date_trunc('minute', least(trip.at, trip.received_at))
      and record.lines @> jsonb_build_array(jsonb_build_object('line_id', trip.line_id)))
  and not exists (
    select from commands test
    where test.line_id = trip.line_id and test.verb = 'leak_test'
      and test.created_at between trip.received_at - interval '60 seconds' and trip.received_at);
