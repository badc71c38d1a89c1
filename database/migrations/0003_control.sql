create table commands (
  id uuid primary key,
  device_id integer not null references devices (id),
  line_id integer not null, -- line 0 for the whole device
  number bigint not null,   -- increases per device; assigned while the device's row is locked
  verb text not null,
  parameters jsonb not null default '{}',
  state text not null check (state in ('created','sent','acknowledged','verified','failed','mismatch','expired','unknown')),
  reason text,
  cause text not null,      -- 'button','onekey','timer','api'
  batch_id uuid,
  user_id integer,
  operator text not null,
  address text not null,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  deadline_at timestamptz not null, -- when an open command changes its state without an event
  sent_at timestamptz,              -- when publishing began; null: certainly never published
  acknowledged_at timestamptz,
  ended_at timestamptz,
  ack jsonb,
  evidence jsonb,
  late jsonb,
  revision integer not null default 1,
  unique (device_id, number)
);
create unique index commands_in_flight on commands (line_id)
  where state in ('created','sent','acknowledged') and verb in ('open','close');
create index commands_device on commands (device_id, created_at desc, id);
create index commands_line on commands (line_id, created_at desc);
create index commands_open on commands (deadline_at) where state in ('created','sent','acknowledged');
create index commands_batch on commands (batch_id) where batch_id is not null;

-- Position changes as devices reported them, with the cause.
create table position_events (
  line_id integer not null,
  at timestamptz not null,
  boot bigint not null,
  seq bigint not null,
  position smallint not null,
  cause text not null,
  code smallint,
  command_id uuid,
  primary key (line_id, at, boot, seq)
);

create table lockout_tags (
  id integer generated always as identity primary key,
  project_id integer references projects (id),
  device_id integer references devices (id),
  line_id integer references lines (id),
  reason text not null,
  photo_id uuid,
  review_at timestamptz,
  owner_id integer not null references users (id),
  set_at timestamptz not null,
  removed_at timestamptz,
  removed_by integer references users (id),
  removal_reason text,
  check (num_nonnulls(project_id, device_id, line_id) = 1)
);
create index lockout_tags_project on lockout_tags (project_id) where removed_at is null;
create index lockout_tags_device on lockout_tags (device_id) where removed_at is null;
create index lockout_tags_line on lockout_tags (line_id) where removed_at is null;
