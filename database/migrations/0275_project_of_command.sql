-- The project of the device when the command was asked for: what may close a line or weaken protection does not follow
-- the device to another one. Null: a device without a project, or a command of an earlier version.
alter table commands add column project_id integer;
