-- Each upload sums up the stored bytes of the user and of all users together.
create index uploads_created_by on uploads (created_by) include (bytes);
