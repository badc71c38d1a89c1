-- The list asks for the operations of many accounts ('called Wang') within some projects, newest first: the index has all of it.
drop index operation_log_user;
create index operation_log_user on operation_log (user_id, at desc, id desc) include (project_id);
