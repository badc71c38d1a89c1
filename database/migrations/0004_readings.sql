-- One row per line and message. Channels are in the order of contract/telemetry.ts lineChannels[device type];
-- those after the last measured one are left out. Wide columns come first, so that alignment needs no
-- padding.
create table readings (
  at timestamptz not null,   -- device time, corrected
  energy double precision,   -- register, kWh
  sent_ms bigint,            -- device time as sent minus `at`, in ms; null: equal, or not sent
  line_id integer not null,
  boot integer not null,     -- unsigned 32 bits: values of 2^31 and more are stored as negative numbers; seq likewise
  seq integer not null,
  rx_ms integer not null,    -- receive time minus `at`, in ms
  position smallint,
  trip smallint,
  lock smallint,
  flags smallint,            -- 1 backfilled, 2 clock corrected, 4 clock unusable, 8 a sensor reported a fault
  channels real[] not null,
  primary key (line_id, at, boot, seq)
) partition by range (at);

-- The newest reading of each line by device time; never a backfilled one.
create table line_latest (
  line_id integer primary key,
  at timestamptz not null,
  received_at timestamptz not null,
  boot bigint not null,
  seq bigint not null,
  position smallint,
  position_at timestamptz,
  trip smallint,
  lock smallint,
  energy double precision,
  channels real[] not null,
  -- the last request and its answer; screens show only `position`
  commanded smallint,
  commanded_at timestamptz,
  commanded_by text,
  acknowledged smallint,
  acknowledged_at timestamptz
) with (fillfactor = 60);

-- Minutes, hours and days have the same columns: sums that can be added, and extremes without their times.
create table rollup_minute (
  line_id integer not null,
  bucket timestamptz not null,
  samples integer not null,
  covered_s real not null,       -- seconds of the bucket that readings cover
  energy_kwh double precision not null,
  energy_flags smallint not null default 0, -- 1 estimated over a gap, 2 register reset, 4 integrated from power, 8 spike quarantined, 16 unallocated gap
  power_min real, power_avg real, power_max real,
  current_max real, voltage_min real, voltage_max real,
  leakage_max real, temperature_max real,
  energy_first double precision, energy_last double precision,
  first_at timestamptz, last_at timestamptz,
  primary key (line_id, bucket)
) partition by range (bucket);
create table rollup_hour (like rollup_minute including all);
create table rollup_day (like rollup_minute including all);

-- Hours of lines with new or late readings, whose rollups must be calculated again. The rows are
-- few and short-lived.
create table rollup_dirty (
  line_id integer not null,
  hour timestamptz not null,
  primary key (line_id, hour)
);

-- The newest state of a line according to a group of messages. A group is passed on as one array of these.
create type line_report as (
  line_id integer,
  at timestamptz,
  received_at timestamptz,
  boot bigint,
  seq bigint,
  position smallint,
  trip smallint,
  lock smallint,
  energy double precision,
  channels real[]
);

-- Stored messages of a device, as ranges of `seq` for its last boots, to recognise a message that is sent
-- again. Written only if line_latest does not show it (gaps, backlog, events), in the transaction of the
-- messages.
create table device_seen (
  device_id integer primary key references devices (id),
  boots jsonb not null -- [{boot, floor, ranges: [from, to, from, to, …]}], newest boot first
) with (fillfactor = 70);

-- The last report of a device about itself, as received.
create table device_reported (
  device_id integer not null references devices (id),
  kind text not null check (kind in ('info', 'cfg')),
  received_at timestamptz not null,
  payload jsonb not null,
  primary key (device_id, kind)
);
