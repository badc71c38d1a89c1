-- Serves alarms that were active at a past time and have ended since. Active alarms have another index.
create index alarms_ended on alarms (cleared_at desc)
  include (raised_at, project_id, part_id, line_id, id)
  where deleted_at is null and suppressed_by is null and cleared_at is not null;
-- A small index, because few alarms chatter.
create index alarms_chattering on alarms (raised_at desc)
  include (project_id, part_id, line_id, code)
  where deleted_at is null and suppressed_by is null and tags @> array['chattering'];
