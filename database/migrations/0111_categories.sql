-- Groups of devices that the installation defines.
create table categories (
  id integer generated always as identity primary key,
  name text not null,
  icon_id uuid not null,
  description text not null default '',
  enabled boolean not null default true,
  created_at timestamptz not null,
  revision integer not null default 1
);
create unique index categories_name on categories (lower(name));
alter table devices add column category_id integer references categories (id) on delete set null;
create index devices_category on devices (category_id) where category_id is not null;
