-- The equipment under active lock-out tags: a row for each device under a tag. `line_id` is null if the tag
-- covers every line of the device. Code that forbids closing under a tag reads only this view.
create view active_tags as
  select tag.id as tag_id, lines.device_id, tag.line_id, 'line' as placed_on, tag.reason, tag.owner_id, tag.set_at
  from lockout_tags tag join lines on lines.id = tag.line_id
  where tag.removed_at is null
union all
  select tag.id, tag.device_id, null, 'device', tag.reason, tag.owner_id, tag.set_at
  from lockout_tags tag
  where tag.removed_at is null and tag.device_id is not null
union all
  select tag.id, devices.id, null, 'project', tag.reason, tag.owner_id, tag.set_at
  from lockout_tags tag join devices on devices.project_id = tag.project_id
  where tag.removed_at is null;
