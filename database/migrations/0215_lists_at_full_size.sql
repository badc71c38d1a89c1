-- Lists of 50,000 users, 100,000 maintenance records and 50,000 entries of feedback.

-- One text to search an account by. `ilike` over four columns folds the case of each in every row, and their trigram
-- index could not help: where the locale of the database is C, pg_trgm takes Chinese characters for blanks.
alter table users add column sought text not null generated always as
  (lower(nickname || ' ' || username || E'\n' || email || E'\n' || mobile)) stored;
drop index users_search;
create index users_sought on users using gin (sought gin_trgm_ops);
-- With the column of the expression in it, a deep page is found in the index alone.
create index users_nickname on users (lower(nickname), id) include (nickname) where deleted_at is null;
create index users_by_name on users (lower(username)) include (username, id) where deleted_at is null;
-- Accounts are counted by role.
create index users_of_role on users (role_id) where deleted_at is null;

create index maintenance_handler on maintenance_records using gin (handler_name gin_trgm_ops);
create index maintenance_text on maintenance_records using gin
  ((content || ' ' || fault_content || ' ' || result || ' ' || suggestion) gin_trgm_ops);

-- The search looks at the beginning of a project's code among its other texts: all of them need an index.
create index projects_code on projects using gin (code gin_trgm_ops);
