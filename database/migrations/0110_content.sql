-- Texts in Markdown for every signed-in user.
create table contents (
  id integer generated always as identity primary key,
  title text not null,
  content text not null,
  enabled boolean not null default true,
  created_by integer references users (id),
  created_at timestamptz not null,
  updated_at timestamptz not null,
  revision integer not null default 1
);
create index contents_updated on contents (updated_at desc, id desc);
