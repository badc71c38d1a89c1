-- The project of the line's device when the batch was asked for: a close does not follow the device to another one.
-- Null: a device without a project, or a batch of an earlier version, which closes nothing more.
alter table batch_lines add column project_id integer;
