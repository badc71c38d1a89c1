-- Devices' answers to commands that are not processed yet. An answer is written in one transaction with its
-- message, and deleted in one transaction with its effect on the command. No row refers to a command, and
-- only the id is unique, so that storing an answer never waits for the processing of commands.
create table command_answers (
  id bigint generated always as identity primary key, -- order of arrival
  command_id uuid not null,
  device_id integer not null,
  received_at timestamptz not null,
  ack jsonb not null
);
create index command_answers_command on command_answers (command_id);

alter table position_events add column received_at timestamptz;
