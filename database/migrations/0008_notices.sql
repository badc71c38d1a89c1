-- Who is told of which alarms, by which way and when. Small: one row a rule.
create table notices (
  id integer generated always as identity primary key,
  name text not null default '',
  channel text not null check (channel in ('app', 'wechat', 'webhook')),
  to_contacts boolean not null default false,
  user_ids integer[] not null default '{}',
  project_ids integer[] not null default '{}', -- empty: all within the owner's scope
  codes smallint[] not null default '{}',      -- empty: all
  levels smallint[] not null default '{}',
  silence_minutes smallint not null default 0 check (silence_minutes in (0, 10, 20, 30, 40, 50, 60)),
  window_from time,
  window_to time,
  enabled boolean not null default true,
  webhook_url text,
  webhook_secret text,
  language text not null,
  owner_id integer not null references users (id), -- who wrote it last: it tells nothing beyond their scope
  created_at timestamptz not null,
  updated_at timestamptz not null,
  revision integer not null default 1,
  deleted_at timestamptz,
  check ((channel = 'webhook') = (webhook_url is not null)),
  check ((window_from is null) = (window_to is null))
);

-- What has been planned for an alarm and when it has to be looked at again. Rows of handled alarms are removed.
create table alarm_notices (
  alarm_id bigint primary key,
  line_id integer not null,
  level smallint not null,
  urged integer not null default 0,
  planned_at timestamptz not null, -- escalation counts from here
  checked_at timestamptz not null,
  next_at timestamptz
);
create index alarm_notices_next on alarm_notices (next_at) where next_at is not null;

create index alarms_urged on alarms (urged_at) where urged_at is not null;

-- The ledger of what was sent to whom, and the queue of what is still to be sent.
create table deliveries (
  id bigint generated always as identity primary key,
  line_id integer not null,  -- 0 with alarm 0: a trial of the rule itself
  alarm_id bigint not null,
  notice_id integer,         -- the rule; null for urging and escalation
  kind text not null check (kind in ('raised', 'escalated', 'urged', 'reminder', 'digest', 'test')),
  channel text not null check (channel in ('app', 'wechat', 'webhook')),
  recipient text not null,   -- who, as people read it
  user_id integer references users (id),
  target text not null,      -- one push at a time goes to one target: 'u12', 'n3'
  device_id integer not null,
  code smallint not null,
  severity smallint not null,
  state text not null check (state in ('queued', 'sent', 'accepted', 'failed', 'suppressed')),
  reason text,
  lead_id bigint,            -- the delivery that told of this alarm too
  alarms integer not null default 1, -- how many alarms this one tells of
  attempts smallint not null default 0,
  created_at timestamptz not null,
  due_at timestamptz not null,
  sent_at timestamptz,
  ended_at timestamptz,
  detail jsonb not null default '{}'
);
create index deliveries_due on deliveries (due_at, id) where state = 'queued';
create index deliveries_sent on deliveries (sent_at) where state = 'sent';
create index deliveries_alarm on deliveries (alarm_id, id);
create index deliveries_recent on deliveries (target, channel, created_at);
create index deliveries_created on deliveries (created_at);

create table push_subscriptions (
  id integer generated always as identity primary key,
  user_id integer not null references users (id),
  endpoint text not null unique,
  p256dh text not null,
  auth text not null,
  agent text not null default '',
  created_at timestamptz not null
);
create index push_subscriptions_user on push_subscriptions (user_id);

-- A user's identity at the WeChat official account.
create table wechat_followers (
  user_id integer primary key references users (id),
  openid text not null,
  bound_at timestamptz not null
);

create table popup_settings (
  user_id integer primary key references users (id),
  enabled boolean not null,
  levels smallint[] not null,
  codes smallint[] not null,
  sound text not null,
  seconds smallint not null,
  updated_at timestamptz not null
);

create table messages (
  id bigint generated always as identity primary key,
  user_id integer not null references users (id),
  type text not null,
  key text not null,                     -- which sentence; the reader's language fills it
  data jsonb not null default '{}',
  project_id integer,
  device_id integer,
  alarm_id bigint,
  at timestamptz not null,
  read_at timestamptz,
  dedupe text                            -- the same thing is told a user once
);
create index messages_user on messages (user_id, id desc);
create index messages_user_type on messages (user_id, type, id desc);
create index messages_unread on messages (user_id, type) where read_at is null;
create unique index messages_dedupe on messages (user_id, dedupe) where dedupe is not null;
