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

-- A device-level alarm has its device's line 0. No foreign keys into this table; no triggers.
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
  latched boolean not null default false,
  suppressed_by bigint,
  occurrences integer not null default 1,
  value real,
  peak real,
  threshold real,
  value_type smallint not null,
  snapshot jsonb,                      -- electricity data at the instant
  original jsonb,                      -- the message as received
  late boolean not null default false, -- backfilled: never popped up
  handled_at timestamptz,
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
-- One active alarm per device, line, phase and code.
create unique index alarms_active on alarms (line_id, phase, code) where cleared_at is null;
create unique index alarms_event on alarms (line_id, event_id) where event_id is not null;
create index alarms_id on alarms (id);
-- The operator's queue: unprocessed first, then newest.
create index alarms_queue on alarms ((handled_at is not null), raised_at desc, id desc);
create index alarms_project on alarms (project_id, (handled_at is not null), raised_at desc, id desc);
create index alarms_device on alarms (device_id, raised_at desc, id desc);
create index alarms_code on alarms (code, (handled_at is not null), raised_at desc, id desc);
create index alarms_level on alarms (level, (handled_at is not null), raised_at desc, id desc);
create index alarms_raised on alarms (raised_at desc, id desc);

-- What happened to an alarm, in order: raised, escalated, repeated, cleared, handled, urged, suppressed, reset.
create table alarm_history (
  line_id integer not null,
  alarm_id bigint not null,
  seq smallint not null,
  at timestamptz not null,
  kind text not null,
  user_id integer,
  data jsonb not null default '{}',
  primary key (line_id, alarm_id, seq)
);
