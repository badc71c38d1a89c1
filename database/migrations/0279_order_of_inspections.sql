-- Whether an inspection was recorded before or after a trip is told by a counter: the server's clock may be set between the two.
create sequence inspection_places;
alter table maintenance_records add column place bigint;
alter table line_trips add column place bigint; -- null: a late report, which counts from its own time
with every as (
  select line_id, grave, null::integer as id, received_at as at from line_trips
  union all
  select null, null, id, created_at from maintenance_records
), placed as (
  select line_id, grave, id, row_number() over (order by at, id nulls first, line_id, grave) as place from every
), records as (
  update maintenance_records record set place = placed.place from placed where placed.id = record.id
)
update line_trips trip set place = placed.place from placed
where placed.line_id = trip.line_id and placed.grave = trip.grave;
select setval('inspection_places', 1 + (select count(*) from line_trips) + (select count(*) from maintenance_records));
alter table maintenance_records alter column place set default nextval('inspection_places'), alter column place set not null;
alter table line_trips alter column place set default nextval('inspection_places');

-- A record that shows an earlier time than a trip before it was written after the clock was set back: then its work counts
-- if it was done at the time of the record.
create or replace view uninspected_trips as
select trip.*
from line_trips trip
where not exists (
    select from maintenance_records record
    where record.device_id = trip.device_id and record.deleted_at is null and record.kind <> 'routine'
      and case when trip.place is null then record.created_at >= trip.received_at else record.place > trip.place end
      and record.maintenance_time >= date_trunc('minute', least(trip.at, trip.received_at, record.created_at))
      and record.lines @> jsonb_build_array(jsonb_build_object('line_id', trip.line_id)))
  and not exists (
    select from commands test
    where test.line_id = trip.line_id and test.verb = 'leak_test'
      and test.state not in ('failed', 'expired') and trip.code in (301, 701)
      and test.created_at between trip.received_at - interval '60 seconds' and trip.received_at);
