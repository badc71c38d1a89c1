-- A job is one act over many devices that continues by itself; its rows hold the state of each device. Queued
-- rows are processed some at a time, each group together with its effect in one transaction.
alter table setting_jobs rename to device_jobs;
alter table device_jobs rename column settings to parameters;
alter table device_jobs
  add column kind text not null default 'settings'
    check (kind in ('bind','unbind','delete','expiry','settings')),
  add column total integer not null default 0,
  add column queued boolean not null default false, -- whether rows wait in the queue
  add column served_at timestamptz,                 -- when rows of this job were last processed
  add column cancelled_at timestamptz,
  add column cancelled_by text;
alter table device_jobs alter column kind drop default;
create index device_jobs_queued on device_jobs (served_at nulls first, created_at) where queued;
create index device_jobs_user on device_jobs (user_id, created_at desc);
create index device_jobs_created on device_jobs (created_at desc);

alter table setting_job_devices rename to device_job_rows;
alter index setting_job_devices_pkey rename to device_job_rows_pkey;
alter index setting_job_devices_waiting rename to device_job_rows_waiting;
alter table device_job_rows drop constraint setting_job_devices_state_check;
alter table device_job_rows add constraint device_job_rows_state_check check (state in
  ('queued','waiting','done','applied','conflict','rejected','superseded','skipped','denied','cancelled'));
create index device_job_rows_open on device_job_rows (job_id, device_id) where state in ('queued','waiting');
update device_jobs set total = (select count(*) from device_job_rows where job_id = device_jobs.id);

create index device_desired_job on device_desired (job_id) where job_id is not null and state = 'pending';

-- Indexes to find old rows.
create index setting_changes_at on setting_changes (at);
create index config_messages_sent on config_messages (sent_at);
