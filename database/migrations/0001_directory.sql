-- Directory: regions, projects, people, devices and lines. Small tables; uniqueness across lines lives here only.
create extension if not exists pg_trgm;

create table regions (
  id integer primary key,
  pid integer references regions (id),
  name text not null,
  latin text not null,
  code text not null,
  first text not null,
  lat double precision not null,
  lng double precision not null,
  approximate boolean not null default false,
  level smallint not null check (level between 1 and 3),
  merger_name text not null,
  pinyin text not null,
  region_code text not null,
  shortname text not null,
  zip_code text not null default '',
  path text not null -- '/440000/440300/440305/': ids of the ancestors and of the region itself
);
create index regions_pid on regions (pid);
create index regions_path on regions (path text_pattern_ops);

create table projects (
  id integer generated always as identity primary key,
  code text not null unique,
  name text not null,
  kind text not null default 'other',
  region_id integer not null references regions (id),
  address text not null default '',
  contact_name text not null default '',
  contact_phone text not null default '',
  area_m2 double precision,
  lat double precision not null,
  lng double precision not null,
  time_zone text not null default 'Asia/Shanghai',
  nominal_voltage smallint not null default 220,
  joined_at timestamptz not null,
  revision integer not null default 1,
  deleted_at timestamptz
);
create index projects_region on projects (region_id) where deleted_at is null;
create index projects_name on projects using gin (name gin_trgm_ops);

create table project_parts (
  id integer generated always as identity primary key,
  project_id integer not null references projects (id),
  name text not null,
  unique (project_id, name)
);

create table roles (
  id integer generated always as identity primary key,
  code integer not null unique,
  name text not null unique,
  description text not null default '',
  parent_id integer references roles (id),
  letters text not null default '',
  enabled boolean not null default true,
  built_in boolean not null default false,
  revision integer not null default 1
);

create table users (
  id integer generated always as identity primary key,
  username text not null,
  nickname text not null default '',
  email text not null default '',
  mobile text not null default '',
  password_hash text not null,
  password_changed_at timestamptz not null,
  role_id integer not null references roles (id),
  enabled boolean not null default true,
  auto_sign_in boolean not null default false,
  region_id integer references regions (id),
  -- sessions that began earlier are not valid
  sessions_from timestamptz not null default '-infinity',
  failed_tries integer not null default 0,
  locked_until timestamptz,
  created_at timestamptz not null,
  preferences jsonb not null default '{}',
  revision integer not null default 1,
  deleted_at timestamptz
);
create unique index users_username on users (lower(username)) where deleted_at is null;
create index users_role on users (role_id);

-- The projects of a user (roles 3, 32 and others); a row with parts limits the user to these parts of the
-- project.
create table user_projects (
  user_id integer not null references users (id),
  project_id integer not null references projects (id),
  part_ids integer[] not null default '{}',
  primary key (user_id, project_id)
);
create index user_projects_project on user_projects (project_id);

create table sessions (
  token_hash bytea primary key,
  user_id integer not null references users (id),
  created_at timestamptz not null,
  seen_at timestamptz not null,
  authenticated_at timestamptz not null,
  expires_at timestamptz not null,
  address text not null,
  agent text not null,
  ended_as integer -- null: valid; else the code with which the session ended: 401, -202, 50012, 50014
);
create index sessions_user on sessions (user_id);
create index sessions_expires on sessions (expires_at);

create table one_time_links (
  token_hash bytea primary key,
  user_id integer not null references users (id),
  expires_at timestamptz not null
);

create table captchas (
  id uuid primary key,
  answer_hash bytea not null,
  tries smallint not null default 0,
  expires_at timestamptz not null
);
create index captchas_expires on captchas (expires_at);

-- Delays after failed sign-ins, per address and per account name. Neither locks the owner of the account out.
create table sign_in_tries (
  key text primary key,
  failures integer not null,
  last_at timestamptz not null
);

-- The first answer of each write, by user and Accept-serial.
create table serials (
  user_id integer not null,
  serial uuid not null,
  path text not null,
  body_hash bytea not null,
  status smallint not null,
  answer jsonb not null,
  created_at timestamptz not null,
  primary key (user_id, serial)
);
create index serials_created on serials (created_at);

create table devices (
  id integer generated always as identity primary key,
  number text not null unique check (number ~ '^[A-Za-z0-9_-]{6,32}$'),
  name text not null default '',
  type smallint not null check (type between 1 and 7),
  model text not null default '',
  secret_hash bytea not null, -- sha256 of a 256-bit random secret
  project_id integer references projects (id),
  part_id integer references project_parts (id),
  address text not null default '',
  lat double precision,
  lng double precision,
  registered_at timestamptz not null,
  bound_at timestamptz,
  expires_on date,
  contacts jsonb not null default '[]', -- up to three {name, phone}
  image_id uuid,
  firmware text not null default '',
  hardware text not null default '',
  imei text not null default '',
  imsi text not null default '',
  iccid text not null default '',
  caps text[] not null default '{}',
  info jsonb,
  net_ctrl boolean not null default true,
  upload_seconds integer not null default 60,
  revision integer not null default 1
);
create index devices_project on devices (project_id, id);
create index devices_type on devices (type, id);
create index devices_unbound on devices (id) where project_id is null;
create index devices_number_trgm on devices using gin (number gin_trgm_ops);
create index devices_name_trgm on devices using gin (name gin_trgm_ops);
create index devices_iccid on devices (iccid) where iccid <> '';
create index devices_imei on devices (imei) where imei <> '';

-- State that changes with every contact. It is separate from the directory, so that these often updated rows
-- stay small.
create table device_state (
  device_id integer primary key references devices (id),
  online boolean not null default false,
  online_changed_at timestamptz,
  last_seen timestamptz,
  address text,
  rssi real,
  boot bigint not null default 0,
  seq bigint not null default -1,
  skew_ms integer not null default 0,
  refused jsonb not null default '{}', -- counts by reason
  refused_last jsonb,                  -- {reason, at, topic, excerpt}
  takeovers integer not null default 0
) with (fillfactor = 70);
create index device_state_online on device_state (online, device_id);

-- Line 0 of each device stands for the device itself.
create table lines (
  id integer generated always as identity primary key,
  device_id integer not null references devices (id),
  n smallint not null check (n between 0 and 64),
  name text not null default '',
  alias text not null default '',
  model text not null default '',
  rated_current real,
  poles smallint not null default 1,
  switchable boolean not null default false,
  critical boolean not null default false,
  thresholds jsonb not null default '{}', -- replaces numbers of the alarm catalogue, by parameter key
  created_at timestamptz not null,
  revision integer not null default 1,
  unique (device_id, n)
);

create table settings (
  key text primary key,
  value jsonb not null,
  updated_at timestamptz not null
);

create table uploads (
  id uuid primary key,
  media_type text not null,
  bytes integer not null,
  sha256 bytea not null,
  content bytea not null,
  created_by integer,
  created_at timestamptz not null
);

-- Append-only and hash-chained: hash = sha256(previous hash || canonical row).
create table operation_log (
  id bigint generated always as identity primary key,
  at timestamptz not null,
  user_id integer,
  operator text not null,
  key text not null,
  channel text not null,
  address text not null,
  request_id text not null,
  outcome text not null, -- 'done', 'refused'
  code integer not null,
  project_id integer,
  device_id integer,
  parameters jsonb not null,
  previous_hash bytea not null,
  hash bytea not null
);
create index operation_log_at on operation_log (at desc, id desc);
create index operation_log_user on operation_log (user_id, id desc);
create index operation_log_key on operation_log (key, id desc);
create index operation_log_project on operation_log (project_id, id desc);
create index operation_log_device on operation_log (device_id, id desc);
create table operation_log_head (
  "only" boolean primary key default true check ("only"),
  id bigint not null,
  hash bytea not null
);
insert into operation_log_head values (true, 0, '\x');
create function refuse_change() returns trigger language plpgsql as $$
begin raise exception 'operation_log is append-only'; end $$;
create trigger operation_log_append_only before update or delete on operation_log
  for each row execute function refuse_change();
create trigger operation_log_no_truncate before truncate on operation_log
  for each statement execute function refuse_change();
