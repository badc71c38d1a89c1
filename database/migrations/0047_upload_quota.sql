-- What a user, and all together, have stored is summed up before each upload.
create index uploads_created_by on uploads (created_by) include (bytes);
