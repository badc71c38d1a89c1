-- The list filters by many accounts ('called Wang') and by project, newest first. This index contains all of
-- these columns.
drop index operation_log_user;
create index operation_log_user on operation_log (user_id, at desc, id desc) include (project_id);
