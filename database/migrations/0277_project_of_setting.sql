-- The project of the device when somebody asked for the value, and when a job was begun: what may close a line or weaken
-- protection does not follow the device to another one. Null: a device without a project.
alter table device_desired add column project_id integer;
alter table device_job_rows add column project_id integer;
-- Values that wait keep the present project, unless their device had another one since.
update device_desired wish set project_id = devices.project_id from devices
where devices.id = wish.device_id and wish.state = 'pending' and devices.bound_at <= wish.wished_at and not exists (
  select from device_past_owners past where past.device_id = devices.id and past.until >= wish.wished_at
    and past.project_id <> devices.project_id);
update device_job_rows job set project_id = devices.project_id from devices, device_jobs
where devices.id = job.device_id and device_jobs.id = job.job_id and job.state = 'queued'
  and devices.bound_at <= device_jobs.created_at and not exists (
  select from device_past_owners past where past.device_id = devices.id and past.until >= device_jobs.created_at
    and past.project_id <> devices.project_id);
