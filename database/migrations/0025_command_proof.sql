-- A command that no report can prove ends as 'answered' when its device reports that it is done.
alter table commands drop constraint commands_state_check;
alter table commands add constraint commands_state_check
  check (state in ('created','sent','acknowledged','verified','answered','failed','mismatch','expired','unknown'));
update commands set state = 'answered'
  where state = 'verified' and verb not in ('open', 'close', 'reset', 'leak_test');

alter table commands
  add column newest_boot bigint,  -- the newest stored message of the device when the command was sent
  add column newest_seq bigint,
  add column skew_ms integer,     -- correction of the device's clock that was used for the expiry
  add column moved_at timestamptz, -- the one move of the contacts that this command explains
  add column moved_boot bigint,
  add column moved_seq bigint;

-- Moves that were not judged yet: either a command explains a move, or an alarm must be raised.
alter table position_events add column judged boolean not null default false;
update position_events set judged = true;
create index position_events_unjudged on position_events (line_id) where not judged;

-- The position in which a line was last judged to be, to notice a change without an event.
create table judged_positions (
  line_id integer primary key references lines (id),
  position smallint not null,
  at timestamptz not null,
  boot bigint not null,
  seq bigint not null
);
