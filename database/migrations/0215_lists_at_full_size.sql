-- Indexes for lists of 50,000 users, 100,000 maintenance records and 50,000 entries of feedback.

-- The text that a search for an account compares. With `ilike` each of four columns would be folded to lower
-- case in every row. A trigram index over them would not help, because with the locale C pg_trgm treats
-- Chinese characters as spaces.
alter table users add column sought text not null generated always as
  (lower(nickname || ' ' || username || E'\n' || email || E'\n' || mobile)) stored;
drop index users_search;
create index users_sought on users using gin (sought gin_trgm_ops);
-- Contains the column itself, so that a late page is read from the index alone.
create index users_nickname on users (lower(nickname), id) include (nickname) where deleted_at is null;
create index users_by_name on users (lower(username)) include (username, id) where deleted_at is null;
-- Counts accounts by role.
create index users_of_role on users (role_id) where deleted_at is null;

create index maintenance_handler on maintenance_records using gin (handler_name gin_trgm_ops);
create index maintenance_text on maintenance_records using gin
  ((content || ' ' || fault_content || ' ' || result || ' ' || suggestion) gin_trgm_ops);

-- The search compares the beginning of a project's code along with its other texts, so all of them need an
-- index.
create index projects_code on projects using gin (code gin_trgm_ops);
