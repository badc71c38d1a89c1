-- The newest protective trip of each line, even if its alarm was handled or deleted. Until a user has
-- recorded an inspection, the line cannot be closed remotely (control.inspectAfter).
create table line_trips (
  line_id integer primary key,
  device_id integer not null,
  code smallint not null,     -- the cause that the device gave; 701: it gave none
  grave boolean not null,     -- contract/alarm-traits.ts, isGraveTrip
  at timestamptz not null,    -- time of the device's clock
  received_at timestamptz not null
);
create index line_trips_device on line_trips (device_id);

insert into line_trips (line_id, device_id, code, grave, at, received_at)
select latest.line_id, lines.device_id, latest.trip, true, coalesce(latest.trip_at, latest.at), coalesce(latest.trip_at, latest.at)
from line_latest latest join lines on lines.id = latest.line_id
where latest.trip > 0;

-- Trips without a later maintenance record that names the line. The trip of a leakage test needs no record.
-- The time of a record has whole minutes, and a device's clock may be ahead.
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
