-- Firmware: accepted signing keys, versions, and rollouts. A rollout has one row per device, and the version
-- that the device reports decides the result.
create table firmware_keys (
  id integer generated always as identity primary key,
  name text not null,
  public_key bytea not null unique check (length(public_key) = 32), -- Ed25519
  added_by text not null,
  added_at timestamptz not null,
  revoked_at timestamptz
);

create table firmware_versions (
  id integer generated always as identity primary key,
  mac_type smallint not null check (mac_type between 1 and 7),
  mac_name text not null,
  app_version text not null,
  platform_version text not null,
  link text,              -- address of a file elsewhere; null: the file is in DATA_DIR, named by its checksum
  token text unique,      -- for a file in DATA_DIR: allows fetching it without a session
  size integer not null check (size > 0),
  sha256 text not null check (sha256 ~ '^[0-9a-f]{64}$'),
  signature bytea not null check (length(signature) = 64),
  key_id integer not null references firmware_keys (id),
  notes text not null default '',
  enabled boolean not null default true,
  created_by text not null,
  created_at timestamptz not null,
  revision integer not null default 1,
  deleted_at timestamptz,
  check ((link is null) <> (token is null))
);
create unique index firmware_versions_version on firmware_versions (mac_type, app_version) where deleted_at is null;
create index firmware_versions_created on firmware_versions (created_at desc, id) where deleted_at is null;

create table rollouts (
  id integer generated always as identity primary key,
  version_id integer not null references firmware_versions (id),
  state text not null check (state in ('running', 'paused', 'stopped', 'done')),
  reason text,                 -- why the server paused or stopped it, as a fault code; null: a user did
  canary_percent smallint not null,
  wave_percent smallint not null,
  per_minute integer not null,
  step_minutes integer not null, -- a device that reports nothing for this long has failed
  stop_percent smallint not null,
  wave smallint not null default 1,
  waves smallint not null,
  total integer not null,
  author_id integer not null,
  author text not null,
  created_at timestamptz not null,
  ended_at timestamptz,
  revision integer not null default 1
);
create index rollouts_created on rollouts (created_at desc, id desc);
create index rollouts_running on rollouts (id) where state = 'running';

create table rollout_devices (
  rollout_id integer not null references rollouts (id),
  device_id integer not null references devices (id),
  wave smallint not null,
  state text not null default 'waiting' check (state in ('waiting', 'asked', 'notified', 'downloading', 'downloaded',
    'verified', 'updating', 'updated', 'failed', 'rolled_back', 'skipped')),
  from_version text not null,
  percent smallint,
  reason text,                 -- a fault code, or the reason that the device gave
  reason_with jsonb not null default '{}',
  command_id uuid,
  tries smallint not null default 0,
  try_at timestamptz,          -- the device is not asked before this time
  asked_at timestamptz,
  deadline_at timestamptz,     -- end of the time for the present step
  updated_at timestamptz not null,
  primary key (rollout_id, device_id)
);
create index rollout_devices_open on rollout_devices (device_id)
  where state in ('waiting', 'asked', 'notified', 'downloading', 'downloaded', 'verified', 'updating');
create index rollout_devices_device on rollout_devices (device_id, rollout_id desc);
