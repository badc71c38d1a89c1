-- Notification rules: who is notified of which alarms, through which channel, and when. One row per rule, few
-- rows.
create table notices (
  id integer generated always as identity primary key,
  name text not null default '',
  channel text not null check (channel in ('app', 'wechat', 'webhook')),
  to_contacts boolean not null default false,
  user_ids integer[] not null default '{}',
  project_ids integer[] not null default '{}', -- empty: all projects in the scope of the owner
  codes smallint[] not null default '{}',      -- empty: all
  levels smallint[] not null default '{}',
  silence_minutes smallint not null default 0 check (silence_minutes in (0, 10, 20, 30, 40, 50, 60)),
  window_from time,
  window_to time,
  enabled boolean not null default true,
  webhook_url text,
  webhook_secret text,
  language text not null,
  owner_id integer not null references users (id), -- the last author; the rule sends nothing outside their scope
  created_at timestamptz not null,
  updated_at timestamptz not null,
  revision integer not null default 1,
  deleted_at timestamptz,
  check ((channel = 'webhook') = (webhook_url is not null)),
  check ((window_from is null) = (window_to is null))
);

-- What was planned for an alarm, and when to check it again. Rows of handled alarms are removed.
create table alarm_notices (
  alarm_id bigint primary key,
  line_id integer not null,
  level smallint not null,
  urged integer not null default 0,
  planned_at timestamptz not null, -- the time from which escalation counts
  checked_at timestamptz not null,
  next_at timestamptz
);
create index alarm_notices_next on alarm_notices (next_at) where next_at is not null;

create index alarms_urged on alarms (urged_at) where urged_at is not null;

-- The log of what was sent to whom, and the queue of what will be sent.
create table deliveries (
  id bigint generated always as identity primary key,
  line_id integer not null,  -- 0 with alarm 0: a test of the rule itself
  alarm_id bigint not null,
  notice_id integer,         -- the rule; null for reminders and escalation
  kind text not null check (kind in ('raised', 'escalated', 'urged', 'reminder', 'digest', 'test')),
  channel text not null check (channel in ('app', 'wechat', 'webhook')),
  recipient text not null,   -- name of the recipient as users read it
  user_id integer references users (id),
  target text not null,      -- a target such as 'u12' or 'n3' gets one push at a time
  device_id integer not null,
  code smallint not null,
  severity smallint not null,
  state text not null check (state in ('queued', 'sent', 'accepted', 'failed', 'suppressed')),
  reason text,
  lead_id bigint,            -- the delivery whose message also reports this alarm
  alarms integer not null default 1, -- number of alarms that this message reports
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

-- The identity of a user at the WeChat official account.
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
  key text not null,                     -- key of the sentence, which is made in the reader's language
  data jsonb not null default '{}',
  project_id integer,
  device_id integer,
  alarm_id bigint,
  at timestamptz not null,
  read_at timestamptz,
  dedupe text                            -- a user gets only one message with this key
);
create index messages_user on messages (user_id, id desc);
create index messages_user_type on messages (user_id, type, id desc);
create index messages_unread on messages (user_id, type) where read_at is null;
create unique index messages_dedupe on messages (user_id, dedupe) where dedupe is not null;
