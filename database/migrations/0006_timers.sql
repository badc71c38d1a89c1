create table timers (
  id integer generated always as identity primary key,
  device_id integer not null references devices (id) on delete cascade,
  line_id integer not null references lines (id) on delete cascade,
  type text not null check (type in ('once','weekly')),
  days smallint not null default 0 check (days between 0 and 127), -- bit 0 Monday … bit 6 Sunday
  date date,
  time text not null check (time ~ '^([01][0-9]|2[0-3]):[0-5][0-9]$'),
  action text not null check (action in ('open','close')),
  enabled boolean not null,
  run_by text not null check (run_by in ('server','device')),
  slot smallint,               -- number of the timer in the device that runs it
  done_at timestamptz,         -- when a once timer ended
  zone text not null,          -- zone of the project in which `next_at` was calculated
  next_at timestamptz,         -- time of the next run; null: disabled or ended
  author_id integer not null references users (id),
  created_at timestamptz not null,
  revision integer not null default 1,
  check (type = 'weekly' and days > 0 or type = 'once' and date is not null),
  check (run_by = 'server' or slot is not null or done_at is not null),
  unique (device_id, slot)
);
create index timers_line on timers (line_id);
create index timers_due on timers (next_at) where next_at is not null;

-- One row for each time that a timer came due. A `due` row waits until any node carries it out.
create table timer_runs (
  timer_id integer not null,
  due_at timestamptz not null,
  device_id integer not null,
  line_id integer not null,
  action text not null,
  author_id integer not null,
  outcome text not null check (outcome in ('due','fired','skipped','missed')),
  reason text,                 -- code of the reason why the timer did not fire
  reason_with jsonb not null default '{}',
  command_id uuid,
  at timestamptz not null,
  primary key (timer_id, due_at)
);
create index timer_runs_waiting on timer_runs (due_at) where outcome = 'due';
create index timer_runs_line on timer_runs (line_id, due_at desc, timer_id);
create index timer_runs_device on timer_runs (device_id, due_at desc, timer_id);

-- Whether a device that runs timers itself has confirmed its copy. No row: it never got a copy.
create table timer_copies (
  device_id integer primary key references devices (id) on delete cascade,
  state text not null check (state in ('pending','synced','conflict')),
  reason text,
  zone text,                   -- zone that the device got last
  push_id uuid,
  pushed_at timestamptz,
  tries integer not null default 0,
  changed_at timestamptz not null
);
create index timer_copies_pending on timer_copies (device_id) where state = 'pending';

-- Batches: one request to switch many lines, with one row per line.
create table batches (
  id uuid primary key,
  action text not null check (action in ('open','close')),
  state text not null check (state in ('running','done','interrupted')),
  cause text not null,
  user_id integer not null references users (id),
  operator text not null,
  address text not null,
  channel text not null,
  request_id text not null,
  pace_ms integer not null,
  created_at timestamptz not null,
  beat_at timestamptz not null, -- last sign of life of the node that runs it
  ended_at timestamptz
);
create index batches_running on batches (beat_at) where state = 'running';
create table batch_lines (
  batch_id uuid not null references batches (id) on delete cascade,
  position integer not null,
  device_id integer not null,
  line_id integer not null,
  state text not null check (state in ('waiting','requested','skipped','refused','not_sent')),
  reason text,
  reason_with jsonb not null default '{}',
  command_id uuid,
  at timestamptz,
  primary key (batch_id, position)
);

alter table lockout_tags add column reminded_at timestamptz;
create index lockout_tags_review on lockout_tags (review_at) where removed_at is null and reminded_at is null;
