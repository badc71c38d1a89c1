-- A command that no report can prove ends as 'answered' when its device says that it is done.
alter table commands drop constraint commands_state_check;
alter table commands add constraint commands_state_check
  check (state in ('created','sent','acknowledged','verified','answered','failed','mismatch','expired','unknown'));
update commands set state = 'answered'
  where state = 'verified' and verb not in ('open', 'close', 'reset', 'leak_test');

alter table commands
  add column newest_boot bigint,  -- the device's newest message that was stored when the command went out
  add column newest_seq bigint,
  add column skew_ms integer,     -- correction of the device's clock by which its expiry was sent
  add column moved_at timestamptz, -- the one move of the contacts that this command explains
  add column moved_boot bigint,
  add column moved_seq bigint;

-- Moves that nobody has judged yet: whether a command explains them, or an alarm must be raised.
alter table position_events add column judged boolean not null default false;
update position_events set judged = true;
create index position_events_unjudged on position_events (line_id) where not judged;

-- The position that a line was last judged to be in, to notice one that changes without an event.
create table judged_positions (
  line_id integer primary key references lines (id),
  position smallint not null,
  at timestamptz not null,
  boot bigint not null,
  seq bigint not null
);
