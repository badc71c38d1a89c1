-- The name of a role is unique only under its parent, because tenants must not learn the names of each
-- other's roles. `owner_id` is the account that made the role; null: it belongs to the installation.
alter table roles drop constraint roles_name_key;
alter table roles add constraint roles_name unique nulls not distinct (parent_id, name);
alter table roles add column owner_id integer references users (id);
create index roles_parent on roles (parent_id);

-- The list of users: its default order, and one search over four columns.
create index users_created on users (created_at desc, id desc) where deleted_at is null;
create index users_search on users using gin
  (username gin_trgm_ops, nickname gin_trgm_ops, email gin_trgm_ops, mobile gin_trgm_ops) where deleted_at is null;
create index users_region on users (region_id) where region_id is not null;
