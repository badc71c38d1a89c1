-- The panels of the overview and their order: for one user, or (user 0) for users who have chosen none.
create table dashboard_layouts (
  user_id integer primary key,
  panels text[] not null,
  page_size text not null check (page_size in ('full', 'large')),
  cycle_s smallint not null check (cycle_s = 0 or cycle_s between 10 and 600), -- 0: pages do not change by themselves
  updated_at timestamptz not null
);
