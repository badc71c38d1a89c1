-- The project of the device when the rollout began: the rollout does not follow the device to another one.
alter table rollout_devices add column project_id integer;
-- Rollouts keep the present project, unless their device had another one since.
update rollout_devices rd set project_id = devices.project_id from devices, rollouts
where devices.id = rd.device_id and rollouts.id = rd.rollout_id and rollouts.state in ('running', 'paused')
  and devices.bound_at <= rollouts.created_at and not exists (
    select from device_past_owners past where past.device_id = devices.id and past.until >= rollouts.created_at
      and past.project_id <> devices.project_id);
