-- What devices answered to commands and nobody took yet: written in one transaction with the message that carried it,
-- taken away in one with what it made of the command. Nothing here refers to commands and nothing is unique but the row
-- itself, so that whoever stores an answer never waits for whoever judges commands.
create table command_answers (
  id bigint generated always as identity primary key, -- the order in which they came
  command_id uuid not null,
  device_id integer not null,
  received_at timestamptz not null,
  ack jsonb not null
);
create index command_answers_command on command_answers (command_id);

alter table position_events add column received_at timestamptz;
