-- What was refused is a twentieth of the operation log; its list is also asked for by key.
create index operation_log_refused on operation_log (at desc, id desc) include (key) where outcome = 'refused';
