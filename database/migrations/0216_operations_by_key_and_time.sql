-- The list of the operation log is sorted by time. This index alone counts one kind of act within a month. It
-- includes project and user, which decide who sees a row, so counts for users who see only some projects need
-- no table row either.
create index operation_log_key_at on operation_log (key, at desc, id desc) include (project_id, user_id);
drop index operation_log_key;
drop index operation_log_at;
create index operation_log_at on operation_log (at desc, id desc) include (project_id, user_id);
drop index operation_log_refused;
create index operation_log_refused on operation_log (at desc, id desc) include (key, project_id, user_id)
  where outcome = 'refused';
-- Lists the names under which parts of the server act, one index step per name.
create index operation_log_parts on operation_log (operator, at desc, id desc) where user_id is null;
