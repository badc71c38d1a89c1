-- The row of a deleted device stays, because its history refers to it. Its number can be given to another
-- device.
alter table devices add column deleted_at timestamptz;
alter table devices drop constraint devices_number_key;
create unique index devices_number on devices (number) where deleted_at is null;

-- The known settings of a device, and how they came about. `revision` rises with every desired value, and
-- with every change that the device reports without one. An edit names the revision that the user saw.
create table device_settings (
  device_id integer primary key references devices (id),
  revision integer not null default 0,
  reported jsonb,            -- [{kind, place, key, value}] by "kind/place/key", from the last processed report
  reported_rev bigint,       -- the device's own revision of its settings
  reported_at timestamptz,
  due_at timestamptz         -- when to send again; null: nothing waits, or the device is away
);
create index device_settings_due on device_settings (due_at) where due_at is not null;

create table setting_changes (
  device_id integer not null references devices (id),
  revision integer not null,
  at timestamptz not null,
  operator text,             -- null: the device itself made the change
  changes jsonb not null,    -- [{kind, place, key, before, after}]
  primary key (device_id, revision)
);

create table setting_jobs (
  id uuid primary key,
  user_id integer not null,
  operator text not null,
  created_at timestamptz not null,
  settings jsonb not null
);
create table setting_job_devices (
  job_id uuid not null references setting_jobs (id),
  device_id integer not null,
  state text not null check (state in ('waiting','applied','conflict','rejected','superseded','skipped','denied')),
  reason text,
  primary key (job_id, device_id)
);
create index setting_job_devices_waiting on setting_job_devices (device_id) where state = 'waiting';

-- Desired values of a device. Place: line number, 0 the device itself.
create table device_desired (
  device_id integer not null references devices (id),
  kind text not null check (kind in ('parameter','enable','custom')),
  place smallint not null,
  key text not null,
  value jsonb not null,
  seen jsonb,                -- the reported value when this value was requested
  state text not null check (state in ('pending','applied','conflict','rejected')),
  reason text,
  revision integer not null,
  job_id uuid,
  message_id uuid,           -- the last message that carried this value
  user_id integer,
  operator text not null,
  wished_at timestamptz not null,
  sent_at timestamptz,
  settled_at timestamptz,
  primary key (device_id, kind, place, key)
);
create index device_desired_pending on device_desired (device_id) where state = 'pending';

-- Configuration messages that are on their way to devices, at most one per device.
create table config_messages (
  id uuid primary key,
  device_id integer not null references devices (id),
  purpose text not null,     -- 'settings', 'timers'
  base bigint not null,
  content jsonb not null,
  state text not null check (state in ('sent','applied','conflict','rejected','undelivered','expired')),
  reason text,
  sent_at timestamptz not null,
  expires_at timestamptz not null,
  ended_at timestamptz
);
create unique index config_messages_open on config_messages (device_id) where state = 'sent';
create index config_messages_device on config_messages (device_id, sent_at desc);
