-- What each user may see; users of role 1 see everything and have no row. A row is a project, or a part of
-- one (`part_id`). Role 2: the projects of its region and below; roles 3 and 32: what is set on the user, for
-- 32 only parts; other roles: what is set, else their region. Only this view defines that;
-- server/core/scope.ts reads it.
create view user_scopes as
  select given.user_id, given.project_id, null::integer as part_id, false as by_region
  from user_projects given join users on users.id = given.user_id join roles on roles.id = users.role_id
  where given.part_ids = '{}' and roles.code not in (1, 2, 32)
union all
  select given.user_id, given.project_id, part.id, false
  from user_projects given join users on users.id = given.user_id join roles on roles.id = users.role_id
    cross join lateral unnest(given.part_ids) as part (id)
  where roles.code not in (1, 2)
union all
  select users.id, projects.id, null, true
  from users join roles on roles.id = users.role_id
    join regions on regions.path like '%/' || users.region_id || '/%'
    join projects on projects.region_id = regions.id and projects.deleted_at is null
  where roles.code = 2 or (roles.code not in (1, 3, 32)
    and not exists (select from user_projects given where given.user_id = users.id));

-- A tag on a project has a row even while the project has no device.
create or replace view active_tags as
  select tag.id as tag_id, lines.device_id, tag.line_id, 'line' as placed_on, tag.reason, tag.owner_id, tag.set_at,
    devices.project_id
  from lockout_tags tag join lines on lines.id = tag.line_id join devices on devices.id = lines.device_id
  where tag.removed_at is null
union all
  select tag.id, tag.device_id, null, 'device', tag.reason, tag.owner_id, tag.set_at, devices.project_id
  from lockout_tags tag join devices on devices.id = tag.device_id
  where tag.removed_at is null
union all
  select tag.id, devices.id, null, 'project', tag.reason, tag.owner_id, tag.set_at, tag.project_id
  from lockout_tags tag left join devices on devices.project_id = tag.project_id
  where tag.removed_at is null and tag.project_id is not null;
