create table alarm_types (
  code smallint primary key,
  severity smallint not null check (severity between 1 and 4),
  enabled boolean not null default true,
  updated_at timestamptz not null
);

create table work_orders (
  day date primary key,
  last integer not null
);

create sequence alarm_ids;

-- An alarm of a whole device has line 0 of the device. No foreign key points here, and the table has no
-- trigger.
create table alarms (
  line_id integer not null,
  id bigint not null,
  device_id integer not null,
  project_id integer,
  part_id integer,
  code smallint not null,
  phase smallint not null default 0,   -- 0 none, 1 a, 2 b, 3 c, 4 n
  level smallint not null,             -- 1 early warning, 2 alarm
  severity smallint not null,
  source text not null,                -- 'device' or 'server'
  event_id text,
  work_order text not null,
  raised_at timestamptz not null,      -- device time, corrected
  received_at timestamptz not null,
  last_at timestamptz not null,
  cleared_at timestamptz,
  normal_at timestamptz,               -- since when the value of a latched alarm is normal; it still needs a reset
  latched boolean not null default false,
  suppressed_by bigint,
  occurrences integer not null default 1,
  value real,
  peak real,
  threshold real,
  value_type smallint not null,
  snapshot jsonb,                      -- electrical values at that time
  original jsonb,                      -- the message as received
  late boolean not null default false, -- from a backlog, so it never pops up
  handled_at timestamptz,
  processed boolean not null generated always as (handled_at is not null) stored,
  handled_by integer,
  handled_channel text,
  handling_content text,
  urged integer not null default 0,
  urged_at timestamptz,
  tags text[] not null default '{}',
  deleted_at timestamptz,
  deleted_by integer,
  revision integer not null default 1,
  primary key (line_id, id)
) with (fillfactor = 85);
-- At most one active alarm per device, line, phase and code.
create unique index alarms_active on alarms (line_id, phase, code) where cleared_at is null;
create unique index alarms_event on alarms (line_id, event_id) where event_id is not null;
create index alarms_id on alarms (id);
create index alarms_work_order on alarms (work_order);
-- The operator's queue: unprocessed alarms first, then the newest. Deleted and suppressed alarms are not in
-- it.
create index alarms_queue on alarms (processed, raised_at desc, id desc)
  where deleted_at is null and suppressed_by is null;
create index alarms_project on alarms (project_id, processed, raised_at desc, id desc)
  include (part_id, code, level, severity)
  where deleted_at is null and suppressed_by is null;
create index alarms_part on alarms (part_id, processed, raised_at desc, id desc)
  where deleted_at is null and suppressed_by is null and part_id is not null;
create index alarms_device on alarms (device_id, processed, raised_at desc, id desc)
  include (project_id, part_id)
  where deleted_at is null and suppressed_by is null;
create index alarms_code on alarms (code, processed, raised_at desc, id desc)
  where deleted_at is null and suppressed_by is null;
create index alarms_level on alarms (level, processed, raised_at desc, id desc)
  where deleted_at is null and suppressed_by is null;
-- Serves lists by time, and counts by any of these columns without reading the table.
create index alarms_raised on alarms (raised_at desc, id desc)
  include (project_id, part_id, code, level, severity, processed, handled_at)
  where deleted_at is null and suppressed_by is null;
create index alarms_standing on alarms (raised_at desc, id desc) where cleared_at is null;
create index alarms_suppressed on alarms (raised_at desc, id desc) where suppressed_by is not null;
create index alarms_consequences on alarms (suppressed_by) where suppressed_by is not null;

-- Number of shown alarms (neither deleted nor suppressed) by the columns that lists filter on. Each row is a
-- signed change, written in the transaction that makes the change, and rows are merged from time to time.
-- Their sum is exact.
create table alarm_tallies (
  code smallint not null,
  level smallint not null,
  severity smallint not null,
  processed boolean not null,
  n bigint not null
);

-- The history of an alarm, in order: raised, escalated, repeated, cleared, handled, urged, suppressed, reset.
create table alarm_history (
  line_id integer not null,
  alarm_id bigint not null,
  seq integer not null, -- the revision of the alarm after this step
  at timestamptz not null,
  kind text not null,
  user_id integer,
  data jsonb not null default '{}',
  primary key (line_id, alarm_id, seq)
);

-- Events that a device reported about a switched-off type: an entry in the log, and no alarm.
create table alarm_events (
  line_id integer not null,
  at timestamptz not null,
  code smallint not null,
  phase smallint not null,
  level smallint not null,
  kind text not null, -- 'raised', 'cleared'
  value real,
  threshold real,
  event_id text,
  primary key (line_id, at, code, phase, kind)
);
