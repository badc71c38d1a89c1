-- Alarms of past days, packed by day for the statistics (docs/decisions/0185-alarms-packed-by-day.md).

-- The counted alarms of one UTC day, 16 bytes each. Valid only for the table files that they were packed
-- from; a restore makes new files.
create table alarm_days (
  day date primary key,
  files text not null,
  raised integer not null,
  packed bytea not null
);
alter table alarm_days alter column packed set storage external;

-- Days that were packed and whose alarms have changed since. Rows are only added, in the transaction that
-- makes the change.
create table alarm_days_changed (
  day date not null
);
create index alarm_days_changed_day on alarm_days_changed (day);

-- A change of an alarm that was raised before `until` is recorded in the table above. `since`: from when on
-- all writers did so.
create table alarm_days_closed (
  id smallint primary key default 1 check (id = 1),
  until timestamptz not null,
  since timestamptz not null
);

create function alarm_files() returns text language sql stable as $$
  select concat_ws('/', pg_relation_filenode('alarms'), pg_relation_filenode('alarm_days'),
    pg_relation_filenode('alarm_days_changed'))
$$;
