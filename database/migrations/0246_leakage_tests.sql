-- A trip is that of a leakage test only if the test may have caused it: it was neither refused nor left unanswered, and
-- the trip is by leakage (301) or names no cause (701).
create or replace view uninspected_trips as
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
      and test.state not in ('failed', 'expired') and trip.code in (301, 701)
      and test.created_at between trip.received_at - interval '60 seconds' and trip.received_at);
