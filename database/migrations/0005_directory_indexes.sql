-- Indexes for the device list, the dashboard and the charts.
create index devices_name on devices (name, id);
create index devices_registered on devices (registered_at, id);
-- Serve the unprocessed alarms of a device, and the counts of a project, without reading the table.
create index alarms_unprocessed_device on alarms (device_id) include (level, cleared_at)
  where handled_at is null and deleted_at is null and suppressed_by is null;
create index alarms_unprocessed_project on alarms (project_id, part_id, level) include (cleared_at)
  where handled_at is null and deleted_at is null and suppressed_by is null;
create index rollup_day_bucket on rollup_day (bucket);
