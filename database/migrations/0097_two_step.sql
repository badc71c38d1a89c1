-- Two-step sign-in. The secret is encrypted with a key that is not in the database: nonce, tag, cipher text.
create table two_step (
  user_id integer primary key references users (id),
  secret bytea not null,
  confirmed_at timestamptz, -- null: set up, but no code has been given yet
  last_step bigint not null default 0, -- step of the newest accepted code; this code and older ones are refused
  recovery_hashes bytea[] not null default '{}',
  created_at timestamptz not null
);
-- Sign-ins with the right password that wait for the code of the second step.
create table two_step_tickets (
  token_hash bytea primary key,
  user_id integer not null references users (id),
  tries smallint not null default 0,
  expires_at timestamptz not null
);
create index two_step_tickets_expires on two_step_tickets (expires_at);
alter table roles add column two_step boolean not null default false;

-- Codes sent to phone numbers, and the messages while no gateway is configured.
create table sms_codes (
  user_id integer primary key references users (id),
  mobile text not null,
  code_hash bytea not null,
  tries smallint not null default 0,
  sent_at timestamptz not null,
  expires_at timestamptz not null
);
create table sms_outbox (
  id bigint generated always as identity primary key,
  at timestamptz not null,
  user_id integer not null references users (id),
  mobile text not null,
  state text not null check (state in ('kept', 'sent', 'failed')),
  text text, -- only while no gateway is configured
  error text
);
create index sms_outbox_user on sms_outbox (user_id, at desc);
