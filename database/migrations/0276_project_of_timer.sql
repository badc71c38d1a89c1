-- The project in which somebody saved the timer last: a closing timer does not follow its device to another one, and a
-- run that waits keeps the project of its timer. Timers of devices without a project close nothing until they are saved.
alter table timers add column project_id integer;
alter table timer_runs add column project_id integer;
update timers set project_id = devices.project_id from devices where devices.id = timers.device_id
  and not exists (
    select from device_past_owners past where past.device_id = devices.id and past.until >= timers.created_at
      and past.project_id <> devices.project_id);
update timer_runs set project_id = timers.project_id from timers where timers.id = timer_runs.timer_id
  and timer_runs.outcome = 'due';
