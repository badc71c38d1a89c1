-- Alarms of past days, packed by day for the statistics (docs/decisions/0185-alarms-packed-by-day.md).

-- The alarms of one day of UTC that count, 16 bytes each. Valid only for the tables that it was packed from: a restore
-- gives them new files.
create table alarm_days (
  day date primary key,
  files text not null,
  raised integer not null,
  packed bytea not null
);
alter table alarm_days alter column packed set storage external;

-- Alarms of a packed day were added, changed or removed: rows are only added, in the transaction that makes the change.
create table alarm_days_changed (
  day date not null
);
create index alarm_days_changed_day on alarm_days_changed (day);

-- A change of an alarm that was raised before `until` is noted above. `since`: when all writers began to do so.
create table alarm_days_closed (
  id smallint primary key default 1 check (id = 1),
  until timestamptz not null,
  since timestamptz not null
);

create function alarm_files() returns text language sql stable as $$
  select concat_ws('/', pg_relation_filenode('alarms'), pg_relation_filenode('alarm_days'),
    pg_relation_filenode('alarm_days_changed'))
$$;
