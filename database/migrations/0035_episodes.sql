-- A processed alarm is final for its level and its episode. A later change of the same condition opens a new
-- work order that refers to the processed one, which ends at that moment.
alter table alarms
  add column previous_id bigint,
  add column boot bigint; -- boot of the device that last reported it
create index alarms_previous on alarms (previous_id) where previous_id is not null;

-- Conditions of level 2 that forbid closing a line, by line (or line 0 of the device), code and phase. They
-- stay in force without an alarm: its type may be switched off, or the alarm shelved, suppressed or deleted.
create table line_conditions (
  line_id integer not null,
  code smallint not null,
  phase smallint not null,
  device_id integer not null,
  since timestamptz not null,
  -- What a restarted server needs to continue: the source of the condition, and whether only a reset ends it.
  source text not null,
  event_id text,
  boot bigint,
  latched boolean not null,
  primary key (line_id, code, phase)
);
insert into line_conditions (line_id, code, phase, device_id, since, source, event_id, latched)
select line_id, code, phase, device_id, raised_at, source, event_id, latched from alarms
where cleared_at is null and level = 2 and line_id > 0 and code in (103, 104, 109, 205, 301, 401, 402, 501, 502);
