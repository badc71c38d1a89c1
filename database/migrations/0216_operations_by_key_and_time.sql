-- The list of the operation log goes by time: one kind of act within a month is counted in this index alone. Project
-- and user decide who sees a row, so the counts of users who see some projects need no row either.
create index operation_log_key_at on operation_log (key, at desc, id desc) include (project_id, user_id);
drop index operation_log_key;
drop index operation_log_at;
create index operation_log_at on operation_log (at desc, id desc) include (project_id, user_id);
drop index operation_log_refused;
create index operation_log_refused on operation_log (at desc, id desc) include (key, project_id, user_id)
  where outcome = 'refused';
-- Names under which parts of the server act, each found by one step.
create index operation_log_parts on operation_log (operator, at desc, id desc) where user_id is null;
