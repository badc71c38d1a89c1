-- What the overview shows and in which order: for one user, or (user 0) for everybody who has chosen nothing.
create table dashboard_layouts (
  user_id integer primary key,
  panels text[] not null,
  page_size text not null check (page_size in ('full', 'large')),
  cycle_s smallint not null check (cycle_s = 0 or cycle_s between 10 and 600), -- 0: pages do not change by themselves
  updated_at timestamptz not null
);
