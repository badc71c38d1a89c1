-- Refused operations are a twentieth of the operation log; their list is also filtered by key.
create index operation_log_refused on operation_log (at desc, id desc) include (key) where outcome = 'refused';
