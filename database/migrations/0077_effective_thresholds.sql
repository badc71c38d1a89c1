-- The limits in effect on a line that replace the catalogue's numbers: installation, project, device (its
-- line 0), line; the later one wins. Only this view defines that order. `inherited` leaves out the line's own
-- values; `set_in_device` contains what limits of the project cannot replace, `set_in_project` what limits of
-- the installation cannot replace.
create view effective_thresholds as
  select l.id as line_id, every.thresholds || own.thresholds || device.thresholds as inherited,
    device.thresholds || l.thresholds as set_in_device,
    own.thresholds || device.thresholds || l.thresholds as set_in_project,
    every.thresholds || own.thresholds || device.thresholds || l.thresholds as thresholds
  from lines l
    join devices d on d.id = l.device_id
    left join lines whole on whole.device_id = l.device_id and whole.n = 0
    left join default_thresholds of_all on of_all.project_id = 0 and of_all.device_type = d.type
    left join default_thresholds of_project on of_project.project_id = d.project_id and of_project.device_type = d.type
    cross join lateral (select coalesce(of_all.thresholds, '{}') as thresholds) every
    cross join lateral (select coalesce(of_project.thresholds, '{}') as thresholds) own
    cross join lateral (select coalesce(whole.thresholds, '{}') as thresholds) device;
